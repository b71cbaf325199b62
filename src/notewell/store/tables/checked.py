"""What a row may hold: each value has its column's kind, size and range, or the store is damaged."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, Sequence
from datetime import date
from functools import cache, wraps
from itertools import chain
from math import isfinite
from typing import Any, ParamSpec, TypeVar

from notewell.errors import REPAIR, StoreDamaged
from notewell.store.tables.reader import Rows

# Larger than any value we write: the codes of a block for vectors of 30,000 numbers. A longer one is refused.
LONGEST = 1 << 28
# Longer than any name, list or front matter of a note: all of these are cut when it is indexed.
LONGEST_TEXT = 1 << 20
# Slots, ids of notes and lines are counted with 31 bits in memory.
MOST = (1 << 31) - 1
# Front matter is cut at 20 levels, and links have two.
DEEPEST = 40
# What Python and numpy raise for bytes that are not what they should be. Not TypeError: `fetch` has checked the kind of
# every value, so that one is a mistake of ours, which must not be called damage.
UNREADABLE = (ValueError, LookupError, OverflowError, RecursionError, MemoryError, StopIteration)


# Rows whose columns are checked together.
FEW = 500

# Tells whether all values of a column are of its kind; of no values, that is false.
IsSound = Callable[[Sequence[Any]], bool]
Given = ParamSpec("Given")
Result = TypeVar("Result")


def damaged(what: object) -> StoreDamaged:
    """Return the error for a store that has something it cannot have."""
    return StoreDamaged(f"The store is damaged: {what}", REPAIR)


def decodes(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Wrap a function that reads rows, so that bytes it cannot decode are a damaged store."""

    @wraps(function)
    def checked(*args: Given.args, **named: Given.kwargs) -> Result:
        try:
            return function(*args, **named)
        except UNREADABLE as error:
            # Not what the library says, which may quote a value.
            raise damaged(f"something in it cannot be read ({type(error).__name__})") from error

    return checked


def _number(values: Sequence[Any]) -> bool:
    # An array takes only whole numbers from 0 on.
    try:
        return bool(max(array("I", values)) <= MOST)
    except (TypeError, OverflowError):
        return False


def _integer(values: Sequence[Any]) -> bool:
    return {*map(type, values)} == {int}


def _share(values: Sequence[Any]) -> bool:
    return {*map(type, values)} == {float} and all(map(isfinite, values)) and min(values) >= 0 and max(values) <= 1


def _text(values: Sequence[Any]) -> bool:
    # Joining them fails if one is no text. A third of the time of looking at each, which took a twentieth of a search.
    try:
        together = len("".join(values))
    except TypeError:
        return False
    return bool(values) and (together <= LONGEST_TEXT or max(map(len, values)) <= LONGEST_TEXT)


def _bytes(values: Sequence[Any]) -> bool:
    return {*map(type, values)} == {bytes}


def _scalar(values: Sequence[Any]) -> bool:
    return {*map(type, values)} <= {str, int, float}


def _path(values: Sequence[Any]) -> bool:
    """Tell whether these are paths inside a folder; all at once, as a search asks for those of all notes."""
    if not _text(values):
        return False
    every = "\0".join(("", *values, ""))
    if "\0\0" in every or "\0/" in every or every.count("\0") != len(values) + 1:
        return False
    return ".." not in every or not any(".." in path.split("/") for path in values)


def _day(values: Sequence[Any]) -> bool:
    return _text(values) and all(date.fromisoformat(day) for day in {*values} if day)


# What values each column may have, by its name in a statement.
COLUMNS: dict[str, IsSound] = {
    **dict.fromkeys(
        ("id", "note", "body", "block", "line", "end_line", "start", "end", "link_count", "again", "part"), _number
    ),
    **dict.fromkeys(("mtime_ns", "ctime_ns", "size", "community", "number", "newest", "crc"), _integer),
    **dict.fromkeys(("pagerank", "centrality", "x", "y"), _share),
    **dict.fromkeys(("title", "kind", "tags", "aliases", "fields", "digest", "dated_by", "properties", "parts"), _text),
    **dict.fromkeys(("tasks", "term", "reason", "key", "tag", "sql"), _text),
    **dict.fromkeys(("text", "data", "links", "lengths", "codes", "notes", "seal"), _bytes),
    "path": _path,
    "day": _day,
    "dated": _day,
    "field": _scalar,
    "value": lambda values: True,
    "terms": lambda values: {*map(type, values)} == {str},
}


def check_rows(columns: Sequence[str], rows: Rows) -> None:
    """Raise an error for a value that its column cannot have; the names of columns say what they may hold."""
    if not rows:
        return
    values = [*zip(*rows, strict=True)]
    if len(rows) <= FEW and all(_holds(is_sound, _joined(values, places)) for is_sound, places in _alike(*columns)):
        return
    # One column after the other, which tells what is wrong, and makes no copy of a long table.
    for name, column in zip(columns, values, strict=False):
        if not _holds(COLUMNS[name], column):
            raise damaged(f"a value in column `{name}` is not valid")


@cache
def _alike(*columns: str) -> list[tuple[IsSound, list[int]]]:
    """Return the places of columns by what they may hold: one call for texts and one for numbers is faster."""
    places: dict[IsSound, list[int]] = {}
    for place, name in enumerate(columns):
        places.setdefault(COLUMNS[name], []).append(place)
    return [*places.items()]


def _joined(values: Sequence[Sequence[Any]], places: Sequence[int]) -> Sequence[Any]:
    if len(places) == 1:
        return values[places[0]]
    return [*chain.from_iterable([values[place] for place in places])]


def _holds(is_sound: IsSound, values: Sequence[Any]) -> bool:
    try:
        return is_sound(values)
    except ValueError:
        return False


# `json.loads` looks for spaces around the value, which we do not write.
_decode = json.JSONDecoder().raw_decode


def read_json(written: str, kind: type[Any]) -> Any:
    """Return a value of JSON, which has to be of this kind and not deeper than any that we write.

    >>> read_json('["rye"]', list), read_json("{}", dict)
    (['rye'], {})
    """
    try:
        value, end = _decode(written)
    except (ValueError, RecursionError) as error:
        raise damaged("a list or mapping in it cannot be read") from error
    if end != len(written):
        raise damaged("a list or mapping in it has something after its end")
    if type(value) is not kind or (written.count("[") + written.count("{") > DEEPEST and _is_deep(value)):
        raise damaged("a list or mapping in it is another kind of value, or too deep")
    return value


def _is_deep(value: Any) -> bool:
    level: Collection[Any] = [value]
    for _ in range(DEEPEST):
        nested = [inner.values() if isinstance(inner, dict) else inner for inner in level]
        level = [item for items in nested for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def read_texts(written: str) -> tuple[str, ...]:
    """Return a list of texts.

    >>> read_texts('["rye","bread"]')
    ('rye', 'bread')
    """
    # Most notes have no tags or aliases: this saves a tenth of the time of a page of hits.
    if written == "[]":
        return ()
    values = read_json(written, list)
    if values and not _text(values):
        raise damaged("a list of texts in it has other values")
    return tuple(values)

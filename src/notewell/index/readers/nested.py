"""Nested values of JSON and YAML as flat lines: each with the keys that lead to it and its line in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from notewell.errors import NoteError
from notewell.index.readers.content import DEEPEST, MOST_TEXT
from notewell.index.readers.writing import marked_line, one_line, shortened
from notewell.redact import secret_label


def load_json(text: str) -> object:
    """Return the value of a JSON text, or None if it is not JSON."""
    try:
        return json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return None


def as_text(value: object) -> str:
    """Return the value if it is a text, or else an empty text."""
    return value if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    """Return the value if it is a mapping, or else an empty one."""
    return value if isinstance(value, dict) else {}


def as_dicts(value: object) -> list[dict[str, Any]]:
    """Return the mappings in a list, or nothing if the value is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# A value this long without a space is a picture or a key, not words.
LONGEST_WORD = 2000
LONGEST_KEY = 200
# A list becomes one line if it is no longer than this, and is on one line in the file.
LONGEST_LIST = 200
NUMBERS = re.compile(r"(?:\[\d+\])+\Z")
QUOTES = ('"', "'", "`")


class Value(NamedTuple):
    """A value, its line in the file, and the keys that lead to it, such as `servers[0].host`."""

    line: int
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}".strip() if self.path else self.text


@dataclass(slots=True)
class Holder:
    """An open list or mapping."""

    path: str
    is_list: bool
    first: int
    count: int = 0
    key: str = ""
    simple: bool = True


class Flat:
    """Collects values in the order of the file."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._holders: list[Holder] = []
        self._size = 0

    @property
    def depth(self) -> int:
        """Return how many lists and mappings are open."""
        return len(self._holders)

    @property
    def in_list(self) -> bool:
        """Tell whether the innermost open value is a list."""
        return bool(self._holders) and self._holders[-1].is_list

    def open(self, *, is_list: bool) -> None:
        """Start a list or mapping."""
        if len(self._holders) >= DEEPEST:
            raise NoteError(f"its values are nested more than {DEEPEST} deep", "Exclude it with index.exclude")
        path = self._path()
        if self._holders:
            self._holders[-1].simple = False
        self._holders.append(Holder(path, is_list, len(self.values)))

    def close(self) -> None:
        """End the innermost list or mapping."""
        holder = self._holders.pop()
        if holder.is_list and holder.simple and 1 < holder.count <= LONGEST_LIST and not is_secret_name(holder.path):
            self._join(holder)

    def key(self, name: str) -> None:
        """Set the key of the next value."""
        name = one_line(name)
        # A long key is cut between words: half a secret would not be recognised.
        self._holders[-1].key = name if len(name) <= LONGEST_KEY else shortened(name, LONGEST_KEY)

    def add(self, text: str, line: int, *, quoted: bool = False) -> None:
        """Add a value that contains no others."""
        path = self._path()
        if len(text) > LONGEST_WORD and not re.search(r"\s", text):
            text = shortened(text, LONGEST_WORD)
        text = marked_line(text)
        if quoted and text and is_secret_name(path):
            # Each secret of a list follows its label directly, without an index between them.
            path, text = NUMBERS.sub("", path), in_quotes(text)
        self._take(Value(line, path, text))

    def remark(self, text: str, line: int) -> None:
        """Add a comment."""
        if self._holders:
            self._holders[-1].simple = False
        self._take(Value(line, "", one_line(text)))

    def _take(self, value: Value) -> None:
        self._size += len(value.path) + len(value.text) + 3
        if self._size > MOST_TEXT:
            raise NoteError(f"more than {MOST_TEXT:,} characters", "Split it, or exclude it with index.exclude")
        self.values.append(value)

    def _path(self) -> str:
        if not self._holders:
            return ""
        holder = self._holders[-1]
        holder.count += 1
        if holder.is_list:
            return f"{holder.path}[{holder.count - 1}]"
        return f"{holder.path}.{holder.key}" if holder.path else holder.key

    def _join(self, holder: Holder) -> None:
        values = self.values[holder.first :]
        if values[0].line == values[-1].line and sum(len(value.text) + 2 for value in values) <= LONGEST_LIST:
            self.values[holder.first :] = [
                Value(values[0].line, holder.path, ", ".join(value.text for value in values))
            ]


def by_line(values: list[Value]) -> Iterator[tuple[int, list[Value]]]:
    """Yield each line of the file that has values, with its values."""
    for line, held in groupby(values, key=lambda value: value.line):
        yield line, list(held)


def on_source_lines(values: list[Value], count: int) -> list[str]:
    """Return `count` lines, each value on the line it has in the file."""
    lines = [""] * count
    for line, held in by_line(values):
        lines[line - 1] = "; ".join(filter(None, (lines[line - 1], *map(str, held))))
    return lines


def is_secret_name(path: str) -> bool:
    """Tell whether the last key of a path is the label of a secret.

    >>> is_secret_name("wifi.password"), is_secret_name("signing_key[0]"), is_secret_name("secret.author")
    (True, True, False)
    """
    return _is_name(path.rpartition(".")[2])


@lru_cache(maxsize=1000)
def _is_name(key: str) -> bool:
    # A key that redaction takes for the label of a secret.
    return secret_label().search(key) is not None


def in_quotes(text: str) -> str:
    """Return a text in quotes, so that redaction sees where a secret of several words ends.

    >>> print(in_quotes("two words"), in_quotes('two "words"'))
    "two words" 'two "words"'
    """
    quote = next((quote for quote in QUOTES if quote not in text), "")
    if quote and not text.endswith("\\"):
        return f"{quote}{text}{quote}"
    # The text contains every kind of quote, or ends in a backslash, which would escape the closing one.
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

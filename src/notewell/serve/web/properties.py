"""The properties that the page offers as filters: those that most notes have, with their few values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from notewell.store import Snapshot
from notewell.terms import fold

# More keys than this would fill a menu; a property with more values, or longer ones, is not chosen from one.
MOST_KEYS, MOST_VALUES, LONGEST_VALUE = 12, 30, 60
# Properties that nobody searches by: they have filters of their own, or style a note.
STYLE = ("cssclasses", "cssclass", "publish", "permalink", "coordinates")
LEFT_OUT = ("tags", "tag", "type", "aliases", "alias", "title", *STYLE)
# Days are chosen by their age, and addresses not at all.
UNFIT = re.compile(r"\d{4}-\d\d-\d\d|\w+://")
# Others cannot be written as a filter.
KEY = re.compile(r'[^\s:"\\]+')
# Notes whose properties are in memory together.
AT_ONCE = 1_000


class Property:
    """A property: how many notes have it, and its values as long as they fit into a menu."""

    def __init__(self, key: str) -> None:
        self.notes = 0
        self.values: set[str] = set()
        self.fits = bool(KEY.fullmatch(key)) and key not in LEFT_OUT

    def add(self, value: Any) -> None:
        """Count a note with this value."""
        self.notes += 1
        for text in texts_of(value) if self.fits else ():
            if text not in self.values:
                self.values.add(text)
                self.fits = len(self.values) <= MOST_VALUES and len(text) <= LONGEST_VALUE and not UNFIT.match(text)
                if not self.fits:
                    return


def read_properties(snapshot: Snapshot, paths: Sequence[str]) -> dict[str, Property]:
    """Return the properties of these notes by their folded keys, those that most notes have first."""
    folded: dict[str, Property] = {}
    written: dict[str, Property] = {}
    for at in range(0, len(paths), AT_ONCE):
        for facts in snapshot.notes(paths[at : at + AT_ONCE]).values():
            for key, value in facts.fields.items():
                if (found := written.get(key)) is None:
                    name = fold(key)
                    found = written[key] = folded.setdefault(name, Property(name))
                found.add(value)
    return dict(sorted(folded.items(), key=lambda one: (-one[1].notes, one[0])))


def offered(properties: Mapping[str, Property]) -> dict[str, tuple[str, ...]]:
    """Return those properties that a menu can offer, with their values in order."""
    fitting = ((key, one) for key, one in properties.items() if one.fits and len(one.values) > 1)
    return {key: tuple(sorted(one.values)) for key, one in islice(fitting, MOST_KEYS)}


def texts_of(value: Any) -> Iterator[str]:
    """Yield the values of a property that filters compare with, as text.

    >>> list(texts_of(True)), list(texts_of(["a", "", 2, {"b": "c"}])), list(texts_of({"b": "c"}))
    (['true'], ['a', '2'], ['c'])
    """
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,):
        if isinstance(one, bool):
            yield str(one).lower()
        elif isinstance(one, (str, int, float)) and one != "":
            yield str(one)

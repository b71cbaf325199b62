"""Decay: how much less an older note counts, by a half-life or by its place among its author's notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from notewell.search.rank.decay_rules import GROUPED, HALF_LIFE, ONE_GROUP, Way, read_ways
from notewell.store import NoteFacts
from notewell.terms import fold
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan

# A link in front matter stands for what it names.
LINK = re.compile(r"\[\[(?:[^\[\]|]*+\|)?([^\[\]]*+)\]\]")
# A longer value is a text, and no name.
LONGEST_NAME = 200
YES = ("true", "yes")


@dataclass(frozen=True, slots=True)
class DecayRules:
    """Whether and how notes lose by age, what they are grouped by, and which of them never do."""

    mode: str = "off"
    half_life_days: float = HALF_LIFE
    group_by: tuple[str, ...] = ("author", "authors")
    evergreen: tuple[str, ...] = ("evergreen",)
    overrides: tuple[str, ...] = ()

    @property
    def on(self) -> bool:
        """Tell whether any note loses by age."""
        return self.mode != "off" or bool(self.overrides)

    @property
    def ways(self) -> tuple[Way, ...]:
        """Return how notes lose, the way for the longest path first and that for all of them last."""
        return (*read_ways(self.overrides), Way(self.mode, half_life_days=self.half_life_days))


@dataclass(frozen=True, slots=True)
class Aged:
    """A note among the candidates: its way and its day, the group that it is ranked in, and whether it never loses."""

    way: Way
    day: date
    group: str = ""
    evergreen: bool = False


@dataclass(frozen=True, slots=True)
class Decay:
    """Lower the scores of older notes, all chunks of a note by the same factor; a day to come counts as today."""

    rules: DecayRules
    today: date
    said: Callable[[Collection[str]], Mapping[str, NoteFacts]]

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with what they keep of their scores."""
        chunks = {candidate.chunk.path: candidate.chunk for candidate in candidates}
        ways = self.rules.ways
        notes = {path: self._aged(chunks[path], ways, said) for path, said in self.said(chunks).items()}
        kept = {path: self._kept(note, notes.values()) for path, note in notes.items()}
        return [
            _decayed(candidate, notes[candidate.chunk.path], *kept[candidate.chunk.path]) for candidate in candidates
        ]

    def _aged(self, chunk: Chunk, ways: Sequence[Way], said: NoteFacts) -> Aged:
        way = next(way for way in ways if way.covers(chunk.path))
        fields = {fold(key): value for key, value in said.fields.items()}
        group = way.under if way.mode == ONE_GROUP else _first_name(fields, self.rules.group_by)
        day = min(date.fromisoformat(said.day), self.today)
        return Aged(way, day, group, _is_any(self.rules.evergreen, chunk, fields))

    def _kept(self, note: Aged, others: Iterable[Aged]) -> tuple[float, str]:
        """Return what a note keeps of its score, and why."""
        way, days = note.way, (self.today - note.day).days
        if way.mode == "half_life":
            return 0.5 ** (days / way.half_life_days), f"{_days(days)} old, half-life {way.half_life_days:g}"
        # Who wrote it is not known: there is nobody whose newer note it could be measured by.
        if way.mode not in GROUPED or not note.group:
            return 1.0, ""
        newer = sum(_is_newer(other, note) for other in others)
        factor = way.ladder[min(newer, len(way.ladder) - 1)]
        among = f"in {note.group}" if way.mode == ONE_GROUP else f"by {note.group}"
        return factor, f"{nth(newer + 1)}newest {among}: × {factor:g}"


def _is_newer(other: Aged, note: Aged) -> bool:
    """Tell whether a note of the same group is newer; an evergreen one takes no place, equal days share theirs."""
    same = other.way == note.way and fold(other.group) == fold(note.group)
    return same and not other.evergreen and other.day > note.day


def _decayed(candidate: Candidate, note: Aged, factor: float, why: str) -> Candidate:
    if factor == 1:
        return candidate
    if note.evergreen:
        return candidate.rescored(candidate.score, by="decay", why="evergreen")
    return candidate.rescored(candidate.score * factor, by="decay", why=why)


def _first_name(fields: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Return the first text under the first of the keys that has any, as a name.

    >>> _first_name({"author": ["[[People/Ada|Ada  Lovelace]]", "Max"]}, ["author"])
    'Ada Lovelace'
    """
    values = (fields.get(fold(key)) for key in keys)
    texts = (text for value in values for text in (value if isinstance(value, list) else [value]))
    names = (" ".join(LINK.sub(r"\1", text[:LONGEST_NAME]).split()) for text in texts if isinstance(text, str))
    return next(filter(None, names), "")


def _is_any(names: Iterable[str], chunk: Chunk, fields: Mapping[str, Any]) -> bool:
    """Tell whether a note has one of the names as a tag, as its type, or as a key that says yes."""
    marks = {fold(mark) for tag in chunk.tags for mark in (tag, tag.partition("/")[0])} | {fold(chunk.kind)}
    return any(fold(name) in marks or str(fields.get(fold(name))).lower() in YES for name in names)


def _days(number: int) -> str:
    return "1 day" if number == 1 else f"{number} days"


def nth(place: int) -> str:
    """Return a place as a word before a superlative; the first has none.

    >>> nth(1), nth(2), nth(3), nth(11), nth(22)
    ('', '2nd ', '3rd ', '11th ', '22nd ')
    """
    if place == 1:
        return ""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending} "

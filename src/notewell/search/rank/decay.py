"""Decay: older notes rank lower, by a half-life or by their place among their author's notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from notewell.frozen import frozen
from notewell.search.rules import GROUPED, ONE_GROUP, DecayRule, DecayRules
from notewell.store import NoteFacts
from notewell.terms import fold
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan

# A link in front matter stands for what it names.
LINK = re.compile(r"\[\[(?:[^\[\]|]*+\|)?([^\[\]]*+)\]\]")
# A longer value is a text, not a name.
LONGEST_NAME = 200
YES = ("true", "yes")
# What a half-life leaves of a hit's score. Without it, the one note with the word asked for, fourteen years old, came
# after notes of this year that hardly resembled the query: 0.0001 of a score of 1.6, against 0.02.
LEAST = 0.1


class Aged(NamedTuple):
    """A note among the candidates: its rule, its day, the group that it is ranked in, and whether it never decays."""

    rule: DecayRule
    day: date
    group: str = ""
    evergreen: bool = False


@frozen
class Decay:
    """Lower the scores of older notes, all chunks of a note by the same factor; a future day counts as today."""

    rules: DecayRules
    today: date
    facts: Callable[[Collection[str]], Mapping[str, NoteFacts]]
    least: float = 0.0
    """The share of its score that a half-life leaves in any case."""

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with the part of their scores that age leaves."""
        chunks = {candidate.chunk.path: candidate.chunk for candidate in candidates}
        rules = self.rules.by_path
        notes = {path: self._aged(chunks[path], rules, facts) for path, facts in self.facts(chunks).items()}
        factors = {path: self._factor(note, notes.values()) for path, note in notes.items()}
        return [_decayed(one, notes[one.chunk.path], *factors[one.chunk.path]) for one in candidates]

    def _aged(self, chunk: Chunk, rules: Sequence[DecayRule], facts: NoteFacts) -> Aged:
        rule = next(rule for rule in rules if rule.covers(chunk.path))
        fields = {fold(key): value for key, value in facts.fields.items()}
        group = rule.under if rule.mode == ONE_GROUP else _first_name(fields, self.rules.group_by)
        # A note without a date does not decay.
        day = min(date.fromisoformat(facts.day), self.today) if facts.day else self.today
        return Aged(rule, day, group, _is_any(self.rules.evergreen, chunk, fields))

    def _factor(self, note: Aged, others: Iterable[Aged]) -> tuple[float, str]:
        """Return the share of its score that a note keeps, and why."""
        rule, days = note.rule, (self.today - note.day).days
        if rule.mode == "half_life":
            left = max(self.least, 0.5 ** (days / rule.half_life_days))
            return left, f"{_days(days)} old, half-life {rule.half_life_days:g}"
        # Without a known author there is no newer note of theirs to compare with.
        if rule.mode not in GROUPED or not note.group:
            return 1.0, ""
        newer = sum(_is_newer(other, note) for other in others)
        factor = rule.ladder[min(newer, len(rule.ladder) - 1)]
        among = f"in {note.group}" if rule.mode == ONE_GROUP else f"by {note.group}"
        return factor, f"{nth(newer + 1)}newest {among}: × {factor:g}"


def _is_newer(other: Aged, note: Aged) -> bool:
    """Tell whether a note of the same group is newer; evergreen notes do not count, and equal days share a place."""
    same = other.rule == note.rule and fold(other.group) == fold(note.group)
    return same and not other.evergreen and other.day > note.day


def _decayed(candidate: Candidate, note: Aged, factor: float, why: str) -> Candidate:
    if factor == 1:
        return candidate
    if note.evergreen:
        return candidate.rescored(candidate.score, by="decay", why="evergreen")
    return candidate.rescored(candidate.score * factor, by="decay", why=why)


def _first_name(fields: Mapping[str, Any], keys: Iterable[str]) -> str:
    """Return the first text under the first of the keys that has one, as a name.

    >>> _first_name({"author": ["[[People/Ada|Ada  Lovelace]]", "Max"]}, ["author"])
    'Ada Lovelace'
    """
    values = (fields.get(fold(key)) for key in keys)
    texts = (text for value in values for text in (value if isinstance(value, list) else [value]))
    names = (" ".join(LINK.sub(r"\1", text[:LONGEST_NAME]).split()) for text in texts if isinstance(text, str))
    return next(filter(None, names), "")


def _is_any(names: Iterable[str], chunk: Chunk, fields: Mapping[str, Any]) -> bool:
    """Tell whether a note has one of the names as a tag, as its type, or as a key set to true."""
    marks = {fold(mark) for tag in chunk.tags for mark in (tag, tag.partition("/")[0])} | {fold(chunk.kind)}
    return any(fold(name) in marks or str(fields.get(fold(name))).lower() in YES for name in names)


def _days(number: int) -> str:
    return "1 day" if number == 1 else f"{number} days"


def nth(place: int) -> str:
    """Return an ordinal to put before a superlative; nothing for the first.

    >>> nth(1), nth(2), nth(3), nth(11), nth(22)
    ('', '2nd ', '3rd ', '11th ', '22nd ')
    """
    if place == 1:
        return ""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending} "

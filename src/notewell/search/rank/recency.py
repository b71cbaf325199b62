"""Recency: notes from the time that a query asks for, or the newest of those that match."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, timedelta

from notewell.frozen import frozen
from notewell.search.dates import NEWEST, named_days
from notewell.search.rank.decay import nth
from notewell.search.rank.sections import name_terms
from notewell.store import NoteFacts
from notewell.terms import split_terms
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan, Range

# What a note from the time asked for gains. Many questions that are not about notes contain years: of 68 such queries
# of test collections, 0.5 improves 3 and spoils 1, and 1.0 improves 3 and spoils 2.
OF_ITS_TIME = 0.5
# What the newest matching note gains; the second newest gains a quarter of that, the third a ninth.
NEWEST_GAINS = 1.0
# A note matches if its best chunk has this share of the best score: as the newest it then comes before the second
# newest, even if that has the words more often. Newer notes below that are merely new.
MATCHES = 2 / 3


@frozen
class Recency:
    """Raise notes from the days that the plan asks for; nothing is lowered, and a future day counts as today."""

    today: date
    facts: Callable[[Collection[str]], Mapping[str, NoteFacts]]

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with what they gain."""
        if plan.when is None or not candidates:
            return list(candidates)
        facts = self.facts({candidate.chunk.path for candidate in candidates})
        days = {path: min(note.day, self.today.isoformat()) for path, note in facts.items()}
        if plan.when.low:
            return [
                _of_its_time(candidate, candidate.chunk.day or days[candidate.chunk.path], plan.when)
                for candidate in candidates
            ]
        return _newest(plan, candidates, days)


@frozen
class Recent:
    """Raise notes that changed lately by a share of the best score, as settings ask; nothing is lowered."""

    days: int
    gain: float
    today: date
    facts: Callable[[Collection[str]], Mapping[str, NoteFacts]]

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with what they gain."""
        since = (self.today - timedelta(days=self.days)).isoformat()
        facts = self.facts({candidate.chunk.path for candidate in candidates})
        gain = self.gain * max((candidate.score for candidate in candidates), default=0.0)
        why = f"changed within {self.days} days"
        return [
            one.rescored(one.score + gain, by="recency", why=why) if facts[one.chunk.path].day >= since else one
            for one in candidates
        ]


def _of_its_time(candidate: Candidate, day: str, wanted: Range) -> Candidate:
    if _within(Range(day, day), wanted):
        return candidate.rescored(candidate.score * (1 + OF_ITS_TIME), by="recency", why=f"dated {day}")
    # A text about a year may have been written in another, and many files have their day only in the name.
    if any(_within(named, wanted) for named in named_days(_text_of(candidate.chunk))):
        return candidate.rescored(candidate.score * (1 + OF_ITS_TIME), by="recency", why="names the time")
    return candidate


def _newest(plan: Plan, candidates: Sequence[Candidate], days: Mapping[str, str]) -> list[Candidate]:
    best = max(candidate.score for candidate in candidates)
    matching = {
        candidate.chunk.path: days[candidate.chunk.path]
        for candidate in candidates
        if candidate.score >= MATCHES * best and _has_words(candidate)
    }
    asked = NEWEST.intersection(split_terms(plan.text))
    return [_raised(candidate, matching, asked) for candidate in candidates]


def _has_words(candidate: Candidate) -> bool:
    """Tell whether words found a candidate, too: closeness in meaning alone does not make it about the subject."""
    return not candidate.votes or candidate.ranks["lexical"] is not None


def _raised(candidate: Candidate, matching: Mapping[str, str], asked: Collection[str]) -> Candidate:
    chunk = candidate.chunk
    if chunk.path not in matching:
        return candidate
    if any(not name_terms(name).isdisjoint(asked) for name in chunk.names):
        # The word may be part of a title, as in "Using the latest image tag".
        return candidate.rescored(candidate.score * (1 + NEWEST_GAINS), by="recency", why="has the word in its name")
    if not matching[chunk.path]:
        return candidate
    newer = sum(day > matching[chunk.path] for day in matching.values())
    why = f"{nth(newer + 1)}newest that matches, dated {matching[chunk.path]}"
    return candidate.rescored(candidate.score * (1 + NEWEST_GAINS / (1 + newer) ** 2), by="recency", why=why)


def _within(days: Range, wanted: Range) -> bool:
    return wanted.low <= days.low and (not wanted.high or days.high <= wanted.high)


def _text_of(chunk: Chunk) -> str:
    return f"{chunk.path.replace('/', ' ').replace('_', ' ')} {chunk.heading} {chunk.text}"

"""Notes of the time that a query asks for, or the newest of those that fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from notewell.search.rank.decay import nth
from notewell.search.rank.names import name_terms
from notewell.search.time_words import NEWEST, named_days
from notewell.store import NoteFacts
from notewell.terms import split_terms
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan, Range

# What a note of the time asked for gains. Years stand in many questions that are not about notes: of 68 such queries of
# test collections, 0.5 mends 3 and spoils 1, and 1.0 mends 3 and spoils 2.
OF_ITS_TIME = 0.5
# What the newest of those that fit gains; the second newest gains a quarter of that, the third a ninth.
NEWEST_GAINS = 1.0
# A note is about what was asked for if its best chunk has this share of the best score: as the newest it then comes
# before the second newest, though that has the words more often. The newest of the others are only new.
FITS = 2 / 3


@dataclass(frozen=True, slots=True)
class Recency:
    """Raise the notes of the days that the plan asks for; nothing is lowered, and a day to come counts as today."""

    today: date
    said: Callable[[Collection[str]], Mapping[str, NoteFacts]]

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with what they gain."""
        if plan.when is None or not candidates:
            return list(candidates)
        said = self.said({candidate.chunk.path for candidate in candidates})
        days = {path: min(note.day, self.today.isoformat()) for path, note in said.items()}
        if plan.when.low:
            return [_of_its_time(candidate, days[candidate.chunk.path], plan.when) for candidate in candidates]
        return _newest(plan, candidates, days)


def _of_its_time(candidate: Candidate, day: str, wanted: Range) -> Candidate:
    if _within(Range(day, day), wanted):
        return candidate.rescored(candidate.score * (1 + OF_ITS_TIME), by="recency", why=f"dated {day}")
    # What is told of a year may have been written in another; and many a file has its day in its name alone.
    if any(_within(named, wanted) for named in named_days(_told(candidate.chunk))):
        return candidate.rescored(candidate.score * (1 + OF_ITS_TIME), by="recency", why="names the time")
    return candidate


def _newest(plan: Plan, candidates: Sequence[Candidate], days: Mapping[str, str]) -> list[Candidate]:
    best = max(candidate.score for candidate in candidates)
    fitting = {
        candidate.chunk.path: days[candidate.chunk.path]
        for candidate in candidates
        if candidate.score >= FITS * best and _has_words(candidate)
    }
    asked = NEWEST.intersection(split_terms(plan.text))
    return [_raised(candidate, fitting, asked) for candidate in candidates]


def _has_words(candidate: Candidate) -> bool:
    """Tell whether words found a candidate, too: closeness in meaning alone does not make it about the subject."""
    return not candidate.votes or candidate.ranks["lexical"] is not None


def _raised(candidate: Candidate, fitting: Mapping[str, str], asked: Collection[str]) -> Candidate:
    chunk = candidate.chunk
    if chunk.path not in fitting:
        return candidate
    if any(not name_terms(name).isdisjoint(asked) for name in chunk.names):
        # The word may be part of what it is called, as in "Using the latest image tag".
        return candidate.rescored(candidate.score * (1 + NEWEST_GAINS), by="recency", why="has the word in its name")
    newer = sum(day > fitting[chunk.path] for day in fitting.values())
    why = f"{nth(newer + 1)}newest that fits, dated {fitting[chunk.path]}"
    return candidate.rescored(candidate.score * (1 + NEWEST_GAINS / (1 + newer) ** 2), by="recency", why=why)


def _within(days: Range, wanted: Range) -> bool:
    return wanted.low <= days.low and (not wanted.high or days.high <= wanted.high)


def _told(chunk: Chunk) -> str:
    return f"{chunk.path.replace('/', ' ').replace('_', ' ')} {chunk.heading} {chunk.text}"

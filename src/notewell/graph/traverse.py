"""A walk along links that stays near a query or a note: a few hops, each of which keeps the nearest notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

import numpy as np

from notewell.errors import SettingsError
from notewell.frozen import frozen
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.types.results import Visit

# Why a note was kept, and why it was dropped.
START = "start"
SEED = "seed"
ABOVE = "above_prune_floor"
DESPITE_DECAY = "kept_despite_decay_zero"
BELOW = "below_prune_threshold"
OVERFLOW = "beam_overflow"
KEPT = (START, SEED, ABOVE, DESPITE_DECAY)
# The same in words.
IN_WORDS = {
    ABOVE: "near enough",
    DESPITE_DECAY: "near enough, though its age leaves nothing of its score",
    BELOW: "too far",
    OVERFLOW: "no room among the nearest",
}
# Less than this share of a score counts as nothing: after seven half-lives, or where a setting says 0.
NOTHING_LEFT = 0.01


class Enough(NamedTuple):
    """When a walk may end early: with this many near notes, of at least this mean similarity."""

    notes: int
    mean: float


class Lowered(NamedTuple):
    """A floor that adapts: a share of the nearest note's similarity, among the start and its neighbours."""

    share: float
    least: float


@frozen
class TraverseRules:
    """How far a walk goes: its hops, the notes that each keeps (`beam`), the vectors it reads, the least similarity.

    It ends early with `enough` near notes, and keeps at most `cap` notes. The floor may be `lowered` if all are far.
    """

    hops: int = 4
    beam: int = 5
    floor: float = 0.50
    enough: Enough | None = Enough(10, 0.65)
    cap: int | None = None
    lowered: Lowered | None = None
    # A hub has thousands of neighbours, and a note may have a thousand chunks.
    vectors: int = 100

    def room(self, read: int, hop: int) -> int:
        """Return how many vectors a hop may read: two thirds of those not `read` yet, and the last hop all of them.

        With half of the rest, a walk keeps fewer of the notes that one without a limit keeps; with all, it often ends
        after the first hop.
        """
        left = max(self.vectors - read, 0)
        return left if hop == self.hops else left * 2 // 3

    def floor_by(self, nearest: float) -> float:
        """Return the floor, given the similarity of the nearest note among the start and its neighbours."""
        if self.lowered is None:
            return self.floor
        return max(self.lowered.least, min(self.floor, self.lowered.share * nearest))

    def places(self, kept: int) -> int:
        """Return how many notes a hop may keep, given those kept before."""
        return self.beam if self.cap is None else min(self.beam, self.cap - kept)


FAST = TraverseRules()
# A query is short, and farther from a note than a second note on the subject: 0.50 drops everything in two walks of
# three. Below 0.15 are unrelated notes: of queries made for another vault, one in twelve keeps any.
BY_QUERY = replace(FAST, lowered=Lowered(0.7, 0.15))


def walk_rules(depth: int | None, floor: float | None, *, with_query: bool) -> TraverseRules:
    """Return the rules of a walk with this depth and floor; None is the default."""
    if depth is not None and not 1 <= depth <= FAST.hops:
        raise SettingsError(f"A depth of {depth} hops is out of range", f"Choose a depth from 1 to {FAST.hops}")
    # Written so that NaN is refused, too.
    if floor is not None and not -1 <= floor <= 1:
        raise SettingsError(f"A floor of {floor:g} is not a similarity", "Choose a floor from -1 to 1, such as 0.3")
    rules = BY_QUERY if with_query else FAST
    rules = replace(rules, hops=FAST.hops if depth is None else depth)
    return rules if floor is None else replace(rules, floor=floor, lowered=None)


class WalkSource(Protocol):
    """Where a walk finds neighbours and vectors of notes, by path."""

    def neighbours(self, note: str) -> Mapping[str, str]:
        """Return the notes it links to (`→`), those that link to it (`←`), or both (`↔`); the most central first."""

    def vectors(self, notes: Sequence[str], room: int) -> Mapping[str, Vectors]:
        """Return vectors of the first of these notes, at least one of each, together at most `room`."""


@frozen
class Reached:
    """A note that a walk reached: how near it is, by which link, and why it was kept or dropped."""

    note: str
    similarity: float
    reason: str
    hop: int = 0
    via: str = ""
    way: str = ""
    decay: float = 1.0

    @property
    def kept(self) -> bool:
        """Tell whether the note was kept."""
        return self.reason in KEPT

    @property
    def decay_zero(self) -> bool:
        """Tell whether the note's age leaves almost nothing of its score."""
        return self.decay < NOTHING_LEFT

    def as_visit(self) -> Visit:
        """Return it as an answer shows it."""
        near, why = round(self.similarity, 4), self.reason
        reasons = {"retain_reason" if self.kept else "drop_reason": why}
        return Visit(self.note, near, self.hop, self.via, self.way, kept=self.kept, **reasons)


@frozen
class Trail:
    """The notes that a walk reached, hop by hop, the nearest first; how many vectors it read, and why it ended.

    `unseen` counts the neighbours that no hop had room for, and `floor` is the least similarity of the notes kept.
    """

    visits: tuple[Reached, ...]
    vectors: int
    unseen: int
    ended: str
    floor: float

    @property
    def kept(self) -> tuple[Reached, ...]:
        """Return the notes that were kept."""
        return tuple(visit for visit in self.visits if visit.kept)

    @property
    def dropped(self) -> tuple[Reached, ...]:
        """Return the notes that were dropped."""
        return tuple(visit for visit in self.visits if not visit.kept)


@frozen
class Walk:
    """A walk along links."""

    query: str
    """The text that notes had to be similar to; empty if that was the first note."""
    visits: tuple[Visit, ...]
    """Every note that was compared, hop by hop, the nearest first."""
    notes: int
    """How many notes were compared."""
    vectors: int
    """How many vectors were read for that."""
    unseen: int
    """How many linked notes were left out for lack of room."""
    floor: float
    """The lowest similarity at which a note was kept."""
    ended: str
    """Why the walk ended."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""

    @classmethod
    def of(cls, trail: Trail, query: str, notices: tuple[Notice, ...] = ()) -> Walk:
        """Return a walk as an answer."""
        visits = tuple(reached.as_visit() for reached in trail.visits)
        return cls(query, visits, len(visits), trail.vectors, trail.unseen, trail.floor, trail.ended, notices)


class Likeness:
    """The similarity of notes to one vector; reads the vectors of these notes alone, and counts them."""

    def __init__(self, source: WalkSource, query: Vectors) -> None:
        self._source = source
        self._query = query
        self.vectors = 0

    def of(self, notes: Sequence[str], room: int) -> dict[str, float]:
        """Return the cosines of the first of these notes, as many as `room` vectors allow."""
        found = self._source.vectors(notes, room)
        self.vectors += sum(len(rows) for rows in found.values())
        return {note: cosine(self._query, note_vector(rows)) for note, rows in found.items()}


def note_vector(rows: Vectors) -> Vectors:
    """Return the mean of a note's vectors, each scaled to unit length.

    >>> note_vector(np.array([[2, 0], [0, 8]], dtype=np.float32)).tolist()
    [0.5, 0.5]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    mean: Vectors = (rows / np.where(lengths > 0, lengths, 1)).sum(axis=0) / max(len(rows), 1)
    return mean


def cosine(one: Vectors, other: Vectors) -> float:
    """Return the cosine of two vectors; 0, if one of them is zero.

    >>> cosine(np.array([3, 4], dtype=np.float32), np.array([0, 2], dtype=np.float32))
    0.8
    """
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return round(float(one @ other) / lengths, 6) if lengths else 0.0


def traverse(start: str, source: WalkSource, rules: TraverseRules, query: Vectors | None = None) -> Trail:
    """Walk from a note along its links, near the query; without one, near the note itself."""
    near_to = note_vector(source.vectors([start], rules.vectors)[start]) if query is None else query
    return walk([start], Likeness(source, near_to), source, rules)


def walk(
    starts: Sequence[str], likeness: Likeness, source: WalkSource, rules: TraverseRules, reason: str = START
) -> Trail:
    """Walk from the starts, hop by hop, and keep the near notes; the starts are always kept."""
    near = likeness.of(starts, rules.vectors)
    visits = [Reached(note, near[note], reason) for note in starts]
    frontier = sorted(visits, key=lambda visit: -visit.similarity)
    reached, ended, floor = set(starts), "", rules.floor
    for hop in range(1, rules.hops + 1):
        seen = {visit.note for visit in visits}
        ahead = {note: step for note, step in _steps(frontier, source) if note not in seen}
        reached |= ahead.keys()
        near = likeness.of(list(ahead), rules.room(likeness.vectors, hop))
        if hop == 1:
            floor = rules.floor_by(max((*near.values(), *(visit.similarity for visit in visits)), default=0.0))
        judged = _judged(ahead, hop, near, floor=floor, room=rules.places(_count(visits)))
        visits += judged
        frontier = [visit for visit in judged if visit.kept]
        ended = _why_ended(visits, frontier, bool(ahead), rules)
        if ended:
            break
    return Trail(
        tuple(visits), likeness.vectors, len(reached) - len(visits), ended or f"after {rules.hops} hops", floor
    )


def _steps(frontier: Sequence[Reached], source: WalkSource) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the neighbours of the frontier, each with the note before it and the way; in turns, so that no hub wins."""
    led: dict[str, tuple[str, str]] = {}
    lists = [[(note, (visit.note, way)) for note, way in source.neighbours(visit.note).items()] for visit in frontier]
    for step in chain.from_iterable(zip_longest(*lists)):
        if step is not None and step[0] not in led:
            led[step[0]] = step[1]
            yield step


def _judged(
    ahead: Mapping[str, tuple[str, str]], hop: int, near: Mapping[str, float], *, floor: float, room: int
) -> list[Reached]:
    """Return the notes that were compared, the nearest first: kept if near enough, as long as there is room."""
    visits = []
    for place, note in enumerate(sorted(near, key=lambda note: -near[note])):
        reason = BELOW if near[note] < floor else ABOVE if place < room else OVERFLOW
        via, way = ahead[note]
        visits.append(Reached(note, near[note], reason, hop, via, way))
    return visits


def _why_ended(visits: Sequence[Reached], frontier: Sequence[Reached], any_ahead: bool, rules: TraverseRules) -> str:
    """Return why the walk ends here; empty, if it goes on."""
    if not any_ahead:
        return "no links lead on"
    if not frontier:
        return "nothing near enough is linked"
    found = [visit.similarity for visit in visits if visit.reason == ABOVE]
    if rules.enough and len(found) >= rules.enough.notes and sum(found) / len(found) >= rules.enough.mean:
        return "enough near notes"
    return ""


def _count(visits: Sequence[Reached]) -> int:
    return sum(visit.kept for visit in visits)

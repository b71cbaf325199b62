"""A walk along links to similar notes: a few hops, the nearest few notes of each, the rest pruned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

import numpy as np

from notewell.errors import SettingsError
from notewell.types.note import Vectors
from notewell.types.notices import Notice

# Reasons for keeping and for dropping a note.
START = "start"
SEED = "seed"
ABOVE = "above_prune_floor"
DESPITE_DECAY = "kept_despite_decay_zero"
BELOW = "below_prune_threshold"
OVERFLOW = "beam_overflow"
KEPT = (START, SEED, ABOVE, DESPITE_DECAY)
# The same in words.
PLAIN = {
    ABOVE: "near enough",
    DESPITE_DECAY: "near enough, though nothing is left of it by age",
    BELOW: "too far",
    OVERFLOW: "no room among the nearest",
}
# A smaller share of a score counts as nothing: after seven half-lives, or if a setting says 0.
NOTHING_LEFT = 0.01


class Enough(NamedTuple):
    """When a walk has found enough: a number of notes with a mean similarity."""

    notes: int
    mean: float


class Lowered(NamedTuple):
    """A relative floor: a share of the similarity of the nearest note among the start and its neighbours."""

    share: float
    least: float


@dataclass(frozen=True, slots=True)
class WalkRules:
    """How far a walk goes: its hops, the notes each hop keeps, their least similarity, and the vectors it reads.

    It ends early once it has `enough`, and keeps at most `cap` notes. The floor may be `lowered` if all notes are far.
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
        """Return how many vectors a hop may read after those read before: two thirds of the rest, the last hop all.

        With half of the rest, a walk keeps fewer of the notes that a walk without a limit keeps; with all of it, the
        walk often ends after the first hop.
        """
        left = max(self.vectors - read, 0)
        return left if hop == self.hops else left * 2 // 3

    def floor_by(self, nearest: float) -> float:
        """Return the floor, given the similarity of the nearest note among the start and its neighbours."""
        if self.lowered is None:
            return self.floor
        return max(self.lowered.least, min(self.floor, self.lowered.share * nearest))

    def places(self, kept: int) -> int:
        """Return how many notes a hop may keep when this many are kept already."""
        return self.beam if self.cap is None else min(self.beam, self.cap - kept)


FAST = WalkRules()
# A query is short, and farther from a note than another note on the same subject: 0.50 prunes everything in two walks
# of three. Below 0.15 notes are unrelated: of queries from another vault, one in twelve keeps anything.
BY_QUERY = replace(FAST, lowered=Lowered(0.7, 0.15))


def walk_rules(depth: int | None, floor: float | None, *, with_query: bool) -> WalkRules:
    """Return the rules of a walk with this depth and floor; None takes the default."""
    if depth is not None and not 1 <= depth <= FAST.hops:
        raise SettingsError(f"A walk cannot go {depth} hops", f"Choose a depth from 1 to {FAST.hops}")
    # Written so that NaN is refused too.
    if floor is not None and not -1 <= floor <= 1:
        raise SettingsError(f"A floor of {floor:g} is not a similarity", "Choose a floor from -1 to 1, such as 0.3")
    rules = BY_QUERY if with_query else FAST
    rules = replace(rules, hops=FAST.hops if depth is None else depth)
    return rules if floor is None else replace(rules, floor=floor, lowered=None)


class Ground(Protocol):
    """The source of a walk, with notes by path: which notes are linked, and the vectors of single notes."""

    def neighbours(self, note: str) -> Mapping[str, str]:
        """Return the linked notes, the most central first: linked to (`→`), linked from (`←`), or both (`↔`)."""

    def vectors(self, notes: Sequence[str], room: int) -> Mapping[str, Vectors]:
        """Return chunk vectors of the first of these notes, at most this many in all, at least one of each note."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A note that a walk looked at: its similarity, how it was reached, and why it was kept or dropped."""

    note: str
    similarity: float
    reason: str
    hop: int = 0
    via: str = ""
    way: str = ""
    decay: float = 1.0

    @property
    def kept(self) -> bool:
        """Return whether the note was kept."""
        return self.reason in KEPT

    @property
    def decay_zero(self) -> bool:
        """Return whether the note's age leaves practically nothing of its score."""
        return self.decay < NOTHING_LEFT

    @property
    def plainly(self) -> str:
        """Return in words why the note was kept or dropped."""
        return PLAIN.get(self.reason, self.reason)


@dataclass(frozen=True, slots=True)
class Walk:
    """Every note that a walk looked at, hop by hop, the nearest first; the vectors it read, and why it ended.

    `unseen` counts the neighbours that no hop had room for, `floor` is the least similarity of the kept notes, and
    `notices` are what the user should know.
    """

    visits: tuple[Visit, ...]
    vectors: int
    unseen: int
    ended: str
    floor: float
    notices: tuple[Notice, ...] = ()

    @property
    def kept(self) -> tuple[Visit, ...]:
        """Return the notes that were kept."""
        return tuple(visit for visit in self.visits if visit.kept)

    @property
    def dropped(self) -> tuple[Visit, ...]:
        """Return the notes that were dropped."""
        return tuple(visit for visit in self.visits if not visit.kept)


class Likeness:
    """Similarities of notes to one vector; fetches the vectors of these notes only, and counts them."""

    def __init__(self, ground: Ground, query: Vectors) -> None:
        self._ground = ground
        self._query = query
        self.vectors = 0

    def of(self, notes: Sequence[str], room: int) -> dict[str, float]:
        """Return the cosines of the first of these notes, as many as this number of vectors allows."""
        found = self._ground.vectors(notes, room)
        self.vectors += sum(len(rows) for rows in found.values())
        return {note: cosine(self._query, note_vector(rows)) for note, rows in found.items()}


def note_vector(rows: Vectors) -> Vectors:
    """Return the mean of a note's vectors, with equal weights.

    >>> note_vector(np.array([[2, 0], [0, 8]], dtype=np.float32)).tolist()
    [0.5, 0.5]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    mean: Vectors = (rows / np.where(lengths > 0, lengths, 1)).mean(axis=0)
    return mean


def cosine(one: Vectors, other: Vectors) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero.

    >>> cosine(np.array([3, 4], dtype=np.float32), np.array([0, 2], dtype=np.float32))
    0.8
    """
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return round(float(one @ other) / lengths, 6) if lengths else 0.0


def traverse(start: str, ground: Ground, rules: WalkRules, query: Vectors | None = None) -> Walk:
    """Walk from a note along its links to notes similar to the query, or without one to the note itself."""
    near_to = note_vector(ground.vectors([start], rules.vectors)[start]) if query is None else query
    return walk([start], Likeness(ground, near_to), ground, rules)


def walk(starts: Sequence[str], likeness: Likeness, ground: Ground, rules: WalkRules, reason: str = START) -> Walk:
    """Walk from the starts, hop by hop, and keep similar notes; the starts are always kept."""
    near = likeness.of(starts, rules.vectors)
    visits = [Visit(note, near[note], reason) for note in starts]
    frontier = sorted(visits, key=lambda visit: -visit.similarity)
    reached, ended, floor = set(starts), "", rules.floor
    for hop in range(1, rules.hops + 1):
        seen = {visit.note for visit in visits}
        ahead = {note: step for note, step in _steps(frontier, ground) if note not in seen}
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
    return Walk(tuple(visits), likeness.vectors, len(reached) - len(visits), ended or f"after {rules.hops} hops", floor)


def _steps(frontier: Sequence[Visit], ground: Ground) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the neighbours of the frontier with the note before and the direction, in turns, so no hub dominates."""
    led: dict[str, tuple[str, str]] = {}
    lists = [[(note, (visit.note, way)) for note, way in ground.neighbours(visit.note).items()] for visit in frontier]
    for step in chain.from_iterable(zip_longest(*lists)):
        if step is not None and step[0] not in led:
            led[step[0]] = step[1]
            yield step


def _judged(
    ahead: Mapping[str, tuple[str, str]], hop: int, near: Mapping[str, float], *, floor: float, room: int
) -> list[Visit]:
    """Return the notes looked at, the nearest first: kept if they are near enough and there is room."""
    visits = []
    for place, note in enumerate(sorted(near, key=lambda note: -near[note])):
        reason = BELOW if near[note] < floor else ABOVE if place < room else OVERFLOW
        via, way = ahead[note]
        visits.append(Visit(note, near[note], reason, hop, via, way))
    return visits


def _why_ended(visits: Sequence[Visit], frontier: Sequence[Visit], any_ahead: bool, rules: WalkRules) -> str:
    """Return why a walk ends; an empty text if it goes on."""
    if not any_ahead:
        return "no links lead on"
    if not frontier:
        return "nothing near enough is linked"
    found = [visit.similarity for visit in visits if visit.reason == ABOVE]
    if rules.enough and len(found) >= rules.enough.notes and sum(found) / len(found) >= rules.enough.mean:
        return "enough near notes"
    return ""


def _count(visits: Sequence[Visit]) -> int:
    return sum(visit.kept for visit in visits)

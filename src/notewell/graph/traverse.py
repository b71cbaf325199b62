"""A walk along links that stays near what is asked for: a few hops, the nearest few notes of each, the rest pruned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Protocol

import numpy as np

from notewell.types import Vectors

# Why a note was kept, and why it was not.
START = "start"
SEED = "seed"
ABOVE = "above_prune_floor"
DESPITE_DECAY = "kept_despite_decay_zero"
BELOW = "below_prune_threshold"
OVERFLOW = "beam_overflow"
KEPT = (START, SEED, ABOVE, DESPITE_DECAY)


@dataclass(frozen=True, slots=True)
class WalkRules:
    """How far a walk goes: the hops, the notes each hop keeps, and the least similarity of these.

    It ends early with so many notes as the `target`, if their mean similarity is `enough`; without that, it goes all
    the way, and keeps no more than the target. A hop looks at so many notes at most: a hub may have thousands.
    """

    hops: int = 4
    beam: int = 5
    floor: float = 0.50
    target: int = 10
    enough: float | None = 0.65
    # Most hops have far fewer: a walk takes about a hundred.
    look: int = 50


FAST = WalkRules()


class Ground(Protocol):
    """What a walk goes over, notes by their paths: who is linked with whom, and the vectors of single notes."""

    def neighbours(self, note: str) -> Mapping[str, str]:
        """Return the notes it links to (`→`), those that link to it (`←`), or both (`↔`); the most central first."""

    def vectors(self, notes: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors of the chunks of each of these notes, a row for each; every note has a chunk."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A note that a walk looked at: how near it is, how it was reached, and why it was kept or not."""

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
        """Tell whether nothing is left of the note's score by its age."""
        return self.decay <= 0


@dataclass(frozen=True, slots=True)
class Walk:
    """Every note a walk looked at, hop by hop, the nearest first; how many vectors that took, and why it ended.

    `unseen` are the neighbours that no hop had room to look at.
    """

    visits: tuple[Visit, ...]
    vectors: int
    unseen: int
    ended: str

    @property
    def kept(self) -> tuple[Visit, ...]:
        """Return the notes that were kept."""
        return tuple(visit for visit in self.visits if visit.kept)

    @property
    def dropped(self) -> tuple[Visit, ...]:
        """Return the notes that were not kept."""
        return tuple(visit for visit in self.visits if not visit.kept)


class Likeness:
    """How near notes are to one vector; fetches the vectors of these notes alone, and counts them."""

    def __init__(self, ground: Ground, query: Vectors) -> None:
        self._ground = ground
        self._query = query
        self.vectors = 0

    def of(self, notes: Sequence[str]) -> dict[str, float]:
        """Return the cosine of each note."""
        found = self._ground.vectors(notes)
        self.vectors += sum(len(rows) for rows in found.values())
        return {note: cosine(self._query, note_vector(found[note])) for note in notes}


def note_vector(rows: Vectors) -> Vectors:
    """Return the mean of a note's vectors, each of which counts alike.

    >>> note_vector(np.array([[2, 0], [0, 8]], dtype=np.float32)).tolist()
    [0.5, 0.5]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    mean: Vectors = (rows / np.where(lengths > 0, lengths, 1)).mean(axis=0)
    return mean


def cosine(one: Vectors, other: Vectors) -> float:
    """Return how far two vectors point the same way; 0, if one of them points nowhere.

    >>> cosine(np.array([3, 4], dtype=np.float32), np.array([0, 2], dtype=np.float32))
    0.8
    """
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return round(float(one @ other) / lengths, 6) if lengths else 0.0


def traverse(start: str, ground: Ground, rules: WalkRules, query: Vectors | None = None) -> Walk:
    """Walk from a note along its links, near the query; without one, near the note itself."""
    near_to = note_vector(ground.vectors([start])[start]) if query is None else query
    return walk([start], Likeness(ground, near_to), ground, rules)


def walk(starts: Sequence[str], likeness: Likeness, ground: Ground, rules: WalkRules, reason: str = START) -> Walk:
    """Walk from the starts, hop by hop, and keep what is near; the starts are kept, however near they are."""
    near = likeness.of(starts)
    visits = [Visit(note, near[note], reason) for note in starts]
    frontier = sorted(visits, key=_nearest_first)
    reached, ended = set(starts), f"after {rules.hops} hops"
    for hop in range(1, rules.hops + 1):
        seen = {visit.note for visit in visits}
        ahead = {note: step for note, step in _steps(frontier, ground) if note not in seen}
        reached |= ahead.keys()
        if not ahead:
            ended = "no links lead on"
            break
        room = rules.beam if rules.enough is not None else min(rules.beam, rules.target - _count(visits))
        judged = _judged(dict(islice(ahead.items(), rules.look)), hop, likeness, floor=rules.floor, room=room)
        visits += judged
        frontier = [visit for visit in judged if visit.kept]
        if not frontier:
            ended = "nothing near enough is linked"
            break
        if _is_enough([visit for visit in visits if visit.reason == ABOVE], rules):
            ended = "enough near notes"
            break
    return Walk(tuple(visits), likeness.vectors, len(reached) - len(visits), ended)


def _steps(frontier: Sequence[Visit], ground: Ground) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the neighbours of the frontier with who leads there and how, in turns, so that no hub crowds others out."""
    led: dict[str, tuple[str, str]] = {}
    lists = [[(note, (visit.note, way)) for note, way in ground.neighbours(visit.note).items()] for visit in frontier]
    for step in chain.from_iterable(zip_longest(*lists)):
        if step is not None and step[0] not in led:
            led[step[0]] = step[1]
            yield step


def _judged(
    ahead: Mapping[str, tuple[str, str]], hop: int, likeness: Likeness, *, floor: float, room: int
) -> list[Visit]:
    """Return the notes ahead, the nearest first: kept as long as there is room, and if they are near enough."""
    near = likeness.of(list(ahead))
    visits = []
    for place, note in enumerate(sorted(ahead, key=lambda note: -near[note])):
        reason = BELOW if near[note] < floor else ABOVE if place < room else OVERFLOW
        via, way = ahead[note]
        visits.append(Visit(note, near[note], reason, hop, via, way))
    return visits


def _is_enough(found: Sequence[Visit], rules: WalkRules) -> bool:
    if rules.enough is None or len(found) < rules.target:
        return False
    return sum(visit.similarity for visit in found) / len(found) >= rules.enough


def _count(visits: Sequence[Visit]) -> int:
    return sum(visit.kept for visit in visits)


def _nearest_first(visit: Visit) -> float:
    return -visit.similarity

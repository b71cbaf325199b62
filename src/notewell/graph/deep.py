"""Deep mode: from the best notes of a search far along their links, and everything that was found says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from notewell.graph.traverse import ABOVE, DESPITE_DECAY, SEED, Ground, Likeness, Visit, Walk, WalkRules, walk
from notewell.types import Vectors

# The notes of a search that deep mode begins with.
SEEDS = 8
# Wide: a low floor that only drops noise, and no early end. What is found is judged by who reads it.
DEEP = WalkRules(hops=4, beam=12, floor=0.30, target=50, enough=None, look=400)


def deepen(seeds: Sequence[str], query: Vectors, ground: Ground, rules: WalkRules = DEEP) -> Walk:
    """Walk from the seeds, the best first, near the query."""
    return walk(seeds[:SEEDS], Likeness(ground, query), ground, rules, SEED)


def with_decay(found: Walk, decay: Mapping[str, float]) -> Walk:
    """Return the walk with what age leaves of each note's score: told, but nothing is dropped for it."""
    return replace(found, visits=tuple(_aged(visit, decay.get(visit.note, 1.0)) for visit in found.visits))


def _aged(visit: Visit, decay: float) -> Visit:
    reason = DESPITE_DECAY if visit.reason == ABOVE and decay <= 0 else visit.reason
    return replace(visit, decay=decay, reason=reason)

"""Deep mode: from the best notes of a search far along their links, and everything that was found says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from notewell.graph.ground import StoredGround
from notewell.graph.traverse import ABOVE, DESPITE_DECAY, SEED, Ground, Likeness, Visit, Walk, WalkRules, walk
from notewell.store import Snapshot
from notewell.types import Hit, Results, Step, Vectors

# The notes of a search that deep mode begins with.
SEEDS = 8
# The hits in which these are looked for: a note may have several.
SEED_HITS = 24
# Wide: a low floor that only drops noise, and no early end. What is found is judged by who reads it.
DEEP = WalkRules(hops=4, beam=12, floor=0.30, target=50, enough=None, look=400)


@dataclass(frozen=True, slots=True)
class Deep:
    """What deep mode found: a hit for each note that was kept, seeds first, and the walk with what was dropped."""

    results: Results
    walk: Walk

    @property
    def visits(self) -> dict[str, Visit]:
        """Return how each note of the results was reached, by path."""
        return {visit.note: visit for visit in self.walk.kept}


def deepen(seeds: Sequence[str], query: Vectors, ground: Ground, rules: WalkRules = DEEP) -> Walk:
    """Walk from the seeds, the best first, near the query."""
    return walk(seeds[:SEEDS], Likeness(ground, query), ground, rules, SEED)


def with_decay(found: Walk, decay: Mapping[str, float]) -> Walk:
    """Return the walk with what age leaves of each note's score: told, but nothing is dropped for it."""
    return replace(found, visits=tuple(_aged(visit, decay.get(visit.note, 1.0)) for visit in found.visits))


def as_hits(
    found: Walk, seeds: Mapping[str, Hit], query: Vectors, ground: StoredGround, snapshot: Snapshot
) -> list[Hit]:
    """Return a hit for each note that was kept: the seeds as they were found, then the nearest lines of the others.

    A note that links led to, and not the query, comes behind every seed: it has the last seed's score, by similarity.
    """
    first = [visit for visit in found.kept if visit.reason == SEED]
    last = min((seeds[seed.note].score for seed in first), default=1.0)
    others = sorted((visit for visit in found.kept if visit.reason != SEED), key=lambda visit: -visit.similarity)
    chunks = snapshot.chunks([ground.nearest_chunk(visit.note, query) for visit in others])
    led = [
        Hit(chunk, score := last * max(visit.similarity, 0.0), {}, (Step("links", told(visit), score),))
        for visit, chunk in zip(others, chunks, strict=True)
    ]
    return [*(seeds[seed.note].rescored(seeds[seed.note].score, by="deep", why=told(seed)) for seed in first), *led]


def unranked(found: Walk, ground: StoredGround, query: Vectors, snapshot: Snapshot) -> list[Hit]:
    """Return the kept notes as hits of score 1: what a ranker leaves of that is its factor."""
    chunks = snapshot.chunks([ground.nearest_chunk(visit.note, query) for visit in found.kept])
    return [Hit(chunk, 1.0, {}) for chunk in chunks]


def told(visit: Visit) -> str:
    """Return how a note was reached, and why it was kept or not.

    >>> told(Visit("b.md", 0.412, ABOVE, hop=2, via="a.md", way="←"))
    'hop 2 ← a.md, similarity 0.41, above_prune_floor'
    """
    reached = f"hop {visit.hop} {visit.way} {visit.via}, " if visit.via else ""
    decay = f", decay {visit.decay:.2g}" if visit.decay != 1 else ""
    return f"{reached}similarity {visit.similarity:.2f}{decay}, {visit.reason}"


def _aged(visit: Visit, decay: float) -> Visit:
    reason = DESPITE_DECAY if visit.reason == ABOVE and decay <= 0 else visit.reason
    return replace(visit, decay=decay, reason=reason)

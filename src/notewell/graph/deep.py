"""Deep search: from the best notes of a search far along their links; every note that was found says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from math import floor

from notewell.graph.traverse import (
    ABOVE,
    DESPITE_DECAY,
    IN_WORDS,
    SEED,
    Likeness,
    Reached,
    Trail,
    TraverseRules,
    WalkSource,
    walk,
)
from notewell.graph.walk_source import StoredWalkSource
from notewell.store import Snapshot
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk, Vectors
from notewell.types.query import Plan
from notewell.types.results import DeepHit, DeepResults, Hit, Results, Step, Visit

# How many notes of a search a deep search begins with.
SEEDS = 8
# Wide: a low floor that only drops noise, and no early end; the reader judges what is found. It keeps five times as
# many notes as end a walk early, and reads five times the vectors.
DEEP = TraverseRules(hops=4, beam=12, floor=0.30, enough=None, cap=50, vectors=500)
# How a note is linked with the one that led to it.
WAYS = {"→": "linked from", "←": "links to", "↔": "linked both ways with"}


# Lowers candidates by the age of their notes.
Decay = Callable[[Plan, Sequence[Candidate]], Sequence[Candidate]]


class DeepWalk:
    """Follows links from the best candidates of one search, and remembers how it reached each note.

    `decay` makes the ranker by age for a state of the store.
    """

    def __init__(self, decay: Callable[[Snapshot], Decay]) -> None:
        self._decay = decay
        self._trail = Trail((), 0, 0, "", DEEP.floor)

    def __call__(
        self, plan: Plan, candidates: Sequence[Candidate], vector: Vectors, store: Snapshot
    ) -> list[Candidate]:
        """Return a candidate for each note that the walk keeps, the seeds first."""
        # The first candidate of a note is its best.
        seeds = {candidate.chunk.path: candidate for candidate in reversed(candidates)}
        source = StoredWalkSource(store, plan.scope)
        trail = deepen(list(dict.fromkeys(candidate.chunk.path for candidate in candidates)), vector, source)
        chunks = kept_chunks(trail, seeds, vector, source, store)
        # What age leaves of 1 is its factor.
        aged = self._decay(store)(plan, [Candidate(chunks[visit.note], 1.0) for visit in trail.kept])
        self._trail = with_decay(trail, {one.chunk.path: one.score for one in aged})
        return as_candidates(self._trail, seeds, chunks)

    def results(self, found: Results) -> DeepResults:
        """Return the results of the search with how each hit was reached, and the notes that the walk dropped."""
        return deep_results(found, self._trail)


def deepen(seeds: Sequence[str], query: Vectors, source: WalkSource) -> Trail:
    """Walk from the seeds, the best first, near the query."""
    return walk(seeds[:SEEDS], Likeness(source, query), source, DEEP, SEED)


def with_decay(found: Trail, decay: Mapping[str, float]) -> Trail:
    """Return the trail with what age leaves of each note's score; it is shown, but drops no note."""
    return replace(found, visits=tuple(_aged(visit, decay.get(visit.note, 1.0)) for visit in found.visits))


def kept_chunks(
    found: Trail, seeds: Mapping[str, Candidate], query: Vectors, source: StoredWalkSource, snapshot: Snapshot
) -> dict[str, Chunk]:
    """Return the chunk to show of each note that was kept: of a seed the one found, of others the nearest."""
    led = [visit.note for visit in found.kept if visit.note not in seeds]
    nearest = list(snapshot.chunks([source.nearest_chunk(note, query) for note in led]).values())
    return {note: hit.chunk for note, hit in seeds.items()} | dict(zip(led, nearest, strict=True))


def as_candidates(found: Trail, seeds: Mapping[str, Candidate], chunks: Mapping[str, Chunk]) -> list[Candidate]:
    """Return a candidate for each note that was kept: the seeds as they were found, then the nearest of the others.

    Notes that only links led to come behind every seed: they have the last seed's score, times their similarity.
    """
    first = [visit for visit in found.kept if visit.reason == SEED]
    last = min((seeds[seed.note].score for seed in first), default=1.0)
    others = sorted((visit for visit in found.kept if visit.reason != SEED), key=lambda visit: -visit.similarity)
    led = [
        Candidate(
            chunks[visit.note], score := last * max(visit.similarity, 0.0), (Step("links", describe(visit), score),)
        )
        for visit in others
    ]
    return [*(seeds[seed.note].rescored(seeds[seed.note].score, by="deep", why=describe(seed)) for seed in first), *led]


def describe(visit: Reached) -> str:
    """Return how a note was reached, and why it was kept or not.

    >>> describe(Reached("b.md", 0.412, ABOVE, hop=2, via="a.md", way="←"))
    'hop 2, links to a.md, similarity 0.41, near enough'
    """
    decay = f", decay {visit.decay:.2g}" if visit.decay != 1 else ""
    return f"{_way_to(visit)}{decay}, {IN_WORDS.get(visit.reason, visit.reason)}"


def describe_drop(visit: Visit) -> str:
    """Return how a dropped note was reached, and why it was dropped.

    >>> describe_drop(Visit("b.md", 0.2999, 1, "a.md", "→", False, drop_reason="below_prune_threshold"))
    'hop 1, linked from a.md, similarity 0.29, too far'
    """
    reason = str(visit.drop_reason)
    return f"{_way_to(visit)}, {IN_WORDS.get(reason, reason)}"


def _way_to(visit: Reached | Visit) -> str:
    reached = f"hop {visit.hop}, {WAYS[visit.way]} {visit.via}, " if visit.via else ""
    # Cut, not rounded: what is below the floor, which has two digits, never looks as if it reached it.
    return f"{reached}similarity {floor(visit.similarity * 100 + 1e-6) / 100:.2f}"


def _aged(visit: Reached, decay: float) -> Reached:
    aged = replace(visit, decay=decay)
    return replace(aged, reason=DESPITE_DECAY) if aged.decay_zero and visit.reason == ABOVE else aged


def deep_results(found: Results, trail: Trail) -> DeepResults:
    """Return results as deep results: each hit with how it was reached, and the notes that were dropped."""
    visits = {visit.note: visit for visit in trail.kept}
    plain = {field.name: getattr(found, field.name) for field in fields(found)}
    plain["hits"] = tuple(_deep_hit(hit, visits[hit.path]) for hit in found)
    return DeepResults(
        **plain,
        dropped=tuple(visit.as_visit() for visit in trail.dropped),
        notes=len(trail.visits),
        vectors=trail.vectors,
        unseen=trail.unseen,
    )


def _deep_hit(hit: Hit, visit: Reached) -> DeepHit:
    return DeepHit(
        **{field.name: getattr(hit, field.name) for field in fields(hit)},
        similarity=round(visit.similarity, 4),
        hop=visit.hop,
        via=visit.via,
        way=visit.way,
        retain_reason=visit.reason,
        decay_weight=round(visit.decay, 4),
        decay_zero=visit.decay_zero,
    )

"""Fused chunks as candidates, read from the store, and candidates as the hits that a caller gets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from notewell.names.addresses import Addresses
from notewell.search.fuse import Fused, SearchRules, best_of, cast_votes
from notewell.store import Matching
from notewell.types.candidates import Candidate, Ranking
from notewell.types.results import Excerpt, Hit, Step


def make_candidates(fused: Fused, rankings: Sequence[Ranking], store: Matching, rules: SearchRules) -> list[Candidate]:
    """Return the best of the fused chunks as candidates, the best first."""
    ids = best_of(fused, rules.reach)
    votes = cast_votes(rankings, rules, ids)
    candidates = [
        Candidate(chunk, fused[chunk_id].score, trace=(fused[chunk_id],), votes=votes[chunk_id])
        for chunk_id, chunk in store.chunks(ids).items()
    ]
    return sorted(candidates, key=best_first)


def best_first(candidate: Candidate) -> tuple[float, str, int, int]:
    """Return what candidates are sorted by: the highest score first, equal ones in the order of path and line."""
    return -candidate.score, candidate.chunk.path, candidate.chunk.line, candidate.chunk.start


def make_hit(candidate: Candidate, excerpt: Excerpt, addresses: Addresses, *, explain: bool) -> Hit:
    """Return the hit for a candidate; `explain` adds its votes, and the factor of each step."""
    chunk = candidate.chunk
    return Hit(
        path=chunk.path,
        line=chunk.line,
        end_line=chunk.end_line,
        place=chunk.place,
        heading=chunk.heading,
        title=chunk.title,
        score=round(candidate.score, 6),
        text=chunk.text,
        also=candidate.also,
        retrievers=candidate.ranks,
        trace=_trace(candidate.trace, explain=explain),
        excerpt=excerpt,
        uri=addresses.of_chunk(chunk),
        votes=candidate.votes if explain else None,
    )


def _trace(steps: Sequence[Step], *, explain: bool) -> tuple[Step, ...]:
    if not explain:
        return tuple(Step(step.by, step.why, round(step.score, 6)) for step in steps)
    scores = [step.score for step in steps]
    factors = [None, *(after / before if before else None for before, after in pairwise(scores))]
    return tuple(
        Step(step.by, step.why, round(step.score, 6), factor) for step, factor in zip(steps, factors, strict=False)
    )

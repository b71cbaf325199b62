"""Fused chunks as hits: read from the store, with what every ranking says of them."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.search.fuse import Fused, SearchRules, best_of, cast_votes
from notewell.store import Matching
from notewell.types.results import Hit, Ranking


def make_hits(fused: Fused, rankings: Sequence[Ranking], store: Matching, rules: SearchRules) -> list[Hit]:
    """Return the best of the fused chunks as hits, the best first."""
    ids = best_of(fused, rules.reach)
    votes = cast_votes(rankings, rules, ids)
    hits = [
        Hit(chunk, fused[chunk_id].score, trace=(fused[chunk_id],), votes=votes[chunk_id])
        for chunk_id, chunk in store.chunks(ids).items()
    ]
    return sorted(hits, key=best_first)


def best_first(hit: Hit) -> tuple[float, str, int, int]:
    """Return what hits are sorted by: the highest score first, equal ones in the order of path and line."""
    return -hit.score, hit.chunk.path, hit.chunk.line, hit.chunk.start

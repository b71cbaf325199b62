"""READ: a text into excerpts of the chunks that answer it, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from notewell.embed import Embedder
from notewell.search.budget import context, fit, frame
from notewell.search.excerpt import make_excerpt
from notewell.search.fuse import Fused, Weights, fusion
from notewell.search.plan import make_plan
from notewell.search.retrieve import retrieve
from notewell.store import Snapshot
from notewell.types import EVERYTHING, Excerpt, Hit, Plan, Ranking, Scope

__all__ = ["Ranker", "Searching", "Weights", "context", "find_hits", "make_plan", "search"]

Ranker = Callable[[Plan, Sequence[Hit]], list[Hit]]


@dataclass(frozen=True, slots=True)
class Searching:
    """How rankings become a page: how deep they go, the fusion and its weights, the rankers in order, the size."""

    candidates: int = 30
    fusion: str = "scores"
    weights: Weights = Weights()
    rankers: tuple[Ranker, ...] = ()
    limit: int = 10
    max_tokens: int = 0


def search(
    text: str, *, store: Snapshot, embedder: Embedder | None, searching: Searching, scope: Scope = EVERYTHING
) -> list[Excerpt]:
    """Find the lines that answer the text, the best first."""
    plan = make_plan(text, scope)
    hits = find_hits(plan, store=store, embedder=embedder, searching=searching)
    return [make_excerpt(hit, plan) for hit in fit(hits, searching.max_tokens, frame=frame)]


def find_hits(plan: Plan, *, store: Snapshot, embedder: Embedder | None, searching: Searching) -> list[Hit]:
    """Return the chunks that answer the plan, the best first."""
    reach = max(searching.candidates, searching.limit)
    rankings = retrieve(plan, store, embedder, reach=reach, weights=searching.weights)
    fused = fusion(searching.fusion)(rankings, searching.weights)
    # Without rankers to change the order, only the page itself is fetched.
    kept = sorted(fused, key=lambda chunk: -fused[chunk].score)[: None if searching.rankers else searching.limit]
    hits = _hits(kept, fused, rankings, store)
    for ranker in searching.rankers:
        hits = sorted(ranker(plan, hits), key=_best_first)
    return hits[: searching.limit]


def _hits(kept: Sequence[int], fused: Fused, rankings: Sequence[Ranking], store: Snapshot) -> list[Hit]:
    """Return the chunks as hits, best first; equal scores in the order of path and line."""
    ranks = {
        ranking.retriever: {chunk: rank for rank, (chunk, _) in enumerate(ranking.candidates, start=1)}
        for ranking in rankings
    }
    hits = [
        Hit(
            chunk=chunk,
            score=fused[slot].score,
            ranks={name: ranks.get(name, {}).get(slot) for name in ("lexical", "vector")},
            trace=(fused[slot],),
        )
        for slot, chunk in zip(kept, store.chunks(kept), strict=True)
    ]
    return sorted(hits, key=_best_first)


def _best_first(hit: Hit) -> tuple[float, str, int, int]:
    return -hit.score, hit.chunk.path, hit.chunk.line, hit.chunk.start

"""Two retrievers side by side: by words and by meaning."""

from __future__ import annotations

from dataclasses import replace

from notewell.embed import Embedder
from notewell.search.fuse import Weights
from notewell.store import Snapshot
from notewell.types import Plan, Ranking

# Rankings go deeper than their candidates, so that a chunk that one retriever puts forward has a score
# from the other too, and so that the worst of them is a fair zero. 100 and 400 were no better.
DEPTH = 300


def retrieve(plan: Plan, store: Snapshot, embedder: Embedder | None, *, reach: int, weights: Weights) -> list[Ranking]:
    """Return what each retriever that counts found; without an embedder, the lexical one alone."""
    rankings = []
    if weights.lexical or embedder is None:
        rankings.append(store.matching(plan.terms, plan.scope, max(reach, DEPTH)))
    if weights.vector and embedder is not None and plan.text:
        vector = embedder.embed([plan.text])[0]
        rankings.append(store.nearest(vector, plan.scope, max(reach, DEPTH)))
    return [replace(ranking, reach=reach) for ranking in rankings]

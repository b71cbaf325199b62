"""Two retrievers side by side: by words and by meaning."""

from __future__ import annotations

from dataclasses import replace

from notewell.embed import Embedder
from notewell.store import Snapshot
from notewell.types import Plan, Ranking

# Rankings go this many times deeper than their candidates, so that a chunk that one retriever
# puts forward nearly always has a score from the other too.
DEPTH = 10


def retrieve(plan: Plan, store: Snapshot, embedder: Embedder | None, *, reach: int) -> list[Ranking]:
    """Return what each retriever found; without an embedder, the lexical one alone."""
    rankings = [store.matching(plan.terms, plan.scope, reach * DEPTH)]
    if embedder is not None and plan.text:
        vector = embedder.embed([plan.text])[0]
        rankings.append(store.nearest(vector, plan.scope, reach * DEPTH))
    return [replace(ranking, reach=reach) for ranking in rankings]

"""Two retrievers side by side: by words and by meaning."""

from __future__ import annotations

from dataclasses import replace

from notewell.embed import Embedder, check_length
from notewell.redact import redact_text
from notewell.search.fuse import SearchRules
from notewell.store import Snapshot
from notewell.types import Plan, Ranking

# Rankings go deeper than their candidates, so that a chunk that one retriever puts forward has a score
# from the other too, and so that the worst of them is a fair zero. 100 and 400 were no better.
DEPTH = 300


def retrieve(plan: Plan, store: Snapshot, embedder: Embedder | None, rules: SearchRules) -> list[Ranking]:
    """Return what each retriever that counts found; without an embedder, the lexical one alone."""
    depth = max(rules.reach, DEPTH)
    rankings = []
    if rules.lexical_weight or embedder is None:
        rankings.append(store.matching(plan.terms, plan.scope, depth))
    if rules.vector_weight and embedder is not None and plan.text:
        # A query may go to a server, as notes do: without what no store may hold.
        vector = embedder.embed_query(redact_text(plan.text)[0])
        rankings.append(store.nearest(check_length(vector, store.dimensions, embedder), plan.scope, depth))
    return [replace(ranking, reach=rules.reach) for ranking in rankings]

"""Two retrievers side by side: by words and by meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from notewell.embed import Embedder, check_length
from notewell.embed.unit import unit
from notewell.redact import redact_text
from notewell.search.fuse import SearchRules
from notewell.store import Snapshot
from notewell.types import Plan, Ranking, Vectors

# Rankings go deeper than their candidates, so that a chunk that one retriever puts forward has a score
# from the other too, and so that the worst of them is a fair zero. 100 and 400 were no better.
DEPTH = 300


def retrieve(plan: Plan, store: Snapshot, embedder: Embedder | None, rules: SearchRules) -> list[Ranking]:
    """Return what each retriever that counts and is asked found; where there is no vector, the lexical one alone."""
    depth = max(rules.reach, DEPTH)
    rankings = []
    by_meaning = rules.vector_weight and embedder is not None and (plan.text or plan.passage)
    if (rules.lexical_weight and plan.by_words) or not by_meaning:
        rankings.append(store.matching(plan.terms, plan.scope, depth))
    if by_meaning and embedder is not None:
        vector = check_length(embed_plan(plan, embedder), store.dimensions, embedder)
        rankings.append(store.nearest(vector, plan.scope, depth))
    return [replace(ranking, reach=rules.reach) for ranking in rankings]


def embed_plan(plan: Plan, embedder: Embedder) -> Vectors:
    """Return the vector of what is asked for: of the text as a query, of the passage as a note, or between both."""
    if not plan.passage:
        return embedder.embed_query(plan.text)
    like: Vectors = embedder.embed([plan.passage])[0]
    between: Vectors = unit((embedder.embed_query(plan.text) + like)[np.newaxis])[0] if plan.text else like
    return between


def without_secrets(plan: Plan) -> Plan:
    """Return the plan as it may go to a server: like notes, without what no store may hold."""
    return replace(plan, text=redact_text(plan.text)[0], passage=redact_text(plan.passage)[0])

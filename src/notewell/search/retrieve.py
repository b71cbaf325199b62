"""Retrievers side by side: by words, by strings as they are written, and by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from notewell.embed import Embedder, check_length, is_instant
from notewell.embed.vectors import unit
from notewell.errors import EmbedError
from notewell.redact import redact_text
from notewell.search.exact import find_verbatim
from notewell.search.fuse import SearchRules
from notewell.search.related import liked
from notewell.store import Snapshot
from notewell.types.candidates import Ranking
from notewell.types.note import Vectors
from notewell.types.query import Plan

# Rankings go deeper than their candidates, so that a chunk that one retriever puts forward has a score
# from the other too, and so that the worst of them is a fair zero. 100 and 400 were no better.
DEPTH = 300
# What the liked chunks count beside the query: half of the direction is theirs. With it, half a title and a linked note
# find the note meant at MRR .361 instead of .316 (214 of 13,416 notes) and .537 instead of .479 (184 of 348). Larger
# values find a few more of these, and less of what was asked for.
LEANING = 1.0


def retrieve(plan: Plan, store: Snapshot, embedder: Embedder | None, rules: SearchRules) -> list[Ranking]:
    """Return what each retriever that counts and is asked found; where there is no vector, the lexical one alone."""
    depth = max(rules.reach, DEPTH)
    rankings = []
    by_meaning = rules.vector_weight and embedder is not None and (plan.text or plan.passage or plan.like)
    if (rules.lexical_weight and plan.by_words) or not by_meaning:
        rankings.append(store.match(written_terms(plan), plan.scope, depth, stand_ins=plan.stand_ins))
        rankings += find_verbatim(plan, store)
    if by_meaning and embedder is not None:
        vector = embed_checked(plan, embedder, store)
        rankings.append(store.nearest(vector, plan.scope, depth))
    return [replace(ranking, reach=rules.reach) for ranking in rankings]


def written_terms(plan: Plan) -> list[str]:
    """Return the terms that were asked for, without those that only stand in for one."""
    standing_in = {term for terms in plan.stand_ins.values() for term in terms}
    return [term for term in plan.terms if term not in standing_in or term in plan.stand_ins]


def embed_plan(plan: Plan, embedder: Embedder, like: Vectors | None = None) -> Vectors:
    """Return the vector of what is asked for: of the text as a query, of the passage as a note, or between all.

    It leans to what it should be `like`, or is that, where nothing else is asked for.
    """
    vectors: list[Vectors] = [embedder.embed([plan.passage])[0]] if plan.passage else []
    if plan.text or (not plan.passage and like is None):
        vectors += [embedder.embed_query(text) for text in (plan.text, *plan.variations)]
    if like is not None:
        vectors += [like * np.float32(LEANING if vectors else 1)]
    # The vector whose cosine with a chunk is, but for scale, the mean of theirs: one search does for all.
    return vectors[0] if len(vectors) == 1 else unit(np.sum(vectors, axis=0, keepdims=True))[0]


def embed_checked(plan: Plan, embedder: Embedder | None, store: Snapshot) -> Vectors:
    """Return the vector of what is asked for; without an embedder whose vectors the store holds, that is an error."""
    if embedder is None:
        raise EmbedError("There are no vectors to compare the query with", "Run `notewell index`, or search by words")
    return check_length(embed_plan(plan, embedder, liked(plan, store)), store.state.made_for.dimensions, embedder)


def without_secrets(plan: Plan) -> Plan:
    """Return the plan as it may go to a server: like notes, without what no store may hold."""
    variations = tuple(redact_text(text)[0] for text in plan.variations)
    return replace(plan, text=redact_text(plan.text)[0], passage=redact_text(plan.passage)[0], variations=variations)


def nearness(plan: Plan, embedder: Embedder | None) -> Callable[[Sequence[str]], Vectors] | None:
    """Return what tells how near sentences are to what is asked for; nothing where that would keep a search waiting."""
    if embedder is None or not is_instant(embedder) or not (plan.text or plan.passage):
        return None
    asked = cache(lambda: embed_plan(plan, embedder))
    return lambda texts: embedder.embed(texts) @ asked()

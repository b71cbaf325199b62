"""A search without a vault: a text, a store held open, and what to search it with."""

from __future__ import annotations

from dataclasses import replace

from notewell.embed import Embedder
from notewell.search import Embedders, Ranker, Rules, Searched, SearchRules, search
from notewell.store import Snapshot
from notewell.types.query import Query


def searched(
    query: Query | str,
    store: Snapshot,
    *,
    quick: Embedder | None = None,
    encoder: Embedder | None = None,
    settings: SearchRules | None = None,
    rankers: tuple[Ranker, ...] | None = None,
) -> Searched:
    """Return all that a query finds, weak hits too, with these embedders and settings."""
    rules = Rules(settings or SearchRules(), rankers=rankers)
    return search(replace(Query.of(query), all=True), store=store, embedders=Embedders(quick, encoder), rules=rules)

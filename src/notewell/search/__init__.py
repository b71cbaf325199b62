"""READ: a text into excerpts of the chunks that answer it, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.names.find import chunks_in
from notewell.search.budget import context, fit
from notewell.search.encoder_rerank import Embedders, look_closer, read_query
from notewell.search.excerpt import make_excerpts
from notewell.search.fallback import Found, try_ways
from notewell.search.fuse import SearchRules, fuse
from notewell.search.hits import best_first, make_hits
from notewell.search.intent import suited
from notewell.search.newest import find_newest
from notewell.search.page import choose
from notewell.search.plan import make_plan
from notewell.search.query import Known, read_filters
from notewell.search.rank import Ranker, rankers_for
from notewell.search.rank.ages import Ages
from notewell.search.related import lean_to, plan_related
from notewell.search.retrieve import nearness, retrieve, without_secrets
from notewell.search.spelling import resolve
from notewell.search.variations import vary
from notewell.search.weak_results import find_doubts
from notewell.store import Snapshot
from notewell.types.query import EVERYTHING, Plan, Scope
from notewell.types.results import Hit, Ranking

__all__ = [
    "Ages",
    "Embedders",
    "Found",
    "Known",
    "Ranker",
    "SearchRules",
    "context",
    "find_hits",
    "make_plan",
    "plan_query",
    "read_filters",
    "search",
    "vary",
]


def search(
    text: str,
    *,
    store: Snapshot,
    embedders: Embedders,
    rules: SearchRules,
    scope: Scope = EVERYTHING,
    ages: Ages | None = None,
) -> Found:
    """Find the lines that answer the text, the best first; where a model fails, without it."""
    known = Known(lambda: store.values("key"), ages.today if ages else None, chunks_at=chunks_in(store))
    plan = plan_query(text, scope, known, store)
    plan = vary(plan, embedders.quick) if rules.variations else plan
    found = try_ways(embedders, lambda way: answer(plan, store=store, embedders=way, rules=rules, ages=ages))
    return replace(found, notices=(*found.notices, *find_doubts(found, store, rules)))


def plan_query(text: str, scope: Scope, known: Known, store: Snapshot) -> Plan:
    """Read a query: words that no note has are resolved; of notes to be like, their words make the plan."""
    plan = lean_to(make_plan(text, scope, known), scope.like, store)
    if plan.like and not (plan.text or plan.terms or plan.passage):
        return plan_related(plan, store)
    return resolve(plan, store)


def answer(plan: Plan, *, store: Snapshot, embedders: Embedders, rules: SearchRules, ages: Ages | None = None) -> Found:
    """Find the lines that answer the plan, the best first."""
    hits = find_hits(plan, store=store, embedders=embedders, rules=rules, ages=ages)
    kept = fit(hits, rules.max_tokens)
    excerpts = make_excerpts(kept, plan, nearness(plan, embedders.quick))
    return Found(plan, excerpts, left_out=len(hits) - len(kept))


def find_hits(
    plan: Plan,
    *,
    store: Snapshot,
    embedders: Embedders,
    rules: SearchRules,
    rankers: Sequence[Ranker] | None = None,
    ages: Ages | None = None,
) -> list[Hit]:
    """Return the chunks that answer the plan, the best first; without `ages`, how old they are does not count."""
    rankings: list[Ranking] = []
    rules = suited(rules, plan, by_age=bool(ages and ages.count(plan)))
    if plan.only_filters:
        fused = find_newest(plan, store, rules)
    else:
        plan = without_secrets(plan) if embedders.remote else plan
        query = read_query(plan, store, embedders, rules)
        rankings = retrieve(plan, store, embedders.quick, rules)
        rankings += look_closer(query, rankings, store, embedders, rules) if query else []
        fused = fuse(rankings, rules)
    hits = make_hits(fused, rankings, store, rules)
    for ranker in rankers_for(plan, store, rules, ages) if rankers is None else rankers:
        hits = sorted(ranker(plan, hits), key=best_first)
    return choose(plan, hits, rules.limit)

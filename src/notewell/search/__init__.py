"""READ: a query into the hits that answer it, the best first; the only place where that line is assembled."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from notewell.errors import SettingsError
from notewell.names.find import chunks_in
from notewell.search.budget import context, fit
from notewell.search.encoder_rerank import Embedders, encode_ahead, encoder_rerank
from notewell.search.excerpt import make_excerpts
from notewell.search.fallback import try_without_failing
from notewell.search.fuse import SearchRules, fuse
from notewell.search.hits import best_first, make_candidates, make_hit
from notewell.search.intent import suited
from notewell.search.modes import MEASURING, MODES, ModeRules, Rules
from notewell.search.newest import find_newest
from notewell.search.page import choose
from notewell.search.plan import make_plan, make_scope, readable
from notewell.search.query import Known, read_filters
from notewell.search.rank import Ranker, rankers_for
from notewell.search.related import Encoded, lean_to, plan_related
from notewell.search.relevance import keep_sure, telling_terms
from notewell.search.retrieve import embed_checked, nearness, retrieve, without_secrets
from notewell.search.spelling import resolve
from notewell.search.variations import vary
from notewell.search.weak_results import find_notices
from notewell.store import Snapshot
from notewell.types.candidates import Candidate, Ranking
from notewell.types.query import Filter, Plan, Query
from notewell.types.results import Results

__all__ = [
    "MEASURING",
    "MODES",
    "Embedders",
    "Encoded",
    "Known",
    "ModeRules",
    "Ranker",
    "Rules",
    "SearchRules",
    "Searched",
    "context",
    "make_plan",
    "search",
]


class Searched(NamedTuple):
    """What a search found, the candidates that its hits were made of, and the vectors that the encoder made for it."""

    results: Results
    candidates: list[Candidate]
    encoded: tuple[Encoded, ...] = ()


def search(query: Query, *, store: Snapshot, embedders: Embedders, rules: Rules) -> Searched:
    """Answer a query: READ, from its text to its hits; where a model fails, without it."""
    plan = plan_query(query, store, rules)
    plan = vary(plan, embedders.quick) if rules.settings.variations and rules.mode.variations else plan
    embedders = embedders if rules.mode.encoder else replace(embedders, encoder=None)
    found, failed = try_without_failing(embedders, lambda able: answer(query, plan, store, able, rules))
    return found._replace(results=replace(found.results, notices=(*failed, *found.results.notices)))


def plan_query(query: Query, store: Snapshot, rules: Rules) -> Plan:
    """Return the plan of a query: its text, filters and places are read, and words that no note has resolved."""
    known = (
        Known(lambda: store.values("key"), rules.today, chunks_at=chunks_in(store))
        if rules.mode.syntax
        else Known(syntax=False)
    )
    filters = read_filters(query.filters, Known(today=rules.today))
    filters += (Filter("phrase", (readable(query.containing),)),) if query.containing else ()
    plan = make_plan(query.text, make_scope(query.under, rules.addresses.root, filters), known)
    plan = lean_to(plan, [readable(place) for place in query.places], store)
    says_something = plan.text or plan.terms or plan.passage
    if rules.mode.seeds and not (says_something or plan.like):
        hint = 'For example: `notewell search "bees in winter" --deep --under Garden`'
        raise SettingsError("Deep search needs query text", hint)
    return resolve(plan, store) if says_something or not plan.like else plan_related(plan, store)


def answer(query: Query, plan: Plan, store: Snapshot, embedders: Embedders, rules: Rules) -> Searched:
    """Return the hits that answer a plan, and what was made on the way to them."""
    mode, asked = rules.mode, rules.settings.asking(query.limit, query.max_tokens)
    candidates, encoded = rank(plan, store, embedders, rules, asked)
    if mode.sure:
        terms = telling_terms(query.text)
        rarities = store.counts(terms).rarities(terms)
        candidates = keep_sure(candidates, rarities, query.floor)
    sent = without_secrets(plan) if embedders.remote else plan
    if rules.walk:
        candidates = rules.walk(plan, candidates, embed_checked(sent, embedders.quick, store))[: query.limit]
    page = fit(candidates, asked.max_tokens)
    left_out = len(candidates) - len(page)
    excerpts = make_excerpts(page, plan, nearness(sent, embedders.quick)) if mode.excerpts else []
    results = Results(
        query=query.text,
        hits=tuple(
            make_hit(candidate, excerpt, rules.addresses, explain=query.explain)
            for candidate, excerpt in zip(page, excerpts, strict=mode.excerpts)
        ),
        generation=store.state.generation,
        took_ms=0.0,
        left_out=left_out,
        notices=find_notices(plan, page, left_out, store, asked) if mode.notices else plan.notices,
        read_as=plan.read_as if query.explain else None,
    )
    return Searched(results, page, encoded)


def rank(
    plan: Plan, store: Snapshot, embedders: Embedders, rules: Rules, asked: SearchRules
) -> tuple[list[Candidate], tuple[Encoded, ...]]:
    """Return the best candidates for a plan, and the vectors that the encoder made: retrieve, fuse, rank, choose."""
    asked = replace(asked, limit=rules.mode.seeds or asked.limit)
    asked = suited(asked, plan, by_age=rules.by_age(plan))
    rankings: list[Ranking] = []
    encoded: tuple[Encoded, ...] = ()
    if plan.only_filters:
        fused = find_newest(plan, store, asked)
    else:
        sent = without_secrets(plan) if embedders.remote else plan
        ahead = encode_ahead(sent, store, embedders, asked)
        rankings = retrieve(sent, store, embedders.quick, asked)
        if ahead:
            ranking, encoded = encoder_rerank(ahead, rankings, store, embedders, asked)
            rankings += ranking
        fused = fuse(rankings, asked)
    candidates = make_candidates(fused, rankings, store, asked)
    rankers = rules.rankers
    if rankers is None:
        rankers = rankers_for(plan, store, asked, decay=rules.aging, today=rules.today)
    for ranker in rankers:
        candidates = sorted(ranker(plan, candidates), key=best_first)
    return choose(plan, candidates, asked.limit), encoded

"""READ: a query into the hits that answer it, the best first; the only place where that line is assembled."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from notewell.search.budget import context, fit
from notewell.search.embedding import Embedders, answer_with_working, plan_vector, similarity_to, without_secrets
from notewell.search.encoder_rerank import Ahead, encode_ahead, encoder_rerank
from notewell.search.excerpt import make_excerpts
from notewell.search.floor import keep_answering
from notewell.search.hits import best_first, choose, make_candidates, make_hits
from notewell.search.plan import make_plan, plan_query
from notewell.search.query import ParseContext
from notewell.search.rank import rankers_for
from notewell.search.related import Encoded
from notewell.search.relevance import keep_sure, telling_terms
from notewell.search.rerank import rerank
from notewell.search.retrieve import add_of_day, find_listed, retrieve
from notewell.search.rules import MEASURING, MODES, ModeRules, Ranker, Rules, SearchRules, mode_of
from notewell.search.superseded import find_superseded
from notewell.search.weak_results import Missing, find_notices
from notewell.search.weighing import Weighing
from notewell.store import Snapshot
from notewell.types.candidates import Candidate
from notewell.types.query import Plan, Query
from notewell.types.results import Results

__all__ = [
    "MEASURING",
    "MODES",
    "Embedders",
    "Encoded",
    "ModeRules",
    "ParseContext",
    "Ranker",
    "Rules",
    "SearchRules",
    "Searched",
    "context",
    "make_plan",
    "mode_of",
    "search",
]


class Searched(NamedTuple):
    """What a search found, the candidates that became its hits, and the vectors that the encoder made on the way.

    `lacking` are the chunks that lacked one, the most important first.
    """

    results: Results
    candidates: list[Candidate]
    encoded: tuple[Encoded, ...] = ()
    lacking: tuple[int, ...] = ()


def search(query: Query, *, store: Snapshot, embedders: Embedders, rules: Rules) -> Searched:
    """Answer a query: READ, from its text to its hits. If an embedder fails, answer without it and say so."""
    plan = plan_query(query, store, rules, embedders.quick)
    embedders = embedders if rules.mode.encoder else embedders._replace(encoder=None)
    found, failed = answer_with_working(embedders, lambda working: answer(plan, query, store, working, rules))
    return found._replace(results=replace(found.results, notices=(*failed, *found.results.notices)))


def answer(plan: Plan, query: Query, store: Snapshot, embedders: Embedders, rules: Rules) -> Searched:
    """Retrieve, fuse, rank, choose and excerpt what answers a plan."""
    mode = rules.mode
    weighing = Weighing.of(rules, plan, store)
    settings = weighing.widest
    sent = without_secrets(plan) if embedders.remote else plan

    ahead = encode_ahead(sent, store, embedders, settings)
    rankings = retrieve(sent, store, embedders, settings)
    rankings, encoded, lacking = encoder_rerank(ahead, rankings, store, embedders, settings)
    fused = find_listed(plan, store, settings) if plan.only_filters else weighing.fuse(rankings)
    fused = add_of_day(fused, plan, store, settings)
    candidates = make_candidates(fused, rankings, store, weighing)
    for ranker in rankers_for(plan, store, settings, rules):
        # Most rankers change nothing for most queries.
        if (ranked := ranker(plan, candidates)) != candidates:
            candidates = sorted(ranked, key=best_first)
    reranked, told = rerank(plan, candidates, rules.reranking)
    by_model = reranked != candidates
    best, candidates = candidates, choose(plan, reranked, settings.limit)
    found = len(candidates)
    if mode.floor and settings.floor and not query.all:
        # A model that reads query and text knows better than words which of the hits are noise.
        judged = choose(plan, best, settings.limit) if by_model else candidates
        kept = keep_answering(plan, judged, store, settings.floor, embedders.quick)
        candidates = candidates if by_model and kept else kept
    hidden = found - len(candidates)

    if mode.sure:
        terms = telling_terms(query.text)
        candidates = keep_sure(candidates, store.counts(terms).rarities(terms), query.floor)
    if rules.walk:
        candidates = rules.walk(plan, candidates, plan_vector(sent, embedders.quick, store), store)[: query.limit]

    page = fit(candidates, settings.max_tokens)
    left_out = len(candidates) - len(page)
    excerpts = make_excerpts(page, plan, similarity_to(sent, embedders.quick)) if mode.excerpts else []
    facts = store.notes({one.chunk.path for one in page}) if excerpts else {}
    notices = plan.notices
    if mode.notices:
        notices = find_notices(plan, page, Missing(left_out, hidden), store, settings)
        notices += find_superseded(facts, store)
    # The caller knows when the search began, and fills in how long it took.
    results = Results(
        query=", ".join(query.places) if mode.only_like else query.text,
        hits=make_hits(page, excerpts, facts, rules.addresses, explain=query.explain),
        generation=store.state.generation,
        took_ms=0.0,
        left_out=left_out,
        hidden=hidden,
        notices=(*told, *notices),
        read_as=_read_as(plan, ahead, rules.settings) if query.explain else None,
    )
    return Searched(rules.walk.results(results) if rules.walk else results, page, encoded, lacking)


def _read_as(plan: Plan, ahead: Ahead | None, rules: SearchRules) -> tuple[str, ...]:
    """Return how the query was understood, and what the settings change about its ranking."""
    return (*plan.read_as, *((ahead.without,) if ahead and ahead.without else ()), *rules.tuned)

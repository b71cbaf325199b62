"""READ: a text into excerpts of the chunks that answer it, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.asked import EVERYTHING, Plan, Scope
from notewell.errors import EmbedError
from notewell.search.budget import context, fit
from notewell.search.closer import Embedders, look_closer, read_query
from notewell.search.doubts import find_doubts
from notewell.search.excerpt import make_excerpts
from notewell.search.fuse import Fused, SearchRules, cast_votes, fuse
from notewell.search.guess import resolve
from notewell.search.intent import leaning
from notewell.search.named import chunks_in
from notewell.search.newest import find_newest
from notewell.search.page import choose
from notewell.search.plan import make_plan
from notewell.search.query import Known, read_filters
from notewell.search.rank import RANKERS, Ranker
from notewell.search.rank.ages import Ages, deeper
from notewell.search.rank.graph import rank_by_links
from notewell.search.related import deepened, plan_related
from notewell.search.retrieve import nearness, retrieve, without_secrets
from notewell.search.variations import vary
from notewell.store import Snapshot
from notewell.types import Excerpt, Hit, Ranking

__all__ = [
    "Ages",
    "Embedders",
    "Known",
    "Ranker",
    "SearchRules",
    "answer_with_what_works",
    "context",
    "find_hits",
    "make_plan",
    "plan_query",
    "read_filters",
    "resolve",
    "search",
    "vary",
]


def search(
    text: str, *, store: Snapshot, embedders: Embedders, rules: SearchRules, scope: Scope = EVERYTHING
) -> list[Excerpt]:
    """Find the lines that answer the text, the best first."""
    plan = plan_query(text, scope, Known(store.keys, chunks_at=chunks_in(store)), store)
    return answer(plan, store=store, embedders=embedders, rules=rules)


def plan_query(text: str, scope: Scope, known: Known, store: Snapshot) -> Plan:
    """Read a query: words that no note has are resolved; of notes to be like, their words make the plan."""
    plan = make_plan(text, scope, known)
    if plan.like and not (plan.text or plan.terms or plan.passage):
        return plan_related(plan, store)
    return resolve(plan, store)


def answer(
    plan: Plan, *, store: Snapshot, embedders: Embedders, rules: SearchRules, ages: Ages | None = None
) -> list[Excerpt]:
    """Find the lines that answer the plan, the best first."""
    hits = find_hits(plan, store=store, embedders=embedders, rules=rules, ages=ages)
    return make_excerpts(fit(hits, rules.max_tokens), plan, nearness(plan, embedders.quick))


def answer_with_what_works(
    plan: Plan, *, store: Snapshot, embedders: Embedders, rules: SearchRules, ages: Ages | None = None
) -> tuple[list[Excerpt], tuple[str, ...]]:
    """Answer, and where a model fails, without it; return what the user should know of the page, too."""
    ways = (embedders, replace(embedders, encoder=None), replace(embedders, quick=None), Embedders())
    fact = ""
    # What is not there cannot be left out: the same way is not tried twice.
    for way in dict.fromkeys(ways):
        try:
            found = answer(plan, store=store, embedders=way, rules=rules, ages=ages)
        except EmbedError as error:
            fact = error.fact
        else:
            how = "without it" if way.quick or way.encoder else "by words alone"
            failed = (f"{fact}; searching {how}",) if fact else ()
            return found, (*failed, *find_doubts(plan, found, store, rules))
    raise AssertionError("words need no model")


def find_hits(
    plan: Plan,
    *,
    store: Snapshot,
    embedders: Embedders,
    rules: SearchRules,
    rankers: Sequence[Ranker] = RANKERS,
    ages: Ages | None = None,
) -> list[Hit]:
    """Return the chunks that answer the plan, the best first; without `ages`, how old they are does not count."""
    rankings: list[Ranking] = []
    by_age = ages.rankers(plan, store) if ages else []
    rules = deeper(rules) if by_age else rules
    if plan.only_filters:
        fused = find_newest(plan, store, rules)
    else:
        rules = leaning(plan, deepened(plan, rules))
        plan = without_secrets(plan) if embedders.remote else plan
        query = read_query(plan, store, embedders, rules)
        rankings = retrieve(plan, store, embedders.quick, rules)
        rankings += look_closer(query, rankings, store, embedders, rules) if query else []
        fused = fuse(rankings, rules)
    best = sorted(fused, key=lambda chunk_id: -fused[chunk_id].score)[: rules.reach]
    hits = _hits({chunk_id: fused[chunk_id] for chunk_id in best}, rankings, store, rules)
    by_links = rank_by_links(plan, store, rules, ages.today if ages else None)
    for ranker in (*rankers, *by_links, *by_age):
        hits = sorted(ranker(plan, hits), key=_best_first)
    return choose(plan, hits, rules.limit)


def _hits(fused: Fused, rankings: Sequence[Ranking], store: Snapshot, rules: SearchRules) -> list[Hit]:
    """Return the fused chunks as hits, best first; equal scores in the order of path and line."""
    ranks: dict[str, dict[int, int]] = {"lexical": {}, "vector": {}}
    ranks |= {
        ranking.retriever: {
            chunk: rank for rank, (chunk, _) in enumerate(ranking.candidates, start=1) if chunk not in ranking.guessed
        }
        for ranking in rankings
    }
    ids = list(fused)
    votes = cast_votes(rankings, rules, ids)
    hits = [
        Hit(
            chunk=chunk,
            score=fused[chunk_id].score,
            ranks={name: found.get(chunk_id) for name, found in ranks.items()},
            trace=(fused[chunk_id],),
            votes=votes[chunk_id],
        )
        for chunk_id, chunk in zip(ids, store.chunks(ids), strict=True)
    ]
    return sorted(hits, key=_best_first)


def _best_first(hit: Hit) -> tuple[float, str, int, int]:
    return -hit.score, hit.chunk.path, hit.chunk.line, hit.chunk.start

"""By which rules and with which models a query is answered in the domains that are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from notewell.domains.view import View
from notewell.embed import Embedder
from notewell.names.addresses import Addresses
from notewell.search import Embedders, Rules, mode_of
from notewell.search.embedding import no_vectors, plan_vector, usable_embedders, without_secrets
from notewell.search.in_domain import InDomains, split_domains
from notewell.search.plan import checked_query
from notewell.search.rank.age import decay_of_each
from notewell.search.rerank import reranking_of
from notewell.search.rules import FollowLinks
from notewell.store import Snapshot
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.types.query import Plan, Query
from notewell.types.results import Results


def rules_for(query: Query, view: View) -> Rules:
    """Return the rules for a query: settings, mode and today's date; an invalid mode or limit is an error."""
    mode, settings = mode_of(query), view.settings
    rules = Rules(
        settings.search.with_limits(query.limit, query.max_tokens),
        settings.decay,
        date.today(),
        Addresses.of(view.root),
        mode,
        reranking=reranking_of(query, settings.search, mode, settings.rerank),
        own=view.own_rules,
        domain_of=view.settings_files.domains.of,
        notes_naming=lambda name: view.entities.notes_of(name),
    )
    return replace(rules, walk=follow_links(rules)) if mode.seeds else rules


def follow_links(rules: Rules) -> FollowLinks:
    """Return the walk of a deep search along links, which knows how notes age."""
    # Most searches follow no links, and a cold command line does not pay for it.
    from notewell.graph.deep import DeepWalk  # noqa: PLC0415

    return DeepWalk(lambda snapshot: decay_of_each(rules, snapshot.notes))


def with_entities(results: Results, query: Query, rules: Rules, view: View) -> Results:
    """Return results with what is known of the entities that the query names; the hits are the same."""
    if any(notice.code == "no_entity" for notice in results.notices):
        results = replace(results, notices=view.entities.explained(results.notices))
    if not view.has_entities or not rules.mode.floor or rules.mode.only_like:
        return results
    return replace(results, entities=view.entities.named_in(query.text))


def narrowed(query: Query, view: View) -> tuple[Query, Sequence[str], tuple[Notice, ...]]:
    """Return a query without the domains that it names beside its text or in it, these, and what the user should know.

    In its text, only domains of those beside it have a name.
    """
    beside = view.within(query.domain)
    found = split_domains(query.text, beside.names) if mode_of(query).syntax else InDomains(query.text)
    query = checked_query(replace(query, text=found.text, domain=()))
    return query, found.domains or beside.asked, found.notices


def embedders_for(snapshot: Snapshot, view: View, *, required: bool) -> tuple[Embedders, tuple[Notice, ...]]:
    """Return the models that can search a state, with those of domains that have others, and what the user should know.

    If vectors are `required` and there are none, that is an error.
    """
    embedders, missing = usable_embedders(view.models, snapshot.state.made_for.embedder)
    if required and embedders.quick is None:
        raise no_vectors(missing[0])
    others: dict[str, Embedder] = {}
    for name, (part, _) in snapshot.apart().items():
        own, unusable = usable_embedders(view.parts[name].models, part.state.made_for.embedder)
        others |= {name: own.quick} if own.quick else {}
        missing = (*missing, *unusable)
    if others:
        missing = (*missing, Notice("scaled", {"domains": tuple(others)}))
    return embedders._replace(others=others), missing


def vector_of(plan: Plan, snapshot: Snapshot, view: View) -> Vectors:
    """Return the vector of a plan, to compare with those of a state; without a suitable embedder, that is an error."""
    embedders, _ = embedders_for(snapshot, view, required=True)
    return plan_vector(without_secrets(plan) if embedders.remote else plan, embedders.quick, snapshot)

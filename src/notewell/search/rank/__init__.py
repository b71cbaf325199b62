"""Rankers: what changes the order after fusion; plain callables, in the order in which they run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from notewell.search.rank.age import rank_by_age
from notewell.search.rank.links import rank_by_links
from notewell.search.rank.recency import Recency
from notewell.search.rank.words import drop_marked, favour_names, keep_one_a_note, lower_keys, lower_stuffed
from notewell.search.rules import Ranker, Rules, SearchRules
from notewell.store import Snapshot
from notewell.types.query import Plan


def rankers_for(plan: Plan, store: Snapshot, settings: SearchRules, rules: Rules) -> Sequence[Ranker]:
    """Return the rankers of a plan, in their order; without a `today`, the age of notes does not count."""
    if rules.rankers is not None:
        return rules.rankers
    by_links = rank_by_links(plan, store, settings, rules.today)
    by_age: list[Ranker] = []
    if rules.today and not plan.only_filters:
        by_age += rank_by_age(rules, store.notes)
        by_age += [Recency(rules.today, store.notes)] if plan.when is not None else []
    by_names = partial(favour_names, weight=settings.name_weight)
    return [drop_marked, by_names, lower_stuffed, lower_keys, keep_one_a_note, *by_links, *by_age]

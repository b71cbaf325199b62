"""What changes the order of candidates after fusion: plain callables, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from notewell.search.fuse import SearchRules
from notewell.search.rank.decay import Decay, DecayRules
from notewell.search.rank.graph import rank_by_links
from notewell.search.rank.keyword_stuffing import lower_stuffed
from notewell.search.rank.names import favour_names
from notewell.search.rank.recency import Recency
from notewell.search.rank.shared import keep_one_a_note
from notewell.store import Snapshot
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

Ranker = Callable[[Plan, Sequence[Candidate]], list[Candidate]]


def rankers_for(
    plan: Plan, store: Snapshot, rules: SearchRules, *, decay: DecayRules, today: date | None
) -> list[Ranker]:
    """Return the rankers of a plan, in their order; without a `today`, how old a note is does not count."""
    by_links = rank_by_links(plan, store, rules, today)
    by_age: list[Ranker] = []
    if today and not plan.only_filters:
        by_age += [Decay(decay, today, store.notes)] if decay.on else []
        by_age += [Recency(today, store.notes)] if plan.when is not None else []
    return [favour_names, lower_stuffed, keep_one_a_note, *by_links, *by_age]

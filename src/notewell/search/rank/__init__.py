"""What changes the order of hits after fusion: plain callables, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notewell.search.fuse import SearchRules
from notewell.search.rank.ages import Ages
from notewell.search.rank.decay import Decay
from notewell.search.rank.graph import rank_by_links
from notewell.search.rank.keyword_stuffing import lower_stuffed
from notewell.search.rank.names import favour_names
from notewell.search.rank.recency import Recency
from notewell.search.rank.shared import keep_one_a_note
from notewell.store import Snapshot
from notewell.types.query import Plan
from notewell.types.results import Hit

Ranker = Callable[[Plan, Sequence[Hit]], list[Hit]]


def rankers_for(plan: Plan, store: Snapshot, rules: SearchRules, ages: Ages | None = None) -> list[Ranker]:
    """Return the rankers of a plan; without `ages`, how old a note is does not count."""
    by_links = rank_by_links(plan, store, rules, ages.today if ages else None)
    by_age: list[Ranker] = []
    if ages and ages.count(plan):
        by_age += [Decay(ages.decay, ages.today, store.notes)] if ages.decay.on else []
        by_age += [Recency(ages.today, store.notes)] if plan.when is not None else []
    return [favour_names, lower_stuffed, keep_one_a_note, *by_links, *by_age]

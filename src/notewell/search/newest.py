"""The newest notes of a scope: what a query of filters alone is answered with."""

from __future__ import annotations

from datetime import date

from notewell.search.fuse import Fused, SearchRules
from notewell.store import Matching
from notewell.types.query import Plan
from notewell.types.results import Step

# A note this many days older than the newest has half its score.
HALF = 365


def find_newest(plan: Plan, store: Matching, rules: SearchRules) -> Fused:
    """Return one chunk of each of the newest notes that the plan lets through, scored by date."""
    found = store.newest(plan.scope, rules.limit)
    days = {chunk_id: date.fromisoformat(day) for chunk_id, day in found}
    newest = max(days.values(), default=date.min)
    return {
        chunk_id: Step("newest", f"dated {day.isoformat()}", HALF / (HALF + (newest - day).days))
        for chunk_id, day in days.items()
    }

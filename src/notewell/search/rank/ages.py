"""Where age counts: by the settings, or because the query asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from notewell.asked import Plan
from notewell.search.fuse import SearchRules
from notewell.search.rank import Ranker
from notewell.search.rank.decay import Decay, DecayRules
from notewell.search.rank.recency import Recency
from notewell.store import Snapshot

# A new note may be no more than the fiftieth by what it says, and the first once age counts: a diary has a hundred
# days that are alike.
DEEP = 100


@dataclass(frozen=True, slots=True)
class Ages:
    """Which day it is, and how notes lose by age."""

    decay: DecayRules
    today: date

    def rankers(self, plan: Plan, store: Snapshot) -> list[Ranker]:
        """Return what ranks by age; nothing, where it does not count or is all that counts already."""
        if plan.only_filters:
            return []
        decay = [Decay(self.decay, self.today, store.said)] if self.decay.on else []
        return [*decay, *([Recency(self.today, store.said)] if plan.when is not None else [])]


def deeper(rules: SearchRules) -> SearchRules:
    """Return the rules with as many candidates as age may bring forward."""
    return replace(rules, candidates=max(rules.candidates, DEEP))

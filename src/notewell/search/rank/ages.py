"""Whether age counts: by the settings, or because the query asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from notewell.search.rank.decay import DecayRules
from notewell.types.query import Plan


@dataclass(frozen=True, slots=True)
class Ages:
    """Which day it is, and how notes count less with age."""

    decay: DecayRules
    today: date

    def count(self, plan: Plan) -> bool:
        """Tell whether age counts, and is not all that counts already."""
        return (self.decay.on or plan.when is not None) and not plan.only_filters

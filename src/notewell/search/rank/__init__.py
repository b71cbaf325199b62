"""What changes the order of hits after fusion: plain functions, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notewell.asked import Plan
from notewell.search.rank.names import favour_names
from notewell.search.rank.shared import keep_one_a_note
from notewell.search.rank.stuffed import lower_stuffed
from notewell.types import Hit

Ranker = Callable[[Plan, Sequence[Hit]], list[Hit]]

RANKERS: tuple[Ranker, ...] = (favour_names, lower_stuffed, keep_one_a_note)

"""An answer in any case: where a model fails, the search goes on without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from notewell.errors import EmbedError
from notewell.search.encoder_rerank import Embedders
from notewell.types.query import Plan
from notewell.types.results import Excerpt


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: how the query was read, the excerpts, the best first, and what the user should know.

    So many hits were `left_out` because they did not fit into the budget.
    """

    plan: Plan
    excerpts: list[Excerpt]
    notices: tuple[str, ...] = ()
    left_out: int = 0


def try_ways(embedders: Embedders, answer: Callable[[Embedders], Found]) -> Found:
    """Answer with all embedders, or with those that work; what failed is among the notices."""
    ways = (embedders, replace(embedders, encoder=None), replace(embedders, quick=None), Embedders())
    fact = ""
    # What is not there cannot be left out: the same way is not tried twice.
    for way in (way for number, way in enumerate(ways) if way not in ways[:number]):
        try:
            found = answer(way)
        except EmbedError as error:
            fact = error.fact
        else:
            how = "without it" if way.quick or way.encoder else "by words alone"
            return replace(found, notices=(f"{fact}; searching {how}", *found.notices)) if fact else found
    raise AssertionError("words need no model")

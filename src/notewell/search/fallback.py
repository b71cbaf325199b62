"""An answer in any case: where a model fails, the search goes on without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from notewell.errors import EmbedError
from notewell.search.encoder_rerank import Embedders
from notewell.types.notices import Notice

Answer = TypeVar("Answer")


def try_without_failing(
    embedders: Embedders, answer: Callable[[Embedders], Answer]
) -> tuple[Answer, tuple[Notice, ...]]:
    """Answer with all embedders, or with those that work, and return with that what failed, as notices.

    If none of it works, since a walk needs vectors, the first failure is raised.
    """
    ways = (embedders, replace(embedders, encoder=None), replace(embedders, quick=None), Embedders())
    first: EmbedError | None = None
    fact = ""
    # What is not there cannot be left out: the same way is not tried twice.
    for way in (way for number, way in enumerate(ways) if way not in ways[:number]):
        try:
            answered = answer(way)
        except EmbedError as error:
            first, fact = first or error, error.fact
        else:
            code = "searching_without" if way.quick or way.encoder else "words_only"
            return answered, (Notice(code, {"reason": fact}),) if fact else ()
    assert first is not None, "there is always a way to try"
    raise first

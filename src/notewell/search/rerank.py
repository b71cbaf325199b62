"""Reranking: a model that reads the query and each of the best hits together puts these into its own order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from notewell.embed.rerank import Reranker, load_reranker
from notewell.embed.rules import RerankRules
from notewell.errors import EmbedError
from notewell.redact import redact_text
from notewell.search.rules import ModeRules, Reranking, SearchRules
from notewell.types.candidates import Candidate
from notewell.types.notices import Notice
from notewell.types.query import Plan, Query

# Characters of a chunk that are read: what a model of this kind has room for.
READ = 800
# A query that is longer leaves no room for the text.
LONGEST_QUERY = 300


def reranking_of(query: Query, settings: SearchRules, mode: ModeRules, rules: RerankRules) -> Reranking | None:
    """Return the reranker of a query, if it, or the settings, want one; a model that is not there is an error."""
    if not (query.rerank or settings.rerank) or not mode.syntax or mode.only_like:
        return None
    return Reranking(load_reranker(rules), rules.candidates)


def rerank(
    plan: Plan, candidates: Sequence[Candidate], reranking: Reranking | None
) -> tuple[list[Candidate], tuple[Notice, ...]]:
    """Return the candidates with the best of them in the reranker's order, which share their scores anew.

    So all that follows sees scores of the same scale. If the reranker fails, they stay as they are, with a notice.
    """
    if reranking is None or len(candidates) < 2 or not plan.text:
        return list(candidates), ()
    reranker, most = reranking
    best, rest = list(candidates[:most]), list(candidates[most:])
    query = redact_text(plan.text)[0] if reranker.is_remote else plan.text
    try:
        scores = _scores(reranker, query[:LONGEST_QUERY], [one.chunk.meaning[:READ] for one in best])
    except EmbedError as error:
        return [*best, *rest], (Notice("not_reranked", {"reason": error.fact}),)
    order = sorted(range(len(best)), key=lambda number: (-scores[number], number))
    ranked = [
        best[number].rescored(
            place.score, by="rerank", why=f"{scores[number]:.3f} by {reranker.name}, was {number + 1}."
        )
        for number, place in zip(order, best, strict=True)
    ]
    return [*ranked, *rest], ()


def _scores(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Return a number for each text; with one that is none, an order would be chance."""
    scores = reranker.score(query, texts)
    if not all(map(math.isfinite, scores)):
        raise EmbedError(f"The model {reranker.name} gives scores that are no numbers", "Use another model")
    return scores

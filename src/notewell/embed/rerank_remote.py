"""Rerankers behind HTTP: servers with the interface that llama.cpp, vLLM, Jina and Cohere share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from notewell.embed.rules import RerankRules
from notewell.errors import EmbedError
from notewell.remote.address import parse_address
from notewell.remote.endpoint import HURRIED, Endpoint, Failures
from notewell.remote.exchange import Answer

PATH = "/v1/rerank"


class RemoteReranker:
    """Scores texts by asking a server, once for all of them."""

    is_remote = True

    def __init__(self, rules: RerankRules) -> None:
        if not rules.url:
            raise EmbedError(f"'{rules.model}' needs an address, but rerank.url is empty", "Set NOTEWELL_RERANK_URL")
        self.name = rules.model.partition(":")[2]
        self._endpoint = Endpoint(
            parse_address(rules.url).at(PATH),
            failures=Failures(EmbedError, "The reranking server", self._hint),
            key=rules.key,
            patience=replace(HURRIED, request=rules.timeout, whole=rules.timeout),
        )

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text."""
        message = {"model": self.name, "query": query, "documents": list(texts), "top_n": len(texts)}
        answer = self._endpoint.post(message, secret=[query, *texts])
        scores = _scores(answer)
        if scores is None or scores.keys() != set(range(len(texts))):
            raise self._endpoint.error("answers without a score for each text")
        return [scores[number] for number in range(len(texts))]

    def _hint(self, answer: Answer) -> str:
        if answer.status in (401, 403):
            return "Set NOTEWELL_RERANK_KEY and NOTEWELL_RERANK_URL: a key is only sent to an address from there"
        if answer.status == 404:
            return f"Check rerank.url, and that the server has a reranking model '{self.name}'"
        return "Start it, or check rerank.url"


def _scores(answer: Any) -> dict[int, float] | None:
    """Return the scores of a server's answer by the number of their text; None if it has none.

    >>> _scores({"results": [{"index": 1, "relevance_score": 0.2}, {"index": 0, "relevance_score": 3}]})
    {1: 0.2, 0: 3.0}
    """
    try:
        pairs = [(row["index"], row["relevance_score"]) for row in answer["results"]]
        known = all(type(number) is int and type(score) in (int, float) for number, score in pairs)
        scores = {number: float(score) for number, score in pairs}
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return scores if known and all(map(math.isfinite, scores.values())) else None


def load_reranker(rules: RerankRules) -> RemoteReranker:
    """Return the reranker that rules name."""
    return RemoteReranker(rules)

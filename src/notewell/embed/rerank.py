"""Rerankers: models that read a query and a text together, and say how well one answers the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from notewell.embed.rules import RerankRules
from notewell.errors import EmbedError

# The modules of each kind; Ollama has no interface for rerankers.
MODULES = {"onnx": "rerank_onnx", "openai": "rerank_remote", "sentence-transformers": "sentence"}


class Reranker(Protocol):
    """Scores texts against a query; any scale, as only their order counts."""

    @property
    def name(self) -> str:
        """Return the model's name, as people know it."""

    @property
    def is_remote(self) -> bool:
        """Tell whether texts are sent to a server."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text: the better it answers the query, the higher."""


class _Loader(Protocol):
    def load_reranker(self, rules: RerankRules) -> Reranker: ...


@lru_cache(2)
def load_reranker(rules: RerankRules) -> Reranker:
    """Return the reranker that rules name; its model is loaded with the first query."""
    kind, _, name = rules.model.partition(":")
    folder = Path(os.path.expanduser(rules.model))
    if kind in MODULES and name:
        return _module(kind).load_reranker(rules)
    if rules.model and (folder / "model.onnx").is_file():
        return _module("onnx").load_reranker(rules)
    fact = "rerank.model names no known reranker" if rules.model else "No reranker is set"
    if rules.model and folder.is_dir():
        fact = f"{folder} has no model.onnx"
    raise EmbedError(
        fact,
        "Set rerank.model to a folder with model.onnx and tokenizer.json, or to sentence-transformers:NAME or "
        "openai:NAME with rerank.url",
    )


def _module(kind: str) -> _Loader:
    """Return the module of a kind of rerankers; each takes long to load, and only a search that reranks pays for it."""
    return cast(_Loader, import_module(f"notewell.embed.{MODULES[kind]}"))

"""Cross-encoders as ONNX files: a folder with `model.onnx` and `tokenizer.json`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from notewell.embed.onnx import Session, explained, open_session
from notewell.embed.rules import RerankRules
from notewell.embed.tokens import load_tokenizer, panics_explained
from notewell.errors import EmbedError
from notewell.files.machine import count_cores

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Of a query and a text together. Twenty pairs of this length take a model of MiniLM's size a quarter of a second.
MAX_TOKENS = 192


class OnnxReranker:
    """Scores by running a transformer on each pair of query and text."""

    is_remote = False

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self._folder = folder

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text."""
        session, tokenizer = self._session, self._tokenizer
        with panics_explained(self._folder):
            pairs = [tokenizer.encode(query, text) for text in texts]
        with explained(self._folder), ThreadPoolExecutor(count_cores()) as threads:
            wanted = [entry.name for entry in session.get_inputs()]
            return list(threads.map(lambda pair: self._run(session, wanted, pair.ids, pair.type_ids), pairs))

    def _run(self, session: Session, wanted: Sequence[str], ids: list[int], types: list[int]) -> float:
        tokens = np.array([ids], dtype=np.int64)
        known = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        known["token_type_ids"] = np.array([types], dtype=np.int64)
        output = np.asarray(session.run(None, {name: known[name] for name in wanted})[0], np.float32)
        scores = output.ravel().tolist()
        if output.ndim > 2 or len(scores) not in (1, 2):
            raise EmbedError(
                f"{self._folder} holds no cross-encoder: its output is {'×'.join(map(str, output.shape))}",
                "Name a model that gives one score for a query and a text",
            )
        # Of two classes, the second is that the text answers.
        return float(scores[-1] - (scores[0] if len(scores) == 2 else 0))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with explained(self._folder):
            tokenizer = load_tokenizer(self._folder)
        tokenizer.no_padding()
        # The text is cut, not the query.
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        return tokenizer

    @cached_property
    def _session(self) -> Session:
        return open_session(self._folder)


def load_reranker(rules: RerankRules) -> OnnxReranker:
    """Return the reranker in the folder that rules name."""
    return OnnxReranker(Path(os.path.expanduser(rules.model)))

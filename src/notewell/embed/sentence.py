"""Models of sentence-transformers, run on this machine with torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from notewell.embed.rules import EmbedRules, RerankRules, find_prefixes, make_fingerprint
from notewell.embed.tokens import load_tokenizer, panics_explained
from notewell.embed.vectors import unit, zero_where_blank
from notewell.errors import EmbedError
from notewell.types.note import Vectors

# Texts embedded at once.
BATCH = 64
# The first version that does not run code from a model's folder.
PACKAGE = "sentence-transformers>=6"


class SentenceEmbedder:
    """Embeds with a model already on this machine; the first text loads it."""

    def __init__(self, name: str, rules: EmbedRules) -> None:
        self._name = name
        self._prefixes = find_prefixes(name, rules)
        self.fingerprint = make_fingerprint("sentence-transformers", name, self._prefixes)

    @cached_property
    def dimensions(self) -> int:
        """Return the length of its vectors."""
        return int(self._encode(["length"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        return zero_where_blank(
            texts, lambda nonblank: self._encode([self._prefixes.passage + text for text in nonblank])
        )

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query."""
        row: Vectors = self._encode([self._prefixes.query + text])[0]
        return row

    def _encode(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with panics_explained(Path(self._name)):
            rows = self._model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        return unit(np.asarray(rows, dtype=np.float32))

    @cached_property
    def _model(self) -> Any:
        return _load(self._name, "SentenceTransformer")


class SentenceReranker:
    """Scores with a cross-encoder already on this machine; the first query loads it."""

    is_remote = False

    def __init__(self, name: str) -> None:
        self.name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text."""
        with panics_explained(Path(self.name)):
            scores = self._model.predict([(query, text) for text in texts], show_progress_bar=False)
        rows = np.asarray(scores, dtype=np.float32)
        if rows.shape != (len(texts),):
            raise EmbedError(f"The model {self.name} gives more than one score", "Use a cross-encoder for ranking")
        return [float(score) for score in rows]

    @cached_property
    def _model(self) -> Any:
        return _load(self.name, "CrossEncoder")


def load_reranker(rules: RerankRules) -> SentenceReranker:
    """Return the cross-encoder that rules name."""
    return SentenceReranker(rules.model.partition(":")[2])


def _load(name: str, kind: str) -> Any:
    """Return a model of this kind, which is on this machine already."""
    try:
        # Torch takes seconds to load.
        import sentence_transformers  # noqa: PLC0415
    except ImportError as error:
        raise EmbedError(
            "The package sentence-transformers is not installed", f"Run `pip install '{PACKAGE}'`"
        ) from error
    folder = Path(os.path.expanduser(name))
    if folder.is_dir() and any(map(_may_bring_code, folder.rglob("*"))):
        # Older versions run code from a model's folder, and a vault's settings may name a folder inside the vault.
        raise EmbedError(f"The model {name} contains Python code", "Use a model that is only data")
    with suppress(ImportError):
        from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

        # Otherwise each search would show one.
        disable_progress_bar()
    try:
        if (folder / "tokenizer.json").is_file():
            load_tokenizer(folder)
        # Only from this machine: a vault's settings must not cause a download.
        return getattr(sentence_transformers, kind)(os.path.expanduser(name), local_files_only=True)
    except Exception as error:  # torch, the tokenizer and the model's files raise anything
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise EmbedError(
            f"The model {name} cannot be loaded: {first[:200].rstrip('.')}",
            "Download a model once with `hf download NAME`, or name a folder that contains one",
        ) from error


def _may_bring_code(path: Path) -> bool:
    """Tell whether a model's file is code, or a linked folder, whose files are not checked."""
    return path.suffix.lower() == ".py" or (path.is_symlink() and path.is_dir())

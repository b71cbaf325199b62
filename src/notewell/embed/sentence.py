"""Models of sentence-transformers: on this machine, with torch, if it is installed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from notewell.embed.prefixes import find_prefixes, make_fingerprint
from notewell.embed.rules import EmbedRules
from notewell.embed.unit import unit, zero_where_blank
from notewell.errors import EmbedError
from notewell.types.note import Vectors

# Texts that go through the model at once.
BATCH = 64
# The first that runs no code of a model's folder by itself.
PACKAGE = "sentence-transformers>=6"


class SentenceEmbedder:
    """Embeds with a model that is on this machine already; it is loaded with the first text."""

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
            texts, lambda telling: self._encode([self._prefixes.passage + text for text in telling])
        )

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query."""
        row: Vectors = self._encode([self._prefixes.query + text])[0]
        return row

    def _encode(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        rows = self._model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        return unit(np.asarray(rows, dtype=np.float32))

    @cached_property
    def _model(self) -> Any:
        try:
            # Torch takes seconds to load.
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415
        except ImportError as error:
            raise EmbedError(
                "The package sentence-transformers is not installed", f"Run `pip install '{PACKAGE}'`"
            ) from error
        folder = Path(os.path.expanduser(self._name))
        if folder.is_dir() and any(map(_may_bring_code, folder.rglob("*"))):
            # Older versions run what a model's folder brings along, and a vault may name a folder of its own.
            raise EmbedError(f"The model {self._name} holds Python code", "Name a model that is only data")
        with suppress(ImportError):
            from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

            # It would draw one over each search.
            disable_progress_bar()
        try:
            # Only from this machine: a vault that names a model must not make its reader fetch one.
            return SentenceTransformer(os.path.expanduser(self._name), local_files_only=True)
        except Exception as error:  # whatever torch, a tokenizer or a model's files come up with
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise EmbedError(
                f"The model {self._name} cannot be loaded: {first[:200]}",
                "Fetch a model of the hub once with `hf download NAME`, or name a folder that holds one",
            ) from error


def _may_bring_code(path: Path) -> bool:
    """Tell whether a file of a model is code, or a folder is a link: what lies behind it is not looked through."""
    return path.suffix.lower() == ".py" or (path.is_symlink() and path.is_dir())

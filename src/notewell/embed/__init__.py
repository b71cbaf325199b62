"""Text to vectors: which embedder a name stands for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from notewell.errors import EmbedError
from notewell.types import Vectors

# The model that ships inside the package.
DEFAULT_MODEL = Path(__file__).parent / "static_model"


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def fingerprint(self) -> str:
        """Name the embedder so that two which give different vectors have different names."""

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, of unit length, or zero where nothing is known of it."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector that the passages which answer the text are near to."""


def load_embedder(name: str) -> Embedder:
    """Return the embedder called `name`: `static`, `words`, or a model2vec folder.

    >>> load_embedder("words").dimensions
    27
    """
    if name == "words":
        from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

        return WordsEmbedder()
    folder = DEFAULT_MODEL if name == "static" else Path(os.path.expanduser(name))
    if not folder.is_dir():
        raise EmbedError(f"There is no embedder '{name}'", 'Set embed.model to "static", or to a model2vec folder')
    # Tokenizer and weights cost a cold command line 50 ms; lexical search does not pay for them.
    from notewell.embed.static import StaticEmbedder  # noqa: PLC0415

    return StaticEmbedder(folder)


def check_length(vectors: Vectors, dimensions: int, embedder: Embedder) -> Vectors:
    """Return the vectors if they are as long as those of the store: a model may change behind its name."""
    if vectors.shape[-1] != dimensions:
        raise EmbedError(
            f"{embedder.fingerprint} gives vectors of {vectors.shape[-1]} numbers, the store holds {dimensions}",
            "Run `notewell index --full` if the model is another one now, or go back to the old one",
        )
    return vectors

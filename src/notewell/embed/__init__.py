"""Text to vectors: loads the embedder and the encoder that the settings name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Protocol

from notewell.embed.rules import AUTO, REMOTE, EmbedRules
from notewell.errors import EmbedError
from notewell.types.note import Vectors

__all__ = [
    "DEFAULT_MODEL",
    "EmbedRules",
    "Embedder",
    "LoadEmbedder",
    "Models",
    "check_length",
    "is_instant",
    "is_loaded",
    "load_embedder",
    "load_encoder",
]

# The static model that ships inside the package.
DEFAULT_MODEL = Path(__file__).parent / "static_model"


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    @property
    def fingerprint(self) -> str:
        """Return a name that changes whenever a passage's vector would."""

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, of unit length, or zero if the model knows nothing of it."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query, near those of the passages that answer it."""


class LoadEmbedder(Protocol):
    """Loads the embedder that rules name."""

    def __call__(self, rules: EmbedRules, *, hurried: bool = False) -> Embedder:
        """Return the embedder; if `hurried`, one that gives up on a slow server soon."""


# What is wrong if a setting names a model that is not there, and what to do.
UNKNOWN_MODEL = (
    "embed.model names no known embedder",
    'Set embed.model to "static", a model2vec folder, or sentence-transformers:NAME, ollama:NAME, openai:NAME; '
    "`notewell config embed` shows it",
)
UNKNOWN_ENCODER = ("embed.encoder names no known encoder", "Set embed.encoder to auto, minilm, off, or a folder")


def is_instant(embedder: Embedder | None) -> bool:
    """Tell whether an embedder is only a table lookup, so that a search can afford to embed more sentences.

    >>> is_instant(load_embedder(EmbedRules("words"))), is_instant(None)
    (True, False)
    """
    return bool(getattr(embedder, "instant", False))


def is_loaded(embedder: Embedder) -> bool:
    """Tell whether an embedder can embed a query at once, without loading a model first.

    >>> is_loaded(load_embedder(EmbedRules("words")))
    True
    """
    return bool(getattr(embedder, "is_loaded", True))


def load_embedder(rules: EmbedRules, *, hurried: bool = False) -> Embedder:
    """Return the embedder that `rules.model` names; if `hurried`, it gives up on a slow server soon.

    >>> load_embedder(EmbedRules("words")).dimensions
    27
    """
    return _named(rules, UNKNOWN_MODEL, hurried=hurried)


def _named(rules: EmbedRules, unknown: tuple[str, str], *, hurried: bool = False) -> Embedder:
    """Return the embedder that `rules.model` names; `unknown` is the fact and the hint if it names none."""
    kind, _, name = rules.model.partition(":")
    if kind in REMOTE and name:
        # HTTP and TLS take 30 ms to load, and so does each kind below: only commands that need one pay for it.
        from notewell.embed.remote import load_remote  # noqa: PLC0415

        return load_remote(rules, hurried=hurried)
    if kind == "sentence-transformers" and name:
        from notewell.embed.sentence import SentenceEmbedder  # noqa: PLC0415

        return SentenceEmbedder(name, rules)
    if rules.model == "words":
        from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

        return WordsEmbedder()
    if rules.model == "minilm":
        return _load_onnx(None, rules)
    folder = DEFAULT_MODEL if rules.model == "static" else Path(os.path.expanduser(rules.model))
    if not folder.is_dir():
        raise EmbedError(*unknown)
    if (folder / "model.onnx").is_file():
        return _load_onnx(folder, rules)
    from notewell.embed.static import StaticEmbedder  # noqa: PLC0415

    return StaticEmbedder(folder)


def check_length(vectors: Vectors, dimensions: int, embedder: Embedder) -> Vectors:
    """Return the vectors if they are as long as the store's; a server may change a model behind its name."""
    if vectors.shape[-1] != dimensions:
        raise EmbedError(
            f"{embedder.fingerprint} makes vectors of {vectors.shape[-1]} numbers, but the store has {dimensions}",
            "Run `notewell index --full` if you changed the model, or go back to the old one",
        )
    return vectors


def _load_onnx(folder: Path | None, rules: EmbedRules) -> Embedder:
    from notewell.embed.onnx import load_onnx  # noqa: PLC0415

    return load_onnx(folder, rules)


def load_encoder(rules: EmbedRules) -> Embedder | None:
    """Return the encoder that `rules.encoder` names; for `auto`, MiniLM if onnxruntime is installed.

    >>> load_encoder(EmbedRules(encoder="off")) is None
    True
    """
    name = rules.encoder
    if name == AUTO:
        # With another model than the default, no encoder is added. Looking a package up takes 0.1 ms.
        name = "minilm" if rules.model == "static" and find_spec("onnxruntime") else "off"
    if name == "off":
        return None
    chosen = replace(rules, model=name)
    if chosen.is_remote:
        raise EmbedError(
            "embed.encoder names a server", "The encoder runs on this machine: use minilm, a folder, or off"
        )
    return _named(chosen, UNKNOWN_ENCODER)


class Models:
    """The embedder and the encoder of a vault. A process with several open vaults passes loaders that share models."""

    def __init__(
        self,
        rules: EmbedRules,
        load_embedder: LoadEmbedder = load_embedder,
        load_encoder: Callable[[EmbedRules], Embedder | None] = load_encoder,
    ) -> None:
        self.rules = rules
        self._load_embedder = load_embedder
        self._load_encoder = load_encoder
        self._loading: Embedder | None = None

    def use(self, rules: EmbedRules) -> None:
        """Load other models from now on, if the rules are other ones."""
        if rules != self.rules:
            self.rules = rules
            for name in ("embedder", "_quick_remote", "encoder"):
                self.__dict__.pop(name, None)

    @cached_property
    def embedder(self) -> Embedder:
        """Return the embedder that indexing uses."""
        return self._load_embedder(self.rules)

    @property
    def quick_embedder(self) -> Embedder:
        """Return the embedder for a search that somebody waits for: a server is given less time to answer."""
        return self._quick_remote if self.rules.is_remote else self.embedder

    @cached_property
    def _quick_remote(self) -> Embedder:
        return self._load_embedder(self.rules, hurried=True)

    @cached_property
    def encoder(self) -> Embedder | None:
        """Return the encoder, which makes better vectors in the background, or None if the settings turn it off."""
        return self._load_encoder(self.rules)

    @property
    def has_encoder(self) -> bool:
        """Tell whether an encoder is already loaded, without loading it."""
        encoder = self.__dict__.get("encoder")
        return encoder is not None and is_loaded(encoder)

    def load_encoder_behind(self) -> None:
        """Load what the encoder needs for a query in a thread, so that no search waits for it."""
        encoder = self.encoder
        if encoder is None or is_loaded(encoder) or encoder is self._loading:
            return
        self._loading = encoder
        Thread(target=_load, args=(encoder,), name="notewell-encoder", daemon=True).start()


def _load(encoder: Embedder) -> None:
    # The next query has the error.
    with suppress(EmbedError):
        encoder.load()  # type: ignore[attr-defined]

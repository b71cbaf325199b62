"""The models of one vault, each loaded on first use: its embedder, and the encoder behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from notewell.embed import Embedder, EmbedRules, LoadEmbedder, load_embedder, load_encoder


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
        return self.__dict__.get("encoder") is not None

"""Vaults that the daemon keeps open between requests: their stores, arrays and models."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from notewell.config.sections import DaemonSettings
from notewell.embed import Embedder, EmbedRules, load_embedder, load_encoder
from notewell.errors import NotewellError
from notewell.freshness import Opening, Policy
from notewell.search.rank.sections import name_terms
from notewell.serve.answering import CACHE_KIB
from notewell.serve.daemon.wire import Declined
from notewell.terms import token_terms
from notewell.vault import Vault

# Vaults open at once; the one that was asked least recently is closed first.
KEPT = 4


class Vaults:
    """The open vaults, by folder and by the settings they were opened with."""

    def __init__(self) -> None:
        self.settings = DaemonSettings()
        self._open: dict[object, Vault] = {}
        self._declined = False

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Return a vault as `Vault.open` does, or one that is open already; its settings are read every time."""
        fresh = Vault.open(path, settings, KEPT_OPEN)
        self.settings = fresh.settings.daemon
        self._declined = not self.settings.use
        if self._declined:
            raise Declined("switched off in the vault's settings")
        if fresh.settings.embed.key or fresh.settings.llm.key:
            # A server's key belongs to the request, and is not kept.
            return Vault.open(path, settings)
        opened_with = fresh.root, fresh.settings.store, fresh.settings.embed
        vault = self._open.pop(opened_with, fresh)
        vault.settings_files = fresh.settings_files
        self._open[opened_with] = vault
        self.keep_only(KEPT)
        return vault

    def keep_only(self, number: int) -> None:
        """Close all vaults but those that were asked most recently."""
        while len(self._open) > number:
            self._open.pop(next(iter(self._open))).close()
        if not self._open:
            _embedder.cache_clear()
            _encoder.cache_clear()

    def keep_up(self, markers: Path) -> None:
        """Start folder watches and index changes while nobody waits; close a vault whose folder is gone."""
        for opened_with, vault in [pair for pair in self._open.items() if pair[1].freshness.is_due]:
            try:
                vault.freshness.keep_up(markers)
            except (NotewellError, Declined, OSError):
                self._open.pop(opened_with).close()

    def drain(self) -> None:
        """Read the events of the folder watches, so that they do not pile up."""
        for vault in self._open.values():
            vault.freshness.watch.drain()

    @property
    def is_due(self) -> bool:
        """Tell whether `keep_up` has something to do."""
        return any(vault.freshness.is_due for vault in self._open.values())

    @property
    def use_encoder(self) -> bool:
        """Tell whether an encoder is loaded for any of the vaults."""
        return any(vault.models.has_encoder for vault in self._open.values())

    @property
    def is_unwanted(self) -> bool:
        """Tell whether every vault that was asked for has settings that want no daemon."""
        return self._declined and not self._open

    @property
    def roots(self) -> list[str]:
        """Return the folders of the open vaults, the one that was asked last first."""
        return list(dict.fromkeys(str(vault.root) for vault in reversed(self._open.values())))

    def release(self) -> None:
        """Empty the caches of searches; the vaults stay open."""
        token_terms.cache_clear()
        name_terms.cache_clear()
        for vault in self._open.values():
            with suppress(NotewellError, OSError):
                vault.store.release_memory()


def _decline() -> NoReturn:
    # The first run takes time and memory, and shows its progress: the command does it itself.
    raise Declined("the vault was never indexed")


@lru_cache(maxsize=KEPT)
def _embedder(rules: EmbedRules, *, hurried: bool = False) -> Embedder:
    return load_embedder(rules, hurried=hurried)


@lru_cache(maxsize=KEPT)
def _encoder(rules: EmbedRules) -> Embedder | None:
    return load_encoder(rules)


# Vaults with the same settings share their models. Commands ask for a refresh; watches start when the daemon is idle.
KEPT_OPEN = Opening(
    Policy(refresh=False, on_new=_decline), _embedder, _encoder, CACHE_KIB, stays_open=True, loads="behind"
)

"""Vaults that the warm process keeps open between requests: their stores, arrays and embedders."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from notewell.config.settings import DaemonSettings, Settings
from notewell.embed import Embedder, EmbedRules, load_embedder, load_encoder
from notewell.errors import NotewellError
from notewell.index.report import Progress, Report
from notewell.search.rank.words import name_terms
from notewell.serve.daemon.declined import Declined
from notewell.serve.kept import KeptVault
from notewell.terms import token_terms
from notewell.types.notices import Notice
from notewell.vault import PATIENCE, Vault

# Vaults open at once; the one that was asked least lately goes first.
KEPT = 4


class WarmVault(KeptVault):
    """A vault of the warm process: it shares its models with others, and leaves to the command what takes long."""

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__(root, settings)
        self._asked = False

    def __exit__(self, *_: object) -> None:
        """Stay open: the command is done with it, the process is not."""

    @cached_property
    def embedder(self) -> Embedder:
        """Return the vault's embedder, shared with others that have the same."""
        return _embedder(self.settings.embed)

    @cached_property
    def encoder(self) -> Embedder | None:
        """Return the vault's encoder, shared likewise."""
        return _encoder(self.settings.embed)

    def index(self, *, full: bool = False, progress: Progress | None = None, wait: float = PATIENCE) -> Report:
        """Decline: a whole run takes its time and memory, and shows how far it is."""
        raise Declined("the vault was never indexed")

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Take in what changed; from now on there is something to keep up with."""
        self._asked = True
        return super().refresh(progress)

    @property
    def is_due(self) -> bool:
        """Tell whether there is something to keep up with; not where notes are only read."""
        return self._asked and (self.is_old or not (self.is_watched or self._unwatchable))


class Vaults:
    """The vaults that are open, by folder and by what they were opened with."""

    def __init__(self) -> None:
        self.settings = DaemonSettings()
        self._kept: dict[object, WarmVault] = {}
        self._declined = False

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Return a vault as `Vault.open` would, opened before if it was; the settings are read every time."""
        fresh = WarmVault.open(path, settings)
        self.settings = fresh.settings.daemon
        self._declined = not self.settings.use
        if self._declined:
            raise Declined("switched off in the vault's settings")
        if fresh.settings.embed.key:
            # A server's key belongs to the request, and is not kept.
            return Vault.open(path, settings)
        opened_with = fresh.root, fresh.settings.store, fresh.settings.embed
        vault = self._kept.pop(opened_with, fresh)
        vault.settings = fresh.settings
        self._kept[opened_with] = vault
        self.keep_only(KEPT)
        return vault

    def keep_only(self, number: int) -> None:
        """Let go of all but the vaults that were asked last."""
        while len(self._kept) > number:
            self._kept.pop(next(iter(self._kept))).let_go()
        if not self._kept:
            _embedder.cache_clear()
            _encoder.cache_clear()

    def keep_up(self, marks: Path) -> None:
        """Do what can be done while nobody waits; a vault that is gone is let go of."""
        for opened_with, vault in [pair for pair in self._kept.items() if pair[1].is_due]:
            try:
                vault.keep_up(marks)
            except (NotewellError, Declined, OSError):
                self._kept.pop(opened_with).let_go()

    def gather(self) -> None:
        """Take down what the watches were told."""
        for vault in self._kept.values():
            vault.gather()

    @property
    def is_due(self) -> bool:
        """Tell whether there is something to keep up with."""
        return any(vault.is_due for vault in self._kept.values())

    @property
    def use_encoder(self) -> bool:
        """Tell whether an encoder is loaded for any of the vaults."""
        return any(vault.__dict__.get("encoder") is not None for vault in self._kept.values())

    @property
    def is_unwanted(self) -> bool:
        """Tell whether every vault that was asked for is one whose settings want no process."""
        return self._declined and not self._kept

    @property
    def roots(self) -> list[str]:
        """Return the folders of the vaults that are open, the one that was asked last first."""
        return list(dict.fromkeys(str(vault.root) for vault in reversed(self._kept.values())))

    def release(self) -> None:
        """Let go of what searches have gathered; the vaults stay open."""
        token_terms.cache_clear()
        name_terms.cache_clear()
        for vault in self._kept.values():
            with suppress(NotewellError, OSError):
                vault.store.release()


@lru_cache(maxsize=KEPT)
def _embedder(rules: EmbedRules) -> Embedder:
    return load_embedder(rules)


@lru_cache(maxsize=KEPT)
def _encoder(rules: EmbedRules) -> Embedder | None:
    return load_encoder(rules)

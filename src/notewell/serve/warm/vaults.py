"""Vaults that stay open between requests: their stores, arrays and embedders, and a watch on each folder."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from notewell.embed import Embedder, EmbedRules, load_embedder, load_encoder
from notewell.errors import NotewellError
from notewell.index.place import check_folder
from notewell.index.report import Progress, Report
from notewell.index.watch import Watched
from notewell.search.rank.names import name_terms
from notewell.serve.warm.declined import Declined
from notewell.settings import DaemonSettings, Settings
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.terms import token_terms
from notewell.vault import PATIENCE, Vault

# Vaults open at once; the one that was asked least lately goes first.
KEPT = 4
# Some drives send no news of changes: a folder is looked through all the same, after an answer, once it was not for
# so many seconds.
LOOKED_LATELY = 60.0
# Pages of a store kept in memory, in KiB: with four times as many a search is no quicker, and the process is larger.
CACHE_KIB = 4_000


class KeptVault(Vault):
    """A vault that stays open; it looks through its folder only if something changed there."""

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__(root, settings)
        self._watched: Watched | None = None
        self._unwatchable = False
        self._asked = False
        self._looked = -LOOKED_LATELY
        self._up_to_date: object = None

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

    def refresh(self, progress: Progress | None = None) -> tuple[str, ...]:
        """Take in what changed, if anything did since all was taken in."""
        self._asked = True
        # Before the folder is looked through: what changes meanwhile is for the next time.
        changed = self._watched is None or not self._is_watched or self._watched.changed()
        if not changed and self._up_to_date == self._state():
            return ()
        self._up_to_date, self._looked = None, time.monotonic()
        notices = super().refresh(progress)
        if not notices:
            self._up_to_date = self._state()
        return notices

    def keep_up(self, marks: Path) -> None:
        """Watch the folder, and look through it if that was long ago: what nobody has to wait for."""
        check_folder(self.root)
        if not self._is_watched:
            self._begin_watching(marks)
            self._up_to_date = None
        if self._up_to_date is None or self._is_old:
            self._up_to_date, self._looked = None, time.monotonic()
            if self.indexed:
                self.refresh()

    @property
    def is_due(self) -> bool:
        """Tell whether there is something to keep up with; not where notes are only read."""
        return self._asked and (self._is_old or not (self._is_watched or self._unwatchable))

    @property
    def _is_watched(self) -> bool:
        return self._watched is not None and self._watched.in_place

    @property
    def _is_old(self) -> bool:
        return time.monotonic() - self._looked >= LOOKED_LATELY

    def gather(self) -> None:
        """Take down what the watch was told, so that it does not pile up."""
        if self._watched is not None:
            self._watched.gather()

    def let_go(self) -> None:
        """Close everything."""
        self._stop_watching()
        self.close()

    def _begin_watching(self, marks: Path) -> None:
        self._stop_watching()
        try:
            self._watched = Watched(self.root, marks)
        except OSError:
            # Too many folders for the system, or a drive without such news: it is looked through every time.
            self._unwatchable = True

    def _stop_watching(self) -> None:
        if self._watched is not None:
            self._watched.close()
            self._watched = None

    def _open_store(self, made_for: MadeFor | None = None) -> SqliteStore:
        store = super()._open_store(made_for)
        store.hold(CACHE_KIB)
        return store

    def _state(self) -> object:
        """Return what has to be the same for the store to be up to date while the folder is unchanged."""
        if not self.indexed:
            return None
        # A backup that was put in the store's place is older than the folder.
        return self.settings.index, self.settings.chunk, self.store, self.store.indexed_at


class Vaults:
    """The vaults that are open, by folder and by what they were opened with."""

    def __init__(self) -> None:
        self.settings = DaemonSettings()
        self._kept: dict[object, KeptVault] = {}
        self._declined = False

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Return a vault as `Vault.open` would, opened before if it was; the settings are read every time."""
        fresh = KeptVault.open(path, settings)
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

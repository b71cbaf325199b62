"""A vault that stays open between requests, and is told by the system when something changes in its folder."""

from __future__ import annotations

import time
from pathlib import Path

from notewell.config.settings import Settings
from notewell.index.place import check_folder
from notewell.index.report import Progress
from notewell.index.watch import Watched
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore
from notewell.types.notices import Notice
from notewell.vault import Vault

# Some drives send no news of changes: a folder is looked through all the same, once it was not for so many seconds.
LOOKED_LATELY = 60.0
# Pages of a store kept in memory by each thread, in KiB: with four times as many a search is no quicker, and the
# process is larger.
CACHE_KIB = 4_000


class KeptVault(Vault):
    """A vault that stays open; it looks through its folder only if something changed there.

    Searches may come from many threads; what changes the store, and asks the watch, from one at a time.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__(root, settings)
        self._watched: Watched | None = None
        self._unwatchable = False
        self._looked = -LOOKED_LATELY
        self._up_to_date: object = None

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Take in what changed, if anything did since all was taken in."""
        # Before the folder is looked through: what changes meanwhile is for the next time.
        changed = self._watched is None or not self.is_watched or self._watched.changed()
        # A vault that was never indexed has no state, and is never up to date.
        if not changed and self._up_to_date is not None and self._up_to_date == self._state():
            return ()
        self._up_to_date, self._looked = None, time.monotonic()
        notices = super().refresh(progress)
        if not notices:
            self._up_to_date = self._state()
        return notices

    def keep_up(self, marks: Path) -> tuple[Notice, ...]:
        """Watch the folder, look through it if that was long ago, and take in what changed, if it is indexed."""
        check_folder(self.root)
        if not self.is_watched and (self.is_old or not self._unwatchable):
            self._begin_watching(marks)
            self._up_to_date = None
        if self.is_old:
            self._up_to_date, self._looked = None, time.monotonic()
        return self.refresh() if self.indexed else ()

    @property
    def is_watched(self) -> bool:
        """Tell whether the system tells of changes."""
        return self._watched is not None and self._watched.in_place

    @property
    def is_old(self) -> bool:
        """Tell whether the folder was not looked through for long."""
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
            self._unwatchable = False
        except OSError:
            # Too many folders for the system, or a drive without such news: it is looked through.
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
        return self.settings.index, self.settings.chunk, self.store, self.store.state.indexed_at

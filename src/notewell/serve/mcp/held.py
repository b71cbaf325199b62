"""A vault that a server holds for long: what changed is taken in by each call, what takes longer behind them."""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Protocol

from notewell.errors import NotewellError, StoreBusy
from notewell.index import Progress
from notewell.index.place import check_folder
from notewell.vault import Vault

# How long after a run that failed the next one is tried, in seconds: what was wrong may be mended by then.
RETRY = 60.0
# How long a server that ends waits for a run to keep what it has done, in seconds.
GRACE = 0.5


class Keeper(Protocol):
    """Who keeps a vault up to date for others, too: one run at a time, and looks that are not too often."""

    def look(self) -> tuple[str, ...]:
        """Take in what changed, if that is quick and due; return what the user should know."""


class Held:
    """A vault, and the run that indexes it behind the calls, if there is one."""

    def __init__(self, vault: Vault, keeper: Keeper | None = None) -> None:
        self.vault = vault
        self._keeper = keeper
        self.done = 0
        self.total = 0
        self._stop = Event()
        self._starting = Lock()
        self._refreshing = Lock()
        self._run: Thread | None = None
        self._failure: NotewellError | None = None
        self._next_try = 0.0

    @property
    def indexing(self) -> bool:
        """Tell whether a run goes on."""
        return self._run is not None and self._run.is_alive()

    @property
    def progress(self) -> tuple[int, int] | None:
        """Return how many notes of how many the run has read; nothing if none goes on."""
        return (self.done, self.total) if self.indexing else None

    def begin(self) -> None:
        """Begin to index a vault that never was; it goes on behind. One that was taken away is not made anew."""
        check_folder(self.vault.root)
        if self._keeper is None and not self.vault.indexed:
            self._start()

    def take_in(self, *, refresh: bool) -> tuple[str, ...]:
        """Take in what changed, if that is quick, and the rest behind; return what a model should know."""
        if self._keeper is not None:
            return self._keeper.look() if refresh else ()
        if self.indexing:
            return (self._far(),)
        if self._failure is not None and not self.vault.indexed:
            failure, self._failure = self._failure, None
            raise failure
        if not refresh:
            return ()
        # Two calls at once are one refresh: the second would be told that somebody else is writing.
        with self._refreshing:
            notices = self.vault.refresh()
        if notices and time.monotonic() >= self._next_try:
            # Whatever kept it from being quick; what keeps it from being done at all is told by the next call.
            self._start()
            return (self._far(),)
        return notices

    def close(self) -> None:
        """Let a run end; what it has kept stays, and the next one goes on from there."""
        self._stop.set()
        if self._run is not None:
            self._run.join(GRACE)

    def _far(self) -> str:
        if not self.vault.indexed:
            fact = f"The notes are being indexed for the first time: {self.done:,} of {self.total:,} are read"
            raise StoreBusy(fact, "Ask again in half a minute")
        far = f", {self.done:,} of {self.total:,}" if self.total else ""
        return f"notes are being taken in{far}; ask again in a minute to find them all"

    def _start(self) -> None:
        with self._starting:
            if not self.indexing and not self._stop.is_set():
                self._failure, self.done, self.total = None, 0, 0
                self._run = Thread(target=self._index, name="notewell index", daemon=True)
                self._run.start()

    def _index(self) -> None:
        try:
            self.vault.index(progress=Progress(self._tell, self._stop.is_set))
        except NotewellError as error:
            # A store that somebody else is writing to is full of what was to be done here.
            self._failure = error
            self._next_try = 0.0 if isinstance(error, StoreBusy) else time.monotonic() + RETRY
        finally:
            with suppress(NotewellError):
                self.vault.store.close()

    def _tell(self, done: int, total: int) -> None:
        self.done, self.total = done, total

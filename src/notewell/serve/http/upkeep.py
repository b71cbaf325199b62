"""Keeping a served vault up to date: a look before a search, not too often, and whole runs, one at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from notewell.errors import NotewellError, StoreBusy
from notewell.index import Progress
from notewell.index.place import check_folder
from notewell.serve.answers import of_report
from notewell.serve.http.problems import INSIDE, INSIDE_HINT, encoded
from notewell.vault import Vault

# Between two looks for changed files, in seconds; and as a multiple of what the last one took, so that a vault of
# 17,000 files, where a look takes 0.2 s, does not spend its time on them.
PAUSE = 1.0
PAUSE_TIMES = 10
# How long a run waits for another's that is at it, in seconds: longer than what a search takes in before it.
WAIT_SECONDS = 2.0
# How often a run's progress is looked at, in seconds.
LOOK_SECONDS = 0.05
# A run that is told to stop ends with the note at hand, and is waited for this long, in seconds.
STOP_SECONDS = 5.0


class Run:
    """One run of indexing, in a thread of its own."""

    def __init__(self, vault: Vault, stop: Callable[[], bool]) -> None:
        self.is_over = False
        self._vault = vault
        self._stop = stop
        self._left = threading.Event()
        self._progress = 0, 0
        self._answer: dict[str, Any] = {}
        self._error: BaseException | None = None
        # A process that ends does not wait for it: what is not kept is done again the next time.
        self._thread = threading.Thread(target=self._run, name="reload", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def leave(self) -> None:
        """Listen no more: the run ends with the note at hand."""
        self._left.set()

    def join(self) -> None:
        """Wait for its end, but not for long."""
        self._thread.join(STOP_SECONDS)

    async def begun(self) -> None:
        """Wait until there is something to tell: progress, the end, or an error, which is raised."""
        while not self.is_over and self._progress == (0, 0):
            await asyncio.sleep(LOOK_SECONDS)
        if self._error:
            raise self._error

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield how far it is, a line each, and at last the report, or the error."""
        told = 0, 0
        while not self.is_over:
            if self._progress != told:
                told = self._progress
                yield encoded(dict(zip(("done", "total"), told, strict=True))) + b"\n"
            await asyncio.sleep(LOOK_SECONDS)
        yield encoded(self._last()) + b"\n"

    def _last(self) -> dict[str, Any]:
        if isinstance(self._error, NotewellError):
            return {"error": self._error.fact, "hint": self._error.hint}
        return {"error": INSIDE, "hint": INSIDE_HINT} if self._error else self._answer

    def _tell(self, done: int, total: int) -> None:
        self._progress = done, total

    def _run(self) -> None:
        try:
            progress = Progress(self._tell, lambda: self._left.is_set() or self._stop())
            report = self._vault.index(progress=progress, wait=WAIT_SECONDS)
            unchanged = not (report.added or report.changed or report.removed or report.interrupted)
            self._answer = {**of_report(report, self._vault.store.about()), "unchanged": unchanged}
            # This thread's connection; the others have theirs.
            self._vault.store.close()
        except BaseException as error:  # whoever listens gets it
            self._error = error
        finally:
            self.is_over = True


class Upkeep:
    """What keeps one vault up to date for all who ask."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._looking = threading.Lock()
        self._next_look = 0.0
        self._notices: tuple[str, ...] = ()
        self._starting = threading.Lock()
        self._run: Run | None = None
        self._stopped = threading.Event()

    def check(self) -> None:
        """Refuse to go on without the vault's folder: a drive that is gone is no empty vault to make a store for."""
        check_folder(self._vault.root)

    def look(self) -> tuple[str, ...]:
        """Take in what changed, if that is quick and was not done just now; return what the user should know.

        One request looks; those that come meanwhile are answered from the state before, without waiting.
        """
        self.check()
        if self._is_running:
            return ("this vault is being brought up to date; this is its state before that",)
        if time.monotonic() >= self._next_look and self._looking.acquire(blocking=False):
            try:
                began = time.monotonic()
                self._notices = self._vault.refresh(Progress(stop=self._stopped.is_set))
                ended = time.monotonic()
                self._next_look = ended + max(PAUSE, PAUSE_TIMES * (ended - began))
            finally:
                self._looking.release()
        return self._notices

    def reload(self) -> Run:
        """Start a run; one that is under way is an error."""
        self.check()
        with self._starting:
            if self._is_running:
                raise StoreBusy(
                    "This vault is being brought up to date already", "Wait for that to end, then try again"
                )
            self._run = Run(self._vault, self._stopped.is_set)
            self._run.start()
        return self._run

    @property
    def _is_running(self) -> bool:
        return self._run is not None and not self._run.is_over

    def stop(self) -> None:
        """End a run with the note at hand; safe to call from a signal."""
        self._stopped.set()

    def close(self) -> None:
        """Wait for a run that was told to stop."""
        self.stop()
        if self._run:
            self._run.join()

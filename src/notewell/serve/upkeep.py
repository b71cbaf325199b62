"""Keeping a served vault up to date for all who ask: what changed is taken in first, what takes longer behind them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from notewell.errors import StoreBusy
from notewell.index import Progress, Report
from notewell.index.place import check_folder
from notewell.serve.kept import KeptVault
from notewell.store import About
from notewell.types.notices import Notice
from notewell.vault import Vault

# Where the system does not tell of changes, or they cannot be taken in, between two looks through the folder, in
# seconds; and as a multiple of what the last one took: in a vault of 17,000 files a look takes 0.2 s.
PAUSE = 1.0
PAUSE_TIMES = 10
# How long a request waits for another's look, in seconds: longer than what is called quick.
LOOK_SECONDS = 3.0
# How long a run waits for another process that is at it, in seconds: longer than what a search takes in before it.
WAIT_SECONDS = 2.0
# How long after a run that failed the next one is tried, in seconds: what was wrong may be mended by then, and who asks
# again at once does not wait for it to fail again.
RETRY_SECONDS = 10.0
# A run that is told to stop ends with the note at hand, and is waited for this long, in seconds.
STOP_SECONDS = 5.0


class IndexRun:
    """One run of indexing, in a thread of its own, that tells how far it is."""

    def __init__(self, vault: Vault, stop: Callable[[], bool]) -> None:
        self.progress = 0, 0
        self.report: Report | None = None
        self.about = About()
        self.error: BaseException | None = None
        self.over_at = 0.0
        self._vault = vault
        self._stop = stop
        self._left = threading.Event()
        # A process that ends does not wait for it: what is not kept is done again the next time.
        self._thread = threading.Thread(target=self._run, name="index", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def leave(self) -> None:
        """Listen no more: the run ends with the note at hand."""
        self._left.set()

    def join(self, seconds: float) -> None:
        """Wait for its end, but not for long."""
        self._thread.join(seconds)

    @property
    def is_over(self) -> bool:
        """Tell whether it has ended, well or not."""
        return bool(self.over_at)

    @property
    def failed_lately(self) -> bool:
        """Tell whether it failed a short while ago; where another process was writing, the next look is enough."""
        failed = self.error is not None and not isinstance(self.error, StoreBusy)
        return failed and time.monotonic() - self.over_at < RETRY_SECONDS

    def _tell(self, done: int, total: int) -> None:
        self.progress = done, total

    def _run(self) -> None:
        try:
            progress = Progress(self._tell, lambda: self._left.is_set() or self._stop())
            report = self._vault.index(progress=progress, wait=WAIT_SECONDS)
            self.about, self.report = self._vault.store.about(), report
        except BaseException as error:  # whoever listens gets it, or the next who asks
            self.error = error
        finally:
            self.over_at = time.monotonic()


class Upkeep:
    """What keeps one vault up to date: a look before each answer, and runs behind them, one at a time."""

    def __init__(self, vault: KeptVault) -> None:
        self.vault = vault
        # A folder of this process alone: what it makes there is the mark up to which it knows of changes.
        self._marks = Path(mkdtemp(prefix="notewell-"))
        self._looking = threading.Lock()
        self._looks = 0
        self._next_look = 0.0
        self._notices: tuple[Notice, ...] = ()
        self._starting = threading.Lock()
        self._run: IndexRun | None = None
        self._stopped = threading.Event()

    def check(self) -> None:
        """Refuse to go on without the vault's folder: a drive that is gone is no empty vault to make a store for."""
        check_folder(self.vault.root)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Return how many notes of how many the run has read; nothing if none goes on."""
        run = self._run
        return None if run is None or run.is_over else run.progress

    def look(self, *, refresh: bool = True) -> tuple[Notice, ...]:
        """Take in what changed, if that is quick, and the rest behind; return what the user should know."""
        self.begin()
        self._check_answerable()
        if self.progress is not None:
            return (self._notice_of_run(),)
        if not refresh:
            return ()
        notices = self._taken_in()
        return notices if self.progress is None else (self._notice_of_run(),)

    def begin(self) -> None:
        """Begin to index a vault that never was; it goes on behind. One that was taken away is not made anew."""
        self.check()
        if not self.vault.indexed:
            self._start()

    def reload(self) -> IndexRun:
        """Start a run for whoever listens to it; one that is under way is an error."""
        self.check()
        with self._starting:
            if self.progress is not None:
                raise StoreBusy(
                    "This vault is being brought up to date already", "Wait for that to end, then try again"
                )
            return self._started()

    def stop(self) -> None:
        """End a run with the note at hand; safe to call from a signal."""
        self._stopped.set()

    def close(self, wait: float = STOP_SECONDS) -> None:
        """Wait for a run that was told to stop, and leave nothing behind."""
        self.stop()
        if self._run is not None:
            self._run.join(wait)
        rmtree(self._marks, ignore_errors=True)

    def _check_answerable(self) -> None:
        """Refuse to answer for a vault that was never indexed, and say how far that is, or what keeps it from being."""
        run = self._run
        if self.vault.indexed or run is None:
            return
        if run.error is not None:
            raise run.error
        done, total = run.progress
        fact = f"The notes are being indexed for the first time: {done:,} of {total:,} are read"
        raise StoreBusy(fact, "Ask again in half a minute")

    def _taken_in(self) -> tuple[Notice, ...]:
        """Look, or wait for who does; one look serves all who came before it began."""
        awaited = self._looks + 1
        if not self._looking.acquire(timeout=LOOK_SECONDS):
            return (Notice("changes_being_indexed"),)
        try:
            if self._looks < awaited and time.monotonic() >= self._next_look:
                self._looks += 1
                self._look_now()
            return self._notices
        finally:
            self._looking.release()

    def _look_now(self) -> None:
        began = time.monotonic()
        self._notices = self.vault.keep_up(self._marks)
        ended = time.monotonic()
        # A watch costs nothing to ask; while something is left to take in, though, each look is a walk.
        is_cheap = self.vault.is_watched and not self._notices
        self._next_look = 0.0 if is_cheap else ended + max(PAUSE, PAUSE_TIMES * (ended - began))
        if self._notices:
            # Whatever kept it from being quick; what keeps it from being done at all is told by the next look.
            self._start()

    def _start(self) -> None:
        """Start a run behind, unless one goes on, or the last one has just failed."""
        with self._starting:
            failed = self._run is not None and self._run.failed_lately
            if self.progress is None and not failed and not self._stopped.is_set():
                self._started()

    def _started(self) -> IndexRun:
        # What it does not take in is looked for as soon as it is over.
        self._next_look = 0.0
        self._run = IndexRun(self.vault, self._stopped.is_set)
        self._run.start()
        return self._run

    def _notice_of_run(self) -> Notice:
        done, total = self.progress or (0, 0)
        return Notice("indexing_now", {"done": done, "total": total}) if total else Notice("indexing_begun")

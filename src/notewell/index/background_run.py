"""An indexing run in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from notewell.errors import StoreBusy
from notewell.index import Progress, Report
from notewell.index.runs import Indexing
from notewell.types.notices import Notice


class BackgroundRun:
    """One indexing run in a thread of its own, which others can follow; it stops if the settings change."""

    def __init__(self, indexing: Indexing, wait: float, stop: Callable[[], bool]) -> None:
        self.progress = 0, 0
        self.report: Report | None = None
        self.error: BaseException | None = None
        self._over_at = 0.0
        self._notices: tuple[Notice, ...] = ()
        self._indexing = indexing
        self._wait = wait
        self._stop = stop
        self._left = threading.Event()
        # The process does not wait for it when it ends: what is not stored yet is read again next time.
        self._thread = threading.Thread(target=self._run, name="index", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def leave(self) -> None:
        """End the run after the current note, because nobody follows it any more."""
        self._left.set()

    def join(self, seconds: float) -> None:
        """Wait for its end, at most this many seconds."""
        self._thread.join(seconds)

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the notices of the run, once."""
        notices, self._notices = self._notices, ()
        return notices

    @property
    def is_over(self) -> bool:
        """Tell whether it has ended, successfully or not."""
        return bool(self._over_at)

    def failed_within(self, seconds: float) -> bool:
        """Tell whether it failed within the last seconds; a busy store does not count, as the next look tries again."""
        failed = self.error is not None and not isinstance(self.error, StoreBusy)
        return failed and time.monotonic() - self._over_at < seconds

    def _tell(self, done: int, total: int) -> None:
        self.progress = done, total

    def _run(self) -> None:
        try:
            progress = Progress(self._tell, lambda: self._left.is_set() or self._stop())
            self.report = self._indexing.run(progress=self._indexing.while_unchanged(progress), wait=self._wait)
            self._notices = self.report.notices
        except BaseException as error:  # reported to the follower, or to the next request
            self.error = error
        finally:
            self._over_at = time.monotonic()

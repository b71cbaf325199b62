"""The time limit of a hook: one that is late prints nothing and exits with 0, whatever it is doing."""

from __future__ import annotations

import math
import os
import select
import threading
import time
from collections.abc import Callable

from notewell.serve.daemon.client import TO_PRINT
from notewell.serve.hooks.payload import TooLate

# In milliseconds, until the settings of a vault are read.
LIMIT = 300
# Reasons in the log.
OUT_OF_TIME = "out of time"
STDIN_OPEN = "stdin was not closed in time"
STDOUT_CLOSED = "stdout is closed"


class Limit:
    """The deadline of a hook, counted from its start.

    In a process that runs one hook, `watch` ends the process at the deadline from another thread, even while a slow
    disk or a library holds the hook up. The daemon is not ended: its client waits `until` a moment and no longer, and
    an answer that is not claimed by then is not printed.
    """

    def __init__(self, began: float, milliseconds: int | None = None, *, until: float = math.inf) -> None:
        """Start with the milliseconds of the command line; None leaves them to the settings."""
        self.began = began
        self._given, self._until = milliseconds, until
        self._changed = threading.Condition()
        self._claimed = False
        self.deadline = self._after(LIMIT)

    @property
    def awaited(self) -> bool:
        """Tell whether a client still waits for this hook; one that gave up has logged that itself."""
        return time.monotonic() < self._until + TO_PRINT

    def allow(self, milliseconds: int) -> None:
        """Use the limit of the settings, unless the command line set one."""
        with self._changed:
            self.deadline = self._after(milliseconds)
            self._changed.notify()

    def claim(self) -> None:
        """Raise `TooLate` after the deadline; before it, let the answer be printed whole, however long that takes."""
        with self._changed:
            if time.monotonic() > self.deadline:
                raise TooLate(OUT_OF_TIME)
            self.end()

    def end(self) -> None:
        """Stop watching: only the log remains to be written."""
        with self._changed:
            self._claimed = True
            self._changed.notify()

    def watch(self, log_late: Callable[[], None]) -> None:
        """End this process at the deadline, with exit code 0 and nothing printed, after `log_late`."""
        threading.Thread(target=self._watch, args=(log_late,), name="notewell-limit", daemon=True).start()

    def _after(self, milliseconds: int) -> float:
        return min(self._until, self.began + (self._given or milliseconds) / 1000)

    def _watch(self, log_late: Callable[[], None]) -> None:
        with self._changed:
            while not self._claimed and (left := self.deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            # The lock is held to the end, so that no answer begins to print now.
            if not self._claimed:
                log_late()
                os._exit(0)


def is_stalled(stream: int) -> bool:
    """Tell whether a stream has neither ended nor anything to read; True where the system does not say."""
    try:
        return not select.select((stream,), (), (), 0)[0]
    except (OSError, ValueError):
        return True

"""The limit on time: a hook that is late says nothing and ends well, in the middle of whatever it does."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable

from notewell.serve.daemon.client import TO_PRINT
from notewell.serve.hooks.payload import Late

# In milliseconds; what a vault's settings say comes later, and this is for what comes before them.
LIMIT = 300
OUT_OF_TIME = "out of time"


class Limit:
    """By when a hook has to be done, counted from when it began.

    A process that runs one hook is ended by `watch`: whatever holds it up, a slow disk or a library that never comes
    back, another thread ends it. A process that answers many is not: its client waits `until` a moment and no longer,
    and what is not claimed by then is not said.
    """

    def __init__(self, began: float, milliseconds: int | None = None, *, until: float = math.inf) -> None:
        """Begin with the milliseconds that the command line gave; none leaves it to the settings."""
        self.began = began
        self._given, self._until = milliseconds, until
        self._changed = threading.Condition()
        self._claimed = False
        self.deadline = self._after(LIMIT)

    @property
    def awaited(self) -> bool:
        """Tell whether anybody waits for this hook: a client that has gone has logged that by itself."""
        return time.monotonic() < self._until + TO_PRINT

    def allow(self, milliseconds: int) -> None:
        """Take the limit that the settings name, unless the command line named one."""
        with self._changed:
            self.deadline = self._after(milliseconds)
            self._changed.notify()

    def claim(self) -> None:
        """Raise `Late` if it is too late; else what is said now is said whole, however long that takes."""
        with self._changed:
            if time.monotonic() > self.deadline:
                raise Late(OUT_OF_TIME)
            self._claimed = True
            self._changed.notify()

    def end(self) -> None:
        """Stop watching: there is nothing to say, and only that is to be logged."""
        with self._changed:
            self._claimed = True
            self._changed.notify()

    def watch(self, late: Callable[[], None]) -> None:
        """End this process at the deadline, with exit code 0 and nothing printed; `late` logs it."""
        threading.Thread(target=self._watch, args=(late,), name="notewell-limit", daemon=True).start()

    def _after(self, milliseconds: int) -> float:
        return min(self._until, self.began + (self._given or milliseconds) / 1000)

    def _watch(self, late: Callable[[], None]) -> None:
        with self._changed:
            while not self._claimed and (left := self.deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            # Held to the end: what has not begun to print never does.
            if not self._claimed:
                late()
                os._exit(0)

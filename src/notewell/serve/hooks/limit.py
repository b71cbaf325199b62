"""The limit on time: a process that is late says nothing and ends well, in the middle of whatever it does."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

# Whether a hook may end the process that it runs in.
_alone = True


def leave_to_client() -> None:
    """Say that this process answers many: from now on no hook ends it, and whoever asks waits only so long."""
    global _alone
    _alone = False


def is_alone() -> bool:
    """Tell whether this process runs one hook, and may be ended with it."""
    return _alone


class Limit:
    """Ends this process at a moment, with exit code 0 and nothing printed, unless it is done before.

    Whatever holds it up, a slow disk or a library that never comes back, another thread ends it. A process that
    answers many must not be ended so: it makes no limit, and its client waits no longer than the hook may take.
    """

    def __init__(self, deadline: float, late: Callable[[], None]) -> None:
        """Begin to watch; `late` is called, to log it, before the process ends."""
        self._deadline = deadline
        self._late = late
        self._changed = threading.Condition()
        self._done = False
        threading.Thread(target=self._watch, name="notewell-limit", daemon=True).start()

    def until(self, deadline: float) -> None:
        """Move the moment."""
        with self._changed:
            self._deadline = deadline
            self._changed.notify()

    def done(self) -> None:
        """Stop watching: what is said now is said whole."""
        with self._changed:
            self._done = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._done and (left := self._deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            # Held to the end: what has not begun to print never does.
            if not self._done:
                self._late()
                os._exit(0)

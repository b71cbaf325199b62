"""What the daemon checks about itself: whether its code is still the installed one, and how much memory it uses."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click

PACKAGE = __name__.partition(".")[0]
STATM = Path("/proc/self/statm")
# What the daemon is started with as MALLOC_ARENA_MAX and MALLOC_MMAP_THRESHOLD_, by the numbers in malloc.h.
MALLOC = {-8: 1, -3: 1 << 20}
# Seconds between two times that freed memory is returned, and of processor time that a process has to use before.
TRIM_SECONDS, TRIM_AFTER = 2.0, 0.05

FileStamp = tuple[int, int]


class RunningCode:
    """The files that this process has loaded, as they were then."""

    def __init__(self) -> None:
        # Installing an extra changes the folder of packages, and what commands can do.
        packages = os.path.dirname(os.path.dirname(click.__file__))  # noqa: PTH120
        self._stamps: dict[str, FileStamp | None] = {packages: _stamp(packages)}
        self.add_loaded()

    def add_loaded(self) -> None:
        """Add the modules that were loaded since the last time."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and name.partition(".")[0] == PACKAGE and file not in self._stamps:
                self._stamps[file] = _stamp(file)

    @property
    def is_current(self) -> bool:
        """Tell whether every file is as it was."""
        return all(_stamp(file) == stamp for file, stamp in self._stamps.items())


def _stamp(file: str) -> FileStamp | None:
    try:
        about = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def memory_mb() -> float | None:
    """Return how much memory this process uses, mapped files included; None where the system does not say."""
    try:
        pages = int(STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def stay_small() -> bool:
    """Let all threads allocate from one arena, large arrays apart from it, and return what is freed; False if not here.

    Each of a server's threads would keep an arena of its own, with holes in it: 15 to 30 MB for four threads. What four
    searches at once have freed, another 28 MB, would stay with the process, too.
    """
    try:
        tune, trim = ctypes.CDLL(None).mallopt, ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        # Only glibc has it, and needs it.
        return False
    tuned = all(tune(option, value) for option, value in MALLOC.items())
    # After that, or it would have an arena of its own.
    threading.Thread(target=_trim_regularly, args=(trim,), name="trim", daemon=True).start()
    return tuned


def _trim_regularly(trim: Callable[[int], int]) -> None:
    worked = 0.0
    while True:
        time.sleep(TRIM_SECONDS)
        # 2 to 4 ms, in which other threads run on until they allocate; nothing for a server that nobody asks.
        if time.process_time() > worked + TRIM_AFTER:
            trim(0)
            worked = time.process_time()


def free_memory() -> None:
    """Return freed memory to the system, which would otherwise stay with this process."""
    gc.collect()
    with suppress(OSError, AttributeError):
        # Only glibc has it, and needs it.
        ctypes.CDLL(None).malloc_trim(0)

"""What the daemon checks about itself: whether its code is still the installed one, and how much memory it uses."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

import click

PACKAGE = __name__.partition(".")[0]
STATM = Path("/proc/self/statm")
# What the daemon is started with as MALLOC_ARENA_MAX and MALLOC_MMAP_THRESHOLD_, by the numbers in malloc.h.
MALLOC = {-8: 1, -3: 1 << 20}

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


def keep_one_arena() -> bool:
    """Let all threads allocate from one arena, and large arrays apart from it; tell whether the system could.

    Each of a server's threads would keep an arena of its own, with holes in it: 15 to 30 MB for four threads.
    """
    try:
        tune = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        # Only glibc has it, and needs it.
        return False
    return all(tune(option, value) for option, value in MALLOC.items())


def free_memory() -> None:
    """Return freed memory to the system, which would otherwise stay with this process."""
    gc.collect()
    with suppress(OSError, AttributeError):
        # Only glibc has it, and needs it.
        ctypes.CDLL(None).malloc_trim(0)

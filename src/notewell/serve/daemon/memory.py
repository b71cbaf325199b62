"""How much memory this process has, and giving back what it does not need."""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress
from pathlib import Path

STATM = Path("/proc/self/statm")


def megabytes() -> float | None:
    """Return how much memory the process has, mapped files included; None where the system does not tell."""
    try:
        pages = int(STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def give_back() -> None:
    """Let the system have what was freed; else it stays with the process for the next that needs some."""
    gc.collect()
    with suppress(OSError, AttributeError):
        # glibc's; elsewhere there is none, and no need.
        ctypes.CDLL(None).malloc_trim(0)

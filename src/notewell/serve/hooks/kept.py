"""What hooks kept, gone when it is old."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path


def clean_up(folder: Path, *, seconds: float, most: int) -> None:
    """Delete files that nobody touched for so long, and the oldest of more than so many."""
    with suppress(OSError):
        ages = []
        now = time.time()
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False):
                ages.append((now - entry.stat(follow_symlinks=False).st_mtime, entry.path))
        for place, (age, path) in enumerate(sorted(ages)):
            if age > seconds or place >= most:
                with suppress(OSError):
                    Path(path).unlink()

"""One writer at a time: a lock that the system frees when its holder ends, however it ends."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from notewell.errors import StoreBusy, StoreError

# How often a waiting writer looks again, in seconds.
PAUSE = 0.05


@contextmanager
def held(file: Path, wait: float) -> Iterator[None]:
    """Hold the lock in `file`, waiting at most `wait` seconds for whoever has it."""
    try:
        stream = file.open("a+", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{file.parent} cannot be written: {error.strerror or error}",
            "Check its permissions, or set store.path to a place that can be written",
        ) from error
    with stream:
        deadline = time.monotonic() + wait
        while not _take(stream):
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"{_holder(file)} is writing to this vault's store", "Wait for it to end, then try again"
                )
            time.sleep(PAUSE)
        _sign(stream)
        try:
            yield
        finally:
            stream.truncate(0)
            _free(stream)


def _sign(stream: IO[str]) -> None:
    stream.truncate(0)
    json.dump({"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}, stream)
    stream.flush()


def _holder(file: Path) -> str:
    """Return who holds the lock and since when, as its holder signed."""
    try:
        signed = json.loads(file.read_text(encoding="utf-8"))
        return f"Process {signed['pid']}, since {signed['since']},"
    except (OSError, ValueError, LookupError, TypeError):
        return "Another process"


if sys.platform == "win32":
    import msvcrt

    def _take(stream: IO[str]) -> bool:
        try:
            stream.seek(1 << 20)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _free(stream: IO[str]) -> None:
        stream.seek(1 << 20)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(stream: IO[str]) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _free(stream: IO[str]) -> None:
        fcntl.flock(stream, fcntl.LOCK_UN)

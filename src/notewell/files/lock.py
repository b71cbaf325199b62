"""A lock file for one writer at a time, which the system frees when its holder ends, even by a crash."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from notewell.errors import StoreBusy, StoreError
from notewell.files.safe_open import read_plain

# How long a waiting writer sleeps between tries, in seconds.
PAUSE = 0.05
# Links are not followed: in a vault from a stranger, one could point at any file of the user. Pipes are not waited for.
OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# A lock file is empty, or has the signature of its holder, or of a holder that was killed. Other programs also write a
# process id into their lock files, so all of the content must match.
FORM = re.compile(rb'(?:\{"pid": \d+, "since": "[\d:T+-]+"\})?\Z')
# Longer than any signature.
LONGEST = 200


@contextmanager
def held(file: Path, wait: float, doing: str = "is writing to this vault's store") -> Iterator[None]:
    """Hold the lock in `file`, waiting up to `wait` seconds; `doing` says in errors what its holder does."""
    try:
        descriptor = os.open(file, OPEN, 0o644)
    except OSError as error:
        if file.is_symlink():
            raise _in_the_way(file) from error
        hint = "Check its permissions, or set store.path to a place that can be written"
        raise StoreError(f"{file.parent} cannot be written: {error.strerror or error}", hint) from error
    try:
        # Nor one that is a note, too: an empty one looks like a free lock.
        if not S_ISREG((found := os.fstat(descriptor)).st_mode) or found.st_nlink > 1:
            raise _in_the_way(file)
        deadline = time.monotonic() + wait
        while not _take(descriptor):
            if time.monotonic() >= deadline:
                raise StoreBusy(f"{_holder(file)} {doing}", "Wait for it to end, then try again")
            time.sleep(PAUSE)
        _check_free(file, descriptor)
        _sign(descriptor)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)
            _free(descriptor)
    finally:
        os.close(descriptor)


def _check_free(file: Path, descriptor: int) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    if not FORM.match(os.read(descriptor, LONGEST)):
        raise _in_the_way(file)


def _in_the_way(file: Path) -> StoreError:
    return StoreError(f"{file} exists and is not a Notewell lock file", "Move it away, or change store.path")


def _sign(descriptor: int) -> None:
    signed = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
    # On a full disk the lock still works; only the name of its holder is missing.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(signed).encode("ascii"))


def _holder(file: Path) -> str:
    """Return who holds the lock and since when, from its signature."""
    try:
        signed = json.loads(read_plain(file, LONGEST))
        return f"Process {signed['pid']}, since {signed['since']},"
    except (OSError, ValueError, LookupError, TypeError):
        return "Another process"


if sys.platform == "win32":
    import msvcrt

    # Windows also keeps others from reading a locked byte, so one far behind the signature is locked.
    LOCKED_BYTE = 1 << 20

    def _take(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _free(descriptor: int) -> None:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _free(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

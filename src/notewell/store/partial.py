"""The folder in which a backup is written before it gets its name; a later backup deletes what a killed one left."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from notewell.errors import StoreError
from notewell.files.lock import held
from notewell.store.sqlite.files import delete_store

PREFIX = ".notewell-backup-"
# Its name, also as older versions gave it.
NAME = re.compile(r"\.notewell-(?:backup-)?[a-z0-9_]{8}")
# Held while the backup is written, so that another one knows it from what was left.
LOCK = "lock"
# A folder that was made within so many seconds may not have its lock yet.
FRESH_SECONDS = 5.0


@contextmanager
def partial_folder(parent: Path) -> Iterator[Path]:
    """Make a folder for a file that will be moved to `parent`, and delete it at the end; delete what was left there."""
    # One command of many needs it.
    from tempfile import mkdtemp  # noqa: PLC0415

    _delete_left(parent)
    folder = Path(mkdtemp(prefix=PREFIX, dir=parent))
    try:
        with held(folder / LOCK, 0):
            try:
                yield folder
            finally:
                _empty(folder)
    finally:
        _remove(folder)


def _delete_left(parent: Path) -> None:
    with os.scandir(parent) as entries:
        left = [Path(entry) for entry in entries if NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)]
    for folder in left:
        with suppress(OSError, StoreError):
            if time.time() - folder.stat().st_mtime < FRESH_SECONDS and not (folder / LOCK).exists():
                continue
            with held(folder / LOCK, 0, "is writing a backup"):
                _empty(folder)
            _remove(folder)


def _empty(folder: Path) -> None:
    """Delete the stores in a folder, and their companions; anything else stays, and the folder with it."""
    for file in folder.iterdir():
        with suppress(OSError, StoreError):
            if file.name != LOCK and not file.is_symlink() and file.is_file():
                delete_store(file)


def _remove(folder: Path) -> None:
    with suppress(OSError):
        if {file.name for file in folder.iterdir()} <= {LOCK}:
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()

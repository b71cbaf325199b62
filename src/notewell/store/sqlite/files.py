"""The files of a store: which is ours, copying one whole, deleting one with its companions."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import apsw

from notewell.errors import StoreError
from notewell.store.sqlite.connection import READ_ONLY
from notewell.store.sqlite.schema import APPLICATION_ID

# SQLite's companions of a file in use.
COMPANIONS = ("-wal", "-shm")


def delete_store(file: Path) -> None:
    """Delete a store's file and its companions; another's file is left alone."""
    if file.exists() and not _is_ours(file):
        hint = "Move it away, or set store.path to a file that Notewell may write"
        raise StoreError(f"{file} is in the way, and not a store of Notewell's", hint)
    for suffix in ("", *COMPANIONS):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _is_ours(file: Path) -> bool:
    """Tell whether a file has our mark in its header, or lies in a folder of ours."""
    with file.open("rb") as stream:
        return stream.read(72)[68:] == APPLICATION_ID.to_bytes(4, "big") or file.parent.name == ".notewell"


def size(file: Path) -> int:
    """Return how many bytes a store takes; what was written last lies in a file beside it for a while."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def identity(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from another of its name; nothing, if there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def copy_file(file: Path, other: Path) -> None:
    """Copy a database, whole, into another file; the first is only read."""
    source = apsw.Connection(f"file:{quote(str(file.absolute()))}", flags=READ_ONLY)
    target = apsw.Connection(str(other))
    try:
        copy(source, target)
    finally:
        source.close()
        target.close()


def copy(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy a database, whole, over another, in one step."""
    with target.backup("main", source, "main") as backup:
        backup.step(-1)

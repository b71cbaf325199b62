"""The files of a store: which is ours, copying one whole, deleting one with its companions."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from urllib.parse import quote

import apsw

from notewell.errors import StoreError
from notewell.files.lock import FORM
from notewell.store.sqlite.connection import READ_ONLY
from notewell.store.sqlite.folder import OURS
from notewell.store.sqlite.schema import APPLICATION_ID

MARK = APPLICATION_ID.to_bytes(4, "big")
# How SQLite's companions of a file in use begin: by their numbers, or, before they are synced, by zeros.
COMPANIONS = {
    "-journal": re.compile(rb"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7|\0{8}"),
    "-wal": re.compile(rb"\x37\x7f\x06[\x82\x83]"),
    "-shm": re.compile(rb"\x18\xe2\x2d\0|\0\x2d\xe2\x18|\0{8}"),
}
# And how those begin that are ours: locks, what was read last, and a store that is built beside, with its companions.
BESIDE = {
    **COMPANIONS,
    **dict.fromkeys((".lock", ".fill", ".memory", ".opened.lock"), FORM),
    ".opened": re.compile(rb'\{"at": "[\d:.T+-]+", "opened": \['),
    ".new": re.compile(rb"SQLite format 3\0.{52}" + re.escape(MARK), re.DOTALL),
    **{f".new{suffix}": form for suffix, form in COMPANIONS.items()},
}
# As much of a file as tells whose it is.
BEGINS = 200


def check_files(file: Path) -> None:
    """Refuse to open a store where a file of somebody else's would be read, overwritten or deleted with it."""
    for suffix in ("", *COMPANIONS):
        _check_plain(file.with_name(file.name + suffix))
    # That folder is ours, and what is damaged in it is made anew.
    if file.parent.name == OURS:
        return
    begins = _begins(file)
    if begins and not BESIDE[".new"].match(begins):
        raise _in_the_way(file, "not a store of Notewell's")
    if not begins:
        _check_beside(file, is_begun=begins is not None)


def _check_beside(file: Path, *, is_begun: bool) -> None:
    """Refuse to make a store beside a file that is not ours, by whose name it would be taken for one."""
    for suffix, form in BESIDE.items():
        _check_plain(other := file.with_name(file.name + suffix))
        begins = _begins(other)
        # Who was killed in the first moment left empty ones.
        if begins is not None and not form.match(begins) and (begins or not is_begun):
            raise _in_the_way(other, f"what belongs to a store {file.name} would overwrite it")


def _check_plain(file: Path) -> None:
    """Refuse a link, which may lead to any file, and a pipe, which would be waited for, for ever."""
    with suppress(FileNotFoundError, NotADirectoryError):
        if not S_ISREG(file.lstat().st_mode):
            raise _in_the_way(file, "a link, or no plain file")


def _begins(file: Path) -> bytes | None:
    """Return how a file begins; nothing, if there is none."""
    try:
        with file.open("rb") as stream:
            return stream.read(BEGINS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}", "Check its permissions") from error


def _in_the_way(file: Path, why: str) -> StoreError:
    hint = "Move it away, or set store.path to a file that Notewell may write"
    return StoreError(f"{file} is in the way: {why}", hint)


def delete_store(file: Path) -> None:
    """Delete a store's file and its companions; another's file is left alone."""
    if file.exists() and not _is_ours(file):
        raise _in_the_way(file, "not a store of Notewell's")
    for suffix in ("", *COMPANIONS):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _is_ours(file: Path) -> bool:
    """Tell whether a file has our mark in its header, lies in a folder of ours, or is empty: a kill leaves such."""
    begins = _begins(file)
    return not begins or begins[68:72] == MARK or file.parent.name == OURS


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

"""The files of a store: which of them are ours, and copying or deleting them with their companions."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

import apsw

from notewell.errors import REPAIR, StoreDamaged, StoreError
from notewell.files.lock import FORM
from notewell.files.safe_open import read_plain
from notewell.store.sqlite.connection import check_plain, create_private, in_the_way, open_to_read
from notewell.store.sqlite.place import OURS
from notewell.store.sqlite.schema import APPLICATION_ID

MARK = APPLICATION_ID.to_bytes(4, "big")
# How SQLite's companions of an open file begin: with magic numbers, or, before they are synced, with zeros.
COMPANIONS = {
    "-journal": re.compile(rb"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7|\0{8}"),
    "-wal": re.compile(rb"\x37\x7f\x06[\x82\x83]"),
    "-shm": re.compile(rb"\x18\xe2\x2d\0|\0\x2d\xe2\x18|\0{8}"),
}
# And how ours begin: locks, the list of opened notes, and a store that is built beside, with its companions.
BESIDE = {
    **COMPANIONS,
    **dict.fromkeys((".lock", ".fill", ".memory", ".opened.lock"), FORM),
    ".opened": re.compile(rb'\{"at": "[\d:.T+-]+", "opened": \['),
    ".new": re.compile(rb"SQLite format 3\0.{52}" + re.escape(MARK), re.DOTALL),
    **{f".new{suffix}": form for suffix, form in COMPANIONS.items()},
}
BACKUP_HINT = "Use a file that `notewell backup` wrote"
# What to do about one that is damaged.
UNCHANGED = "Use another backup; the store is unchanged"
# Where the header has the form in which a file is written: 1, or 2 with a log beside it.
WRITTEN_AS = 18
# The name of a store for other notes than the settings files choose.
SELECTED = re.compile(r"[^.]+-[0-9a-f]{8}(?:\.[\w-]+)?\.db")
UNUSED_SECONDS = 30 * 86_400.0
# This much of a file shows whose it is.
BEGINS = 200


def check_files(file: Path) -> None:
    """Reject a store if a file that is not ours would be read, overwritten or deleted with it."""
    check_plain(file)
    # In our own folder, damaged files are replaced.
    if file.parent.name == OURS:
        return
    begins = _begins(file)
    if begins and not BESIDE[".new"].match(begins):
        raise in_the_way(file, "it is not a Notewell store")
    if not begins:
        _check_beside(file, is_begun=begins is not None)


def check_writable_form(file: Path) -> None:
    """Reject a file whose header says that only a later SQLite may write it: ours never do."""
    begins = _begins(file)
    if begins and begins[WRITTEN_AS : WRITTEN_AS + 1] > b"\2":
        raise StoreDamaged(f"{file} is damaged: its header has numbers that Notewell does not write", REPAIR)


def check_backup(file: Path) -> None:
    """Reject a file that `notewell backup` did not write."""
    begins = _begins(file)
    if not begins:
        raise StoreError(f"{file} is empty", BACKUP_HINT)
    if not BESIDE[".new"].match(begins):
        raise StoreError(f"{file} is not a Notewell backup", BACKUP_HINT)


def _check_beside(file: Path, *, is_begun: bool) -> None:
    """Reject a new store beside a file of somebody else that has the name of one of its companions."""
    check_plain(file, BESIDE)
    for suffix, form in BESIDE.items():
        other = file.with_name(file.name + suffix)
        begins = _begins(other)
        # A process that was killed at its start left empty ones.
        if begins is not None and not form.match(begins) and (begins or not is_begun):
            raise in_the_way(other, f"the store {file.name} would overwrite it")


def _begins(file: Path) -> bytes | None:
    """Return the beginning of a file; None if there is no file."""
    try:
        return read_plain(file, BEGINS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}", "Check its permissions") from error


def beside(file: Path) -> Path:
    """Return the file in which a store is built that will take the place of another."""
    return file.with_name(f"{file.name}.new")


def delete_beside(file: Path) -> None:
    """Delete what an interrupted build left beside a store; a file of that name that is not ours stays."""
    if beside(file).exists():
        with suppress(StoreError):
            delete_store(beside(file))


def delete_unused(file: Path) -> None:
    """Delete stores of other selections of notes, in our own folder, that nobody has written to for a month."""
    if file.parent.name != OURS:
        return
    with suppress(OSError):
        for other in file.parent.iterdir():
            if SELECTED.fullmatch(other.name) and other != file and time.time() - newest(other) > UNUSED_SECONDS:
                with suppress(StoreError):
                    delete_store(other)


def newest(file: Path) -> float:
    """Return when a store was last written to; the latest writes are in its log for a while."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return max(part.lstat().st_mtime for part in parts if part.exists())


def delete_store(file: Path) -> None:
    """Delete a store's file and its companions; reject a file that is not ours."""
    if file.exists() and not _is_ours(file):
        raise in_the_way(file, "it is not a Notewell store")
    # It goes last: after a kill in between, what is left is still known as ours.
    delete_companions(file)
    _delete(file)


def delete_companions(file: Path) -> None:
    """Delete what SQLite keeps beside a store's file while it is open."""
    for suffix in COMPANIONS:
        _delete(file.with_name(file.name + suffix))


def _delete(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        # A folder of that name, or one in which nothing can be deleted.
        raise in_the_way(file, f"it cannot be deleted ({error.strerror or error})") from error


def _is_ours(file: Path) -> bool:
    """Tell whether a file has our mark in its header, is in our own folder, or is empty, as a kill may leave it."""
    begins = _begins(file)
    return not begins or begins[68:72] == MARK or file.parent.name == OURS


def identity(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one at its path; None if there is no file."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def copy_file(file: Path, other: Path) -> None:
    """Copy a database into another file; the first is only read."""
    source = open_to_read(file)
    target = create_private(other)
    try:
        copy(source, target)
    finally:
        source.close()
        target.close()


def copy(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy a database over another in one step."""
    with target.backup("main", source, "main") as backup:
        backup.step(-1)

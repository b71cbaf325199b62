"""Connections to the one file, and SQLite's errors as a fact and a hint."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from stat import S_IMODE, S_ISREG, S_IWUSR
from urllib.parse import quote

import apsw

from notewell.errors import REPAIR, StoreBusy, StoreDamaged, StoreError
from notewell.files.safe_open import NO_LINK, open_plain, why_not_written
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import taken
from notewell.store.tables.checked import LONGEST

READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
# How long a statement waits for SQLite's own lock; a whole run is guarded by `files/lock.py`.
BUSY_MS = 1_000
# With fewer bytes free, not even the file's companions can be made, and SQLite says that it cannot be written.
LEAST_FREE = 100_000
# What SQLite says of a file that is no database, or has rows that no statement of ours could have written.
DAMAGED = (
    apsw.NotADBError,
    apsw.CorruptError,
    apsw.ConstraintError,
    apsw.MismatchError,
    apsw.TooBigError,
    apsw.FormatError,
    apsw.NoMemError,
    # A statement without end; see `bound`.
    apsw.InterruptError,
)
# After each `STEPS` steps, SQLite asks whether to go on. A statement may take `LEAST_STEPS`, and one more for each byte
# of the file. Statements that write count together, until rows are read: for 18,000 chunks, an eighth of what they may.
STEPS, LEAST_STEPS = 1_000_000, 20_000_000
# Size of the page cache in KiB: the inner nodes of every table, and pages just read.
CACHE_KIB = 16_000


# How the names end of what SQLite writes: the file itself, and its companions.
WRITTEN = ("", "-journal", "-wal", "-shm")


def check_plain(file: Path, suffixes: Iterable[str] = WRITTEN) -> None:
    """Reject a file of a store that is a link, a pipe, or one file with another: SQLite would overwrite that one.

    Before each time that SQLite opens it; 1.5 µs for each name.
    """
    for suffix in suffixes:
        if why := why_not_written(f"{file}{suffix}"):
            raise in_the_way(file.with_name(file.name + suffix), why)


def in_the_way(file: Path, why: str) -> StoreError:
    """Return the error for a file that is not ours, and has the name of one that we would write."""
    hint = "Move it away, or set store.path to a file that Notewell may write"
    return StoreError(f"{file} cannot be used: {why}", hint)


def open_to_read(file: Path) -> apsw.Connection:
    """Open a file that is only read; a log beside it is read, too."""
    check_plain(file)
    return apsw.Connection(f"file:{quote(str(file.absolute()))}", flags=READ_ONLY)


def connect(file: Path, cache_kib: int = CACHE_KIB) -> apsw.Connection:
    """Open a file to read and write; if that fails, to read only; if that fails too, as it is on disk."""
    check_plain(file)
    db = _connect(file)
    db.pragma("cache_size", -cache_kib)
    # The file may be anybody's: nothing in its tables may call a function, and no value may fill the memory.
    db.pragma("trusted_schema", "off")
    db.limit(apsw.SQLITE_LIMIT_LENGTH, LONGEST)
    return db


def create_private(file: Path) -> apsw.Connection:
    """Open a file to write, which is created so that only its user may read it: it holds the text of notes."""
    # SQLite gives the companions the permissions of the file.
    os.close(open_plain(file, os.O_WRONLY | os.O_CREAT | NO_LINK))
    return apsw.Connection(str(file))


def _connect(file: Path) -> apsw.Connection:
    if not file.exists():
        with suppress(OSError):
            # If it cannot be created, SQLite says why.
            create_private(file).close()
        return _open(file)
    _mend_companions(file)
    refused: apsw.Error | None = None
    for open_it in (_open, _open_read_only, _open_immutable):
        try:
            db = open_it(file)
            db.execute(queries.ANY_TABLE).fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError, apsw.FullError) as error:
            refused = refused or error
        else:
            return db
    raise refused or apsw.CantOpenError(str(file))


def _mend_companions(file: Path) -> None:
    """Make the companions of a file writable that were made while it was not: it could never be written again."""
    mode = S_IMODE(file.stat().st_mode)
    for companion in (file.with_name(f"{file.name}{suffix}") for suffix in ("-shm", "-wal")):
        with suppress(OSError):
            if S_ISREG((found := companion.lstat()).st_mode) and mode & S_IWUSR and not found.st_mode & S_IWUSR:
                companion.chmod(mode)


def _open(file: Path) -> apsw.Connection:
    db = _bounded(file, str(file))
    db.set_busy_timeout(BUSY_MS)
    # Only for a new file: fewer half-empty overflow pages than with 4,096.
    db.pragma("page_size", 8192)
    # WAL with normal sync: a power cut may lose the last batch, never the file.
    db.pragma("synchronous", "normal")
    return db


def _open_read_only(file: Path) -> apsw.Connection:
    return _bounded(file, f"file:{quote(str(file))}", READ_ONLY)


def _open_immutable(file: Path) -> apsw.Connection:
    # Without the companions that readers share with a writer, and so without changes that only they hold.
    return _bounded(file, f"file:{quote(str(file))}?immutable=1", READ_ONLY)


def _bounded(file: Path, name: str, flags: int = READ_WRITE) -> apsw.Connection:
    """Open a file so that every statement ends: pages that lead back to each other have rows without end."""

    def is_endless() -> bool:
        taken.steps += STEPS
        return taken.steps > LEAST_STEPS + size(file)

    db = apsw.Connection(name, flags)
    db.set_progress_handler(is_endless, STEPS)
    return db


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Raise SQLite's errors as ours, with a fact and a hint."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusy(f"Another process is writing to {file}", "Wait for it to end, then try again") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        if is_full(file):
            raise StoreError(*_full(file)) from error
        hint = "Check the folder's permissions, or set store.path to a place that can be written"
        raise StoreError(f"The store {file} cannot be written: {error}", hint) from error
    except apsw.FullError as error:
        raise StoreError(*_full(file)) from error
    except apsw.InterruptError as error:
        raise StoreDamaged(f"{file} is damaged: it has rows without end", REPAIR) from error
    except DAMAGED as error:
        # Not what SQLite says, which may quote a name in the file.
        raise StoreDamaged(f"{file} is damaged: {_damage(error)}", REPAIR) from error
    except apsw.SQLError as error:
        raise StoreDamaged(f"{file} is damaged: a statement cannot read its tables or values", REPAIR) from error
    except apsw.IOError as error:
        raise StoreError(f"{file} cannot be read or written: {error}", "Check the disk, then run it again") from error


def _damage(error: apsw.Error) -> str:
    if isinstance(error, apsw.NotADBError):
        return "it is not a SQLite database"
    if isinstance(error, apsw.TooBigError | apsw.NoMemError):
        return "a value in it is too long"
    return "a page or row in it is not as it was written"


def size(file: Path) -> int:
    """Return the size of a store in bytes; the latest writes are in a file beside it for a while."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def is_full(file: Path) -> bool:
    """Tell whether the disk of a file has no room left; where that is not known, no."""
    try:
        return disk_usage(file.parent).free < LEAST_FREE
    except OSError:
        return False


def _full(file: Path) -> tuple[str, str]:
    # By its name: a backup is written in a temporary folder, which is gone when this is read.
    fact = f"The disk is full, so that {file.name} could not be written"
    return fact, "Free some space, then run it again; the store keeps its last state"

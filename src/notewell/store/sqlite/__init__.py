"""The store in one SQLite file: many readers and one writer at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from notewell.errors import StoreBusy, StoreError
from notewell.store import About
from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks
from notewell.store.sqlite.schema import APPLICATION_ID, TABLES, VERSION
from notewell.store.sqlite.snapshot import Arrays, SqliteSnapshot
from notewell.store.sqlite.writer import Batch
from notewell.types import Stamp

# How long a second writer waits for the first before it says so.
BUSY_MS = 1_000


class SqliteStore:
    """Chunks and vectors in one file."""

    def __init__(self, file: Path, *, embedder: str = "", dimensions: int = 0, recipe: str = "") -> None:
        """Open the store in `file`; a new one is made for this embedder, its dimensions and this recipe."""
        self.file = file
        self._local = threading.local()
        self._lock = threading.Lock()
        self._arrays: Arrays | None = None
        with _explained(file):
            self._prepare({"embedder": embedder, "dimensions": dimensions, "recipe": recipe})

    @property
    def db(self) -> apsw.Connection:
        """Return this thread's connection."""
        if not hasattr(self._local, "db"):
            self._local.db = _connect(self.file)
        connection: apsw.Connection = self._local.db
        return connection

    @property
    def embedder(self) -> str:
        """Return the fingerprint of the embedder whose vectors these are."""
        return str(self._meta("embedder"))

    @property
    def recipe(self) -> str:
        """Return how the chunks were made: a store of another recipe is made anew."""
        return str(self._meta("recipe"))

    @contextmanager
    def reading(self) -> Iterator[SqliteSnapshot]:
        """Hold one state of the store."""
        with self._steady():
            generation = int(self._meta("generation"))
            with self._lock:
                arrays = self._arrays
                if arrays is None or arrays.generation != generation:
                    arrays = self._arrays = Arrays.load(self.db, generation, int(self._meta("dimensions")))
            yield SqliteSnapshot(self.db, arrays)

    @contextmanager
    def writing(self) -> Iterator[Batch]:
        """Collect changes; they are kept together, or not at all."""
        with _explained(self.file):
            self.db.execute("begin immediate")
            try:
                batch = Batch(self.db, Blocks.load(self.db, int(self._meta("dimensions"))))
                yield batch
                batch.finish()
                if batch.changed:
                    self._set_meta("generation", int(self._meta("generation")) + 1)
                self._set_meta("indexed_at", datetime.now(UTC).isoformat(timespec="seconds"))
                self.db.execute("commit")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("rollback")
                raise

    @property
    def indexed_at(self) -> str:
        """Return when the last change was taken in; nothing for a new store."""
        return str(self._meta("indexed_at"))

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamp of every note, by path."""
        return self._stamps(queries.STAMPS)

    def skipped(self) -> dict[str, Stamp]:
        """Return the stamp of every skipped file, by path."""
        return self._stamps(queries.SKIPPED_STAMPS)

    def about(self) -> About:
        """Return counts, generation and what was skipped."""
        with self._steady():
            notes, chunks, links = self.db.execute(queries.COUNTS).get
            return About(
                notes=notes,
                chunks=chunks,
                links=links,
                generation=int(self._meta("generation")),
                embedder=self.embedder,
                indexed_at=self.indexed_at,
                skipped={str(path): str(reason) for path, reason in self.db.execute(queries.SKIPPED)},
                bytes=self.file.stat().st_size,
            )

    def replace_by(self, other: SqliteStore) -> None:
        """Take over another store's content in one step; readers see the old state until it is done."""
        with _explained(self.file):
            generation = int(self._meta("generation"))
            other._set_meta("generation", generation + 1)
            with self.db.backup("main", other.db, "main") as backup:
                backup.step(-1)
            self.db.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        """Close this thread's connection."""
        if hasattr(self._local, "db"):
            self._local.db.close()
            del self._local.db

    def _stamps(self, statement: str) -> dict[str, Stamp]:
        with _explained(self.file):
            rows: list[tuple[Any, ...]] = self.db.execute(statement).fetchall()
        return {path: Stamp(*rest) for path, *rest in rows}

    @contextmanager
    def _steady(self) -> Iterator[None]:
        """Let every statement inside see the same state."""
        with _explained(self.file), self.db:
            yield

    def _prepare(self, made_for: Mapping[str, str | int]) -> None:
        version = self.db.pragma("user_version")
        if version > VERSION:
            raise StoreError(
                f"{self.file} was written by a newer Notewell (format {version}, this one knows {VERSION})",
                "Update with `pip install -U notewell`; the store was left as it is",
            )
        if version == 0 and self.db.execute(queries.ANY_TABLE).get is not None:
            raise StoreError(
                f"{self.file} is another program's database", "Set store.path to a file that Notewell may write"
            )
        if version == 0:
            self.db.execute("begin immediate")
            # Another process may have made the tables while this one waited.
            if self.db.pragma("user_version") == 0:
                self.db.execute(TABLES)
                for key, value in {**made_for, "generation": 0, "indexed_at": ""}.items():
                    self._set_meta(key, value)
                self.db.pragma("user_version", VERSION)
                self.db.pragma("application_id", APPLICATION_ID)
            self.db.execute("commit")
        self.db.pragma("journal_mode", "wal")

    def _meta(self, key: str) -> str | int:
        value: str | int = self.db.execute(queries.META, {"key": key}).get
        return value

    def _set_meta(self, key: str, value: str | int) -> None:
        self.db.execute(queries.SET_META, {"key": key, "value": value})


def _connect(file: Path) -> apsw.Connection:
    db = apsw.Connection(str(file))
    db.set_busy_timeout(BUSY_MS)
    # Of a new file only: fewer half-empty overflow pages than with 4,096, 1.26 against 1.30 times the text.
    db.pragma("page_size", 8192)
    # WAL with normal sync: a power cut may lose the last batch, never the file.
    db.pragma("synchronous", "normal")
    db.pragma("cache_size", -16_000)
    return db


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Turn SQLite's errors into a fact and a hint."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusy(f"Another process is writing to {file}", "Wait for it to finish, then try again") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise StoreError(
            f"The store {file} cannot be written: {error}",
            "Check the folder's permissions, or set store.path to a place that can be written",
        ) from error
    except apsw.FullError as error:
        raise StoreError(
            f"The disk is full; {file} keeps its last state", "Free some space, then run it again"
        ) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreError(
            f"{file} is damaged: {error}", "Delete it and run `notewell index`; your notes are safe"
        ) from error
    except apsw.SQLError as error:
        raise StoreError(
            f"{file} is not a store of this Notewell: {error}", "Delete it and run `notewell index`"
        ) from error
    except apsw.IOError as error:
        raise StoreError(f"{file} cannot be read or written: {error}", "Check the disk, then run it again") from error

"""The store in one SQLite file: many readers and one writer at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from notewell.errors import StoreAltered, StoreDamaged, StoreError, StoreUnfit
from notewell.files.lock import held
from notewell.store import About, Files, MadeFor, Skip, State
from notewell.store.filters import count_tags
from notewell.store.sqlite import queries
from notewell.store.sqlite.check import find_altered, find_problems
from notewell.store.sqlite.checked import SqliteReader, fetch, fetch_one
from notewell.store.sqlite.connection import BUSY_MS, CACHE_KIB, connect, create_private, explained, size
from notewell.store.sqlite.files import (
    BACKUP_HINT,
    UNCHANGED,
    beside,
    check_files,
    check_writable_form,
    copy,
    copy_file,
    delete_companions,
    delete_store,
    identity,
)
from notewell.store.sqlite.links import check_listed
from notewell.store.sqlite.place import OWNER
from notewell.store.sqlite.schema import Meta, prepare
from notewell.store.sqlite.snapshot import SqliteSnapshot
from notewell.store.sqlite.vectors import carry_over
from notewell.store.sqlite.writer import Batch
from notewell.store.tables.arrays import Arrays
from notewell.store.tables.seal import NO_SEALS, Seals, not_yours
from notewell.types.note import Stamp

__all__ = ["SqliteStore", "copy_of", "delete_store"]

# A store is vacuumed when this share of its chunks, and at least this many, were replaced since the last time: a few
# seconds for 100,000 chunks, every few weeks.
WORN_SHARE = 0.15
WORN_LEAST = 200
# Lock files by purpose: how their names end, and what a process that has to wait is told.
LOCKS = {
    "index": (".lock", "is writing to this vault's store"),
    "encode": (".fill", "is encoding this vault's chunks"),
}


class SqliteStore:
    """Chunks and vectors in one file."""

    def __init__(
        self,
        file: Path,
        made_for: Callable[[], MadeFor],
        key: bytes = b"",
        *,
        is_damaged: bool = False,
        only_own: bool = False,
    ) -> None:
        """Open the store in `file`; `made_for` is only called to create a new one. `key` is the user's (`seal.py`).

        One that `is_damaged` is not opened, and can only be replaced. With `only_own`, another's is an error.
        """
        self.file = file
        self._key = key
        self._seals = Seals(key)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._arrays: Arrays | None = None
        self._kib = CACHE_KIB
        self._is_damaged = is_damaged
        check_files(file)
        if not is_damaged:
            check_writable_form(file)
            with explained(file):
                prepare(self.db, file, made_for, self._seals, only_own=only_own)
                self._is_new = not self._meta["indexed_at"]
        self._identity = identity(file)

    @property
    def in_place(self) -> bool:
        """Tell whether the open file is still the one at its path."""
        return identity(self.file) == self._identity

    @property
    def db(self) -> apsw.Connection:
        """Return this thread's connection."""
        if not hasattr(self._local, "db"):
            self._local.db = connect(self.file, self._kib)
        connection: apsw.Connection = self._local.db
        return connection

    @property
    def state(self) -> State:
        """Return the present state."""
        with self._transaction():
            return self._state()

    def about(self, *, tags: bool = False) -> About:
        """Return counts, sizes and why files were skipped; slower than `state`. `tags` are counted only if asked for.

        Text from a store that this user did not make is left out.
        """
        with self._transaction():
            state = self._meta.state(self._seals)
            is_own = state.origin == "own"
            notes, chunks, links = fetch_one(self.db, queries.COUNTS)
            encoded, unread = fetch_one(self.db, queries.ENCODER_COUNTS)
            return About(
                notes=notes,
                chunks=chunks,
                links=links,
                tags=self._tags(state.generation) if tags and is_own else {},
                generation=state.generation,
                embedder=state.made_for.embedder,
                indexed_at=state.indexed_at,
                skipped=self._skipped() if is_own else {},
                bytes=size(self.file),
                encoder=state.encoder,
                encoded=encoded,
                unread=unread,
            )

    def files(self) -> Files:
        """Return every indexed and skipped file with its stamp."""
        with self._transaction():
            rows, skipped = fetch(self.db, queries.STAMPS), fetch(self.db, queries.SKIPPED_STAMPS)
            # Unpacked one by one, not with `*`: a vault has many, and searches ask for them.
            return Files(
                {path: Stamp(mtime, size, digest, ctime) for path, mtime, size, digest, ctime in rows},
                {path: Skip(Stamp(*stamp), bool(again)) for path, *stamp, again in skipped},
            )

    def _tags(self, generation: int) -> dict[str, int]:
        self._seals.check_notes(SqliteReader(self.db), generation)
        return count_tags(tag for _, tag in fetch(self.db, queries.NOTE_TAGS))

    def _skipped(self) -> dict[str, str]:
        rows = fetch(self.db, queries.SKIPPED)
        for seal, path, reason in rows:
            self._seals.check(seal, "skipped", (path, reason))
        return {path: reason for _, path, reason in rows}

    @contextmanager
    def reading(self, *, shown: bool = True) -> Iterator[SqliteSnapshot]:
        """Read one state, which does not change inside the block; a store that this user did not make is an error."""
        with self._transaction():
            state = self._state()
            if state.origin != "own":
                raise not_yours(self.file)
            seals = self._seals if shown else NO_SEALS
            yield SqliteSnapshot(SqliteReader(self.db), state, lambda: self._load_arrays(state), seals)

    def _state(self) -> State:
        """Return the state that this thread reads; of a file that is as before, without reading it again."""
        # A connection's own changes do not count as another version.
        version = self.db.pragma("data_version"), self.db.total_changes()
        known: tuple[Any, State] | None = getattr(self._local, "state", None)
        if known is None or known[0] != version:
            self._local.state = known = version, self._meta.state(self._seals)
        return known[1]

    def _load_arrays(self, state: State) -> Arrays:
        """Return the arrays of a state, from memory if its chunks are the same."""
        made = state.notes_changed
        with self._lock:
            if self._arrays is None or self._arrays.made != made:
                self._arrays = Arrays.load(SqliteReader(self.db), made, state.made_for.dimensions)
            return self._arrays

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[Batch]:
        """Collect changes and commit them together; without `wait`, fail at once while somebody else writes."""
        if not wait:
            self.db.set_busy_timeout(0)
        try:
            with self._committing():
                # Deleted text is overwritten: a password that its owner removed from a note must not stay in the
                # file's free pages. A store that is being built deletes nothing, and would take a tenth longer.
                self.db.pragma("secure_delete", not self._is_new)
                batch = Batch(self.db, self._meta, self._seals)
                yield batch
                batch.finish()
            if batch.removes and not self._is_new:
                self._empty_log()
        finally:
            if not wait:
                self.db.set_busy_timeout(BUSY_MS)

    def tidy(self) -> None:
        """End a run: give space back once enough chunks were replaced."""
        self._is_new = False
        with explained(self.file):
            check_listed(self.db)
            worn = self._meta.number("worn")
            if worn > WORN_LEAST and worn > WORN_SHARE * fetch_one(self.db, queries.COUNTS)[1] + WORN_LEAST:
                self.db.execute("vacuum")
                self._meta["worn"] = 0
                self._empty_log()

    def locked(self, purpose: str = "index", *, wait: float = 0) -> AbstractContextManager[None]:
        """Hold the lock for `index` or `encode`; after `wait` seconds, raise an error that names its holder."""
        suffix, doing = LOCKS[purpose]
        return held(self.file.with_name(self.file.name + suffix), wait, doing)

    def beside(self, content: MadeFor | Path) -> SqliteStore:
        """Return another store to take this one's place: empty, or a copy of a file that `copy_to` wrote."""
        file = beside(self.file)
        if isinstance(content, Path):
            return copy_of(content, file, self._key)
        with suppress(StoreDamaged):
            other = SqliteStore(file, lambda: content, self._key)
            if (state := other.state).made_for == content and state.origin == "own":
                return other
            other.close()
        delete_store(file)
        return SqliteStore(file, lambda: content, self._key)

    def replace_by(self, other: SqliteStore) -> None:
        """Take over the content of a store built beside this one, in one step; readers keep their state until then."""
        if self._is_damaged:
            self._give_way_to(other)
            return
        with explained(self.file):
            # Above both, so that no reader mistakes the new state for one it has already seen.
            generation = max(self._meta.number("generation"), other._meta.number("generation")) + 1
            for key in ("generation", "arrays", *(("linked",) if other.state.links_resolved else ())):
                other._meta[key] = generation
            other._meta[OWNER] = self._meta[OWNER]
            if other.state.origin == "other":
                # A backup of another user or machine: rebuilt here, as one without a mark.
                other._meta["mark"] = None
            other.take_vectors(self.file)
            copy(other.db, self.db)
            # Pages that were copied count as no change.
            self._local.state = None
            self._empty_log()
        other.close()
        delete_store(other.file)

    def _give_way_to(self, other: SqliteStore) -> None:
        """Put another's file in the place of this one, which stays until then: a kill loses nothing."""
        with explained(self.file):
            other.take_vectors(self.file)
            other._empty_log()
        other.close()
        # The log of the old file must not be read into the new one.
        delete_companions(self.file)
        other.file.replace(self.file)
        delete_companions(other.file)

    def take_vectors(self, file: Path) -> None:
        """Take the encoder's vectors from an older store, as far as they can be read, unless this one has any."""
        if not self._meta["fine"]:
            self._meta["fine"] = carry_over(self.db, file)

    def copy_to(self, file: Path) -> None:
        """Write the present state to a file while others read and write."""
        with explained(file):
            target = create_private(file)
            try:
                copy(self.db, target)
                # A copy is one file, which can be moved without companions.
                target.pragma("journal_mode", "delete")
            finally:
                target.close()

    def close_log(self) -> None:
        """Make it one file without companions, which can be moved: its content came from another kind of store."""
        self._empty_log()
        self.db.pragma("journal_mode", "delete")

    def check(self) -> list[str]:
        """Return what is wrong with the store, one sentence each."""
        with self._transaction():
            own = self._meta.state(self._seals).origin == "own"
            return [*find_problems(self.db), *(find_altered(self.db, self._seals) if own else ())]

    def close(self) -> None:
        """Close this thread's connection."""
        if hasattr(self._local, "db"):
            self._local.db.close()
            self._local.__dict__.clear()

    def release_memory(self) -> None:
        """Free the memory that searches have filled; the next search reads the file again."""
        with self._lock:
            self._arrays = None
        self.db.release_memory()

    def limit_cache(self, kib: int) -> None:
        """Limit how much of the file each thread caches; the system's own cache is not counted."""
        self._kib = kib
        self.db.pragma("cache_size", -kib)

    def _empty_log(self) -> None:
        """Write the log into the file and empty it: until then, both keep the old pages, with what was deleted.

        Readers of an older state are waited for, as long as any statement waits; the next deletion tries again.
        """
        self.db.pragma("wal_checkpoint", "truncate")

    @property
    def _meta(self) -> Meta:
        return Meta(self.db)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Let every statement inside see the same state."""
        try:
            with explained(self.file), self.db:
                yield
        except StoreAltered:
            self._disown()
            raise

    def _disown(self) -> None:
        """Take the mark off a store that was altered, so that it is rebuilt; where it cannot be written, it stays."""
        with suppress(apsw.Error):
            if self._meta.state(self._seals).origin == "own":
                self._meta["mark"] = None

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Commit every change made inside, or none of them."""
        with explained(self.file):
            self.db.execute("begin immediate")
            try:
                yield
                self.db.execute("commit")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("rollback")
                raise


def copy_of(file: Path, other: Path, key: bytes) -> SqliteStore:
    """Return a store in `other` with the content of a file, which is only read; an older format is migrated.

    A damaged one is an error, and leaves nothing behind.
    """
    delete_store(other)
    try:
        with explained(file):
            copy_file(file, other)
        store = SqliteStore(other, _no_new_store, key)
        if problems := store.check():
            store.close()
            raise StoreError(f"{file} is damaged: {problems[0]}", UNCHANGED)
    except StoreError as error:
        delete_store(other)
        if isinstance(error, StoreDamaged):
            raise StoreError(f"{file} is damaged", UNCHANGED) from error
        if isinstance(error, StoreUnfit):
            hint = "Update with `pip install -U notewell`; the store is unchanged"
            raise StoreError(f"{file} was written by a newer Notewell", hint) from error
        raise
    return store


def _no_new_store() -> MadeFor:
    raise StoreError("This file is empty", BACKUP_HINT)

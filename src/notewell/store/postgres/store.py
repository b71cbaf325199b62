"""The store of a vault in a PostgreSQL database, which many vaults and many processes share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from notewell.errors import StoreBusy, StoreError, StoreUnreachable
from notewell.store import About, Files, MadeFor, Skip, State
from notewell.store.copying import copy_content
from notewell.store.filters import count_tags
from notewell.store.postgres import queries
from notewell.store.postgres.catalogue import (
    GIVE_WAY,
    HOLDER,
    LOCKS,
    TAKE_OVER,
    USE_ONE,
    Found,
    create,
    delete,
    delete_left,
    exists,
    find,
    prepare,
)
from notewell.store.postgres.check import find_problems
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.lost import check_whole, short
from notewell.store.postgres.marks import write_marks
from notewell.store.postgres.meta import Meta
from notewell.store.postgres.reader import PostgresReader
from notewell.store.postgres.replicas import NO_REPLICAS, Replicas, is_behind
from notewell.store.postgres.sessions import Sessions
from notewell.store.postgres.spread import PACKED
from notewell.store.postgres.vectors import carry_over
from notewell.store.postgres.writer import Batch
from notewell.store.sqlite import SqliteStore, copy_of
from notewell.store.sqlite.files import UNCHANGED
from notewell.store.tables.arrays import Arrays, Blocks
from notewell.store.tables.seal import NO_SEALS
from notewell.store.tables.snapshot import TableSnapshot
from notewell.types.note import Stamp

__all__ = ["Connections", "PostgresStore", "Replicas", "exists"]


# How long a batch waits for another one, in milliseconds; a run with many batches holds the lock `index`.
BATCH_WAIT_MS = 60_000
# What a row takes besides its longest values: its header, its keys, and their entries in indexes.
ROW_BYTES = 130
SIZED = {**PACKED, "note": "links fields", "chunk": "parts"}
# By part: nodes add up their own rows.
SIZES = " union all ".join(
    f"select sum({' + '.join(f'length({column})' for column in columns.split())} + {ROW_BYTES}) as number "
    f"from {table} where {queries.HERE} group by part"
    for table, columns in SIZED.items()
)
SIZE = f"""
select coalesce(sum(number), 0)::bigint as number
from ({SIZES}) as parts
"""
# Notes whose part cannot be read now.
MISSING = """
select count(*) as number
from note
where not part = any (%(here)s::smallint[])
"""


class PostgresStore:
    """Chunks and vectors in the rows of one vault."""

    def __init__(
        self,
        connections: Connections,
        name: str,
        made_for: Callable[[], MadeFor],
        *,
        key: bytes = b"",
        place: str = "current",
        replicas: Replicas = NO_REPLICAS,
    ) -> None:
        """Open the store of a vault by its name; `made_for` is only called to create a new one.

        `key` is the user's, with which backups are sealed: they are files of the SQLite store. What is shown may come
        from `replicas`.
        """
        self._key = key
        self._connections = connections
        self._name = name
        self._place = place
        self._replicas = replicas
        # The newest state that the primary has told of, and the last one that this process wrote.
        self._newest: Meta | None = None
        self._own: Meta | None = None
        self._lock = threading.Lock()
        # Those of a state, and of the parts that could be read.
        self._arrays: tuple[list[int], Arrays] | None = None
        # The arrays as the last batch left them, for the next one of the same process.
        self._written: tuple[int, Blocks] | None = None
        prepare(connections)
        with connections.taken() as db:
            found = find(db, name, place) or create(db, name, place, made_for())
        self._sessions = Sessions(connections, name, place, found)

    @property
    def in_place(self) -> bool:
        """Tell whether there is still a store of that name, as far as this process was told."""
        return not self._sessions.is_gone

    @property
    def asks_nodes(self) -> bool:
        """Tell whether parts of it are on other servers, of which any may go away."""
        return self._sessions.found.asks_nodes

    @property
    def state(self) -> State:
        """Return the present state; if only a replica can be reached, its."""
        try:
            # In one round trip: each search asks for it several times.
            with self._connections.taken() as db:
                self._newest = self._sessions.keys(db)
            return self._newest.state
        except StoreUnreachable:
            with ExitStack() as stack:
                if (opened := self._replicas.enter(stack, self._sessions.reading)) is None:
                    raise
                return opened[1].state

    def about(self, *, tags: bool = False) -> About:
        """Return counts, sizes and why files were skipped; slower than `state`. `tags` only if asked for."""
        with self._sessions.reading() as (reader, meta):
            state = meta.state
            ((notes, chunks, links),) = reader.rows(queries.COUNTS)
            ((encoded, unread),) = reader.rows(queries.ENCODER_COUNTS)
            return About(
                notes=notes,
                chunks=chunks,
                links=links,
                tags=count_tags(tag for _, tag in reader.rows(queries.NOTE_TAGS)) if tags else {},
                generation=state.generation,
                embedder=state.made_for.embedder,
                indexed_at=state.indexed_at,
                skipped={path: reason for _, path, reason in reader.rows(queries.SKIPPED)},
                bytes=reader.rows(SIZE)[0][0],
                encoder=state.encoder,
                encoded=encoded,
                unread=unread,
            )

    def files(self) -> Files:
        """Return every indexed and skipped file with its stamp."""
        with self._sessions.reading() as (reader, _):
            rows, skipped = reader.rows(queries.STAMPS), reader.rows(queries.SKIPPED_STAMPS)
            return Files(
                {path: Stamp(mtime, size, digest, ctime) for path, mtime, size, digest, ctime in rows},
                {path: Skip(Stamp(*stamp), bool(again)) for path, *stamp, again in skipped},
            )

    @contextmanager
    def reading(self, *, shown: bool = True) -> Iterator[TableSnapshot]:
        """Read one state, which does not change inside the block."""
        with ExitStack() as stack:
            # What is derived from a state and stored has to come from where it is stored.
            replica = self._replicas.enter(stack, self._sessions.reading, self._newest, self._own) if shown else None
            reader, meta = replica or stack.enter_context(self._sessions.reading())
            state = meta.state
            if replica and is_behind(meta, self._newest):
                assert self._newest is not None, "it is behind it"
                state = replace(state, newest=self._newest.number("generation"))
            if reader.lost:
                if not shown:
                    check_whole(reader.lost, self._connections.place)
                state = replace(state, lost=tuple(map(short, sorted(reader.lost))), missing=reader.rows(MISSING)[0][0])
            yield TableSnapshot(reader, state, lambda: self._load_arrays(reader, meta), NO_SEALS)

    def _load_arrays(self, reader: PostgresReader, meta: Meta) -> Arrays:
        """Return the arrays of a state, from memory if its chunks are the same."""
        made = meta.number("arrays")
        with self._lock:
            if self._arrays is None or self._arrays[0] != reader.here or self._arrays[1].made != made:
                self._arrays = reader.here, Arrays.load(reader, made, meta.number("dimensions"))
            return self._arrays[1]

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[Batch]:
        """Collect changes and commit them together; without `wait`, fail at once while somebody else writes."""
        with self._connections.taken() as db, db.transaction():
            # Not one state for the whole transaction: what is read has to be what the last writer left.
            self._take(db, "write", BATCH_WAIT_MS if wait else 0, whole=False)
            found, meta = self._sessions.begin_writing(db)
            batch = Batch(db, meta, found, lambda: self._take_written(db, found, meta))
            yield batch
            batch.finish()
        self._own = self._newest = meta
        if batch.blocks is not None:
            self._written = meta.number("arrays"), batch.blocks

    def _take_written(self, db: psycopg.Connection, found: Found, meta: Meta) -> Blocks:
        """Return the arrays to change: those of this process's last batch, or those of the tables."""
        written, self._written = self._written, None
        if written and written[0] == meta.number("arrays"):
            return written[1]
        return Blocks.load(PostgresReader(db, found.here()), meta.number("dimensions"))

    def tidy(self) -> None:
        """End a run: delete stores that gave way to others."""
        with self._connections.taken() as db:
            delete_left(db, self._name)

    @contextmanager
    def locked(self, purpose: str = "index", *, wait: float = 0) -> Iterator[None]:
        """Hold the lock for `index` or `encode`; after `wait` seconds, raise an error that names its holder."""
        with self._connections.taken() as db:
            self._take(db, purpose, int(wait * 1000), whole=True)
            try:
                yield
            finally:
                if not db.closed:
                    db.execute("select pg_advisory_unlock(%s, %s)", (LOCKS[purpose][0], self._sessions.found.vault))

    def _take(self, db: psycopg.Connection, purpose: str, wait_ms: int, *, whole: bool) -> None:
        """Take an advisory lock, for this connection as a `whole` or for its transaction."""
        key, doing = LOCKS[purpose]
        function = "lock" if whole else "xact_lock"
        arguments = (key, self._sessions.found.vault)
        if db.execute(f"select pg_try_advisory_{function}(%s, %s)".encode(), arguments).fetchone() == (True,):
            return
        try:
            if not wait_ms:
                raise psycopg.errors.LockNotAvailable
            with db.transaction() if whole else db.transaction(savepoint_name="waiting"):
                db.execute("select set_config('lock_timeout', %s, true)", (str(wait_ms),))
                db.execute(f"select pg_advisory_{function}(%s, %s)".encode(), arguments)
                db.execute("select set_config('lock_timeout', '0', true)")
        except psycopg.errors.LockNotAvailable as error:
            holder = self._holder(key)
            raise StoreBusy(f"{holder} {doing}", "Wait for it to end, then try again") from error

    def _holder(self, key: int) -> str:
        """Return who holds a lock, as far as the server tells."""
        with self._connections.taken() as db:
            row = db.execute(HOLDER, (key, self._sessions.found.vault)).fetchone()
        if row is None:
            return "Another process"
        pid, role, address, since = row
        return f"Another process ({role} from {address or 'the server'}, since {since}, server process {pid})"

    def beside(self, content: MadeFor | Path) -> PostgresStore:
        """Return another store to take this one's place: empty, or with what a file has that `copy_to` wrote."""
        made_for = content if isinstance(content, MadeFor) else MadeFor("", 0, "")
        other = self._build(made_for)
        if isinstance(content, Path) or other.state.made_for != made_for:
            with self._connections.taken() as db:
                delete(db, other._sessions.found.store)
            other = self._build(made_for) if isinstance(content, MadeFor) else self._restored(content)
        return other

    def _build(self, made_for: MadeFor) -> PostgresStore:
        return PostgresStore(self._connections, self._name, lambda: made_for, key=self._key, place="build")

    def _restored(self, file: Path) -> PostgresStore:
        """Return a build with the content of a backup; a damaged one is an error."""
        with TemporaryDirectory(prefix="notewell-") as folder:
            backup = copy_of(file, Path(folder) / "store.db", self._key)
            try:
                if backup.state.origin != "own":
                    raise StoreError(f"{file} was made by another user, or on another machine", UNCHANGED)
                other = self._build(backup.state.made_for)
                copy_content(backup, other)
            finally:
                backup.close()
        return other

    def replace_by(self, other: PostgresStore) -> None:
        """Take over the content of a store built beside this one, in one step; readers keep their state until then."""
        with self._connections.taken() as db:
            with db.transaction():
                self._take(db, "write", BATCH_WAIT_MS, whole=False)
                old, before = self._sessions.begin_writing(db)
                new, meta = other._sessions.begin_writing(db)
                # Above both, so that no reader mistakes the new state for one it has already seen.
                meta["vault"] = before["vault"]
                generation = max(before.number("generation"), meta.number("generation")) + 1
                for key in ("generation", "arrays", *(("linked",) if meta.state.links_resolved else ())):
                    meta[key] = generation
                if not meta["fine"]:
                    meta["fine"] = carry_over(db, old.store, new.store)
                db.execute(USE_ONE, {"store": new.store})
                meta.save(db, new.store)
                write_marks(db, new, generation)
                db.execute(GIVE_WAY, {"store": old.store})
                db.execute(TAKE_OVER, {"store": new.store})
            self._sessions.found = new
            self._own = self._newest = meta
            delete_left(db, self._name)

    def copy_to(self, file: Path) -> None:
        """Write the present state to a file of the SQLite store while others read and write."""
        made_for = self.state.made_for
        backup = SqliteStore(file, lambda: made_for, self._key)
        try:
            copy_content(self, backup)
            backup.close_log()
        finally:
            backup.close()

    def check(self) -> list[str]:
        """Return what is wrong with the store, one sentence each."""
        with self._sessions.reading() as (reader, meta):
            check_whole(reader.lost, self._connections.place)
            return [*find_problems(reader, meta)]

    def drop_build(self) -> None:
        """Delete what an interrupted build left."""
        with self._connections.taken() as db:
            if left := find(db, self._name, "build"):
                delete(db, left.store)

    def claimed_by(self, owner: str) -> bool:
        """Tell whether this store belongs to a vault, by a hash of its folder and user; a new one does from now on."""
        with self._connections.taken() as db:
            # Not one state of all nodes: a store whose nodes differ has an owner, too, who builds it again.
            if known := self._sessions.keys(db)["vault"]:
                return bool(known == owner)
        with self._connections.taken() as db, db.transaction():
            found, meta = self._sessions.begin_writing(db)
            meta["vault"] = owner
            meta.save(db, found.store)
        return True

    def release_memory(self) -> None:
        """Free the memory that searches have filled; the next search reads the tables again."""
        with self._lock:
            self._arrays = self._written = None

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()
        self._replicas.close()

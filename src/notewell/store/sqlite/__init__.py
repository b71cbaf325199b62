"""The store in one SQLite file: many readers and one writer at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from notewell.errors import StoreBusy, StoreDamaged, StoreError
from notewell.files.lock import held
from notewell.store import About, Ends, Filling, MadeFor, Skip, Standing
from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks
from notewell.store.sqlite.check import GROUP, find_problems
from notewell.store.sqlite.connection import BUSY_MS, CACHE_KIB, connect, explained
from notewell.store.sqlite.edges import are_linked, save_edges
from notewell.store.sqlite.encoder_vectors import carry_over, keep_fine, unfilled
from notewell.store.sqlite.files import check_files, copy, copy_file, delete_store, identity, size
from notewell.store.sqlite.migrate import prepare
from notewell.store.sqlite.owner import OWNER
from notewell.store.sqlite.packing import unpack
from notewell.store.sqlite.rows import listed, load_chunks
from notewell.store.sqlite.snapshot import Arrays, SqliteSnapshot
from notewell.store.sqlite.standings import save_standings
from notewell.store.sqlite.writer import Batch
from notewell.types.note import Chunk, Stamp, Vectors

__all__ = ["SqliteStore", "delete_store"]

# A store is packed anew when this share of its chunks, and at least so many, was replaced since the last time: some
# seconds for 100,000 chunks, every few weeks.
WORN_SHARE = 0.15
WORN_LEAST = 200
# How long who wants to fill waits for who only looks, in seconds.
LOOK = 0.1


class SqliteStore:
    """Chunks and vectors in one file."""

    def __init__(self, file: Path, made_for: Callable[[], MadeFor]) -> None:
        """Open the store in `file`; only a new one asks what it is `made_for`."""
        self.file = file
        self._local = threading.local()
        self._lock = threading.Lock()
        self._arrays: Arrays | None = None
        self._kib = CACHE_KIB
        check_files(file)
        with explained(file):
            prepare(self.db, file, made_for)
            self._is_new = not self._meta("indexed_at")
        self._identity = identity(file)

    @property
    def in_place(self) -> bool:
        """Tell whether the file that is open is still the one that lies there."""
        return identity(self.file) == self._identity

    @property
    def db(self) -> apsw.Connection:
        """Return this thread's connection."""
        if not hasattr(self._local, "db"):
            self._local.db = connect(self.file, self._kib)
        connection: apsw.Connection = self._local.db
        return connection

    @property
    def made_for(self) -> MadeFor:
        """Return what the content depends on."""
        with self._steady():
            return MadeFor(str(self._meta("embedder")), int(self._meta("dimensions")), str(self._meta("recipe")))

    @property
    def indexed_at(self) -> str:
        """Return when the last change was taken in; nothing for a new store."""
        with self._steady():
            return str(self._meta("indexed_at"))

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamp of every note, by path."""
        with explained(self.file):
            rows: list[tuple[Any, ...]] = self.db.execute(queries.STAMPS).fetchall()
        # Named one by one: a vault has many, and every search asks for them.
        return {path: Stamp(mtime, size, digest, ctime) for path, mtime, size, digest, ctime in rows}

    def skipped(self) -> dict[str, Skip]:
        """Return every skipped file, by path."""
        with self._steady():
            rows = self.db.execute(queries.SKIPPED_STAMPS)
            return {path: Skip(Stamp(*stamp), bool(again)) for path, *stamp, again in rows}

    def about(self) -> About:
        """Return counts, generation and what was skipped."""
        with self._steady():
            notes, chunks, links = self.db.execute(queries.COUNTS).get
            filled, unread = self.db.execute(queries.FILLED).get
            return About(
                notes=notes,
                chunks=chunks,
                links=links,
                generation=int(self._meta("generation")),
                embedder=str(self._meta("embedder")),
                indexed_at=str(self._meta("indexed_at")),
                skipped={str(path): str(reason) for path, reason in self.db.execute(queries.SKIPPED)},
                bytes=size(self.file),
                encoder=str(self._meta("fine")),
                filled=filled,
                unread=unread,
            )

    @contextmanager
    def reading(self) -> Iterator[SqliteSnapshot]:
        """Hold one state of the store."""
        with self._steady():
            made = int(self._meta("arrays"))
            with self._lock:
                arrays = self._arrays
                if arrays is None or arrays.made != made:
                    arrays = self._arrays = Arrays.load(self.db, made, int(self._meta("dimensions")))
            yield SqliteSnapshot(self.db, arrays, int(self._meta("generation")), str(self._meta("fine")))

    @contextmanager
    def writing(self) -> Iterator[Batch]:
        """Collect changes; they are kept together, or not at all."""
        with self._changing():
            # What is deleted is overwritten: a password that its owner took out of a note is not to stay in the file's
            # gaps. A store that is being made has nothing deleted in it, and takes a tenth longer so.
            self.db.pragma("secure_delete", not self._is_new)
            batch = Batch(self.db, Blocks.load(self.db, int(self._meta("dimensions"))))
            yield batch
            batch.finish()
            if batch.changed:
                self._set_meta("arrays", self._next_generation())
                self._set_meta("worn", int(self._meta("worn") or 0) + batch.freed)
            if batch.touched:
                self._set_meta("touched", int(self._meta("touched") or 0) + 1)
            self._set_meta("indexed_at", datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def linked(self) -> bool:
        """Tell whether links were resolved since a note last changed."""
        with self._steady():
            return are_linked(self.db)

    def keep_edges(self, ends: Mapping[int, Ends]) -> None:
        """Store where the links of these notes lead; with them, all links are resolved."""
        with self._changing():
            save_edges(self.db, ends)
            self._set_meta("linked", self._meta("arrays"))
            if ends:
                self._next_generation()

    @property
    def measured(self) -> bool:
        """Tell whether standings are of the links as they were resolved last."""
        with self._steady():
            return self._meta("measured") == self._meta("linked")

    @property
    def standings_mark(self) -> str:
        """Return which links the standings were computed of; nothing, if none were."""
        return str(self._meta("standings") or "")

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how all notes stand that have links, by id; or, without any, that it is as it was."""
        with self._changing():
            if standings is not None:
                save_standings(self.db, standings)
                self._next_generation()
            self._set_meta("standings", mark)
            self._set_meta("measured", self._meta("linked"))

    def unfilled(self, encoder: str) -> list[int]:
        """Return one chunk for each of the lines that lack this encoder's vector, the newest notes' first."""
        with self._steady():
            return unfilled(self.db, encoder)

    def filled(self, encoder: str) -> Filling:
        """Return how far this encoder's vectors are, and whether somebody is making them."""
        about, left = self.about(), len(self.unfilled(encoder))
        made = (about.filled, about.unread) if about.encoder == encoder else (0, 0)
        return Filling(encoder, *made, left, self._is_filling)

    def keep_fine(self, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors; another's, that are there, go."""
        with self._changing():
            self._keep_fine(encoder, chunks, vectors)

    def _keep_fine(self, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        if str(self._meta("fine")) != encoder:
            self.db.execute(queries.CLEAR_FINE)
            self._set_meta("fine", encoder)
        if keep_fine(self.db, chunks, vectors):
            self._next_generation()

    def keep_fine_at_once(self, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store what a search made, unless somebody else is writing, or the vectors there are another encoder's."""
        self.db.set_busy_timeout(0)
        try:
            with self._changing():
                if str(self._meta("fine")) in ("", encoder):
                    self._keep_fine(encoder, chunks, vectors)
        finally:
            self.db.set_busy_timeout(BUSY_MS)

    def tidy(self) -> None:
        """End a run: give space back once so many chunks were replaced that the holes they left are worth it."""
        self._is_new = False
        with explained(self.file):
            live = int(self.db.execute(queries.COUNTS).get[1])
            if int(self._meta("worn") or 0) > WORN_SHARE * live + WORN_LEAST:
                self.db.execute("vacuum")
                self._set_meta("worn", 0)
                self.db.pragma("wal_checkpoint", "truncate")

    def locked(self, wait: float) -> AbstractContextManager[None]:
        """Be the only writer for a whole run; whoever else tries is told who is."""
        return held(self.file.with_name(f"{self.file.name}.lock"), wait)

    def filling(self) -> AbstractContextManager[None]:
        """Be the only one that fills; indexing and searching go on beside it."""
        # Whoever only asks whether somebody fills holds it for a moment, too.
        return held(self._fill_file, LOOK, "is filling this vault's store")

    @property
    def _fill_file(self) -> Path:
        return self.file.with_name(f"{self.file.name}.fill")

    @property
    def _is_filling(self) -> bool:
        """Tell whether somebody fills right now."""
        try:
            with held(self._fill_file, 0):
                return False
        except StoreBusy:
            return True

    def beside(self, made_for: MadeFor) -> SqliteStore:
        """Return another store to build beside this one; what an interrupted build left is taken up again."""
        file = self.file.with_name(f"{self.file.name}.new")
        with suppress(StoreDamaged):
            other = SqliteStore(file, lambda: made_for)
            if other.made_for == made_for:
                return other
            other.close()
        delete_store(file)
        return SqliteStore(file, lambda: made_for)

    def replace_by(self, other: SqliteStore) -> None:
        """Take over a store built beside, in one step; readers see the old state until it is done."""
        with explained(self.file):
            # Above both, so that no reader takes the new state for one it has already seen.
            generation = max(int(self._meta("generation")), int(other._meta("generation"))) + 1
            for key in ("generation", "arrays", *(("linked",) if other.linked else ())):
                other._set_meta(key, generation)
            other._set_meta(OWNER, self._meta(OWNER))
            if self._meta("fine") and not other._meta("fine"):
                carry_over(other.db, self.file)
                other._set_meta("fine", self._meta("fine"))
            copy(other.db, self.db)
            self.db.pragma("wal_checkpoint", "truncate")
        other.close()
        delete_store(other.file)

    def copy_to(self, file: Path) -> None:
        """Write the present state to another file, whole, while others read and write this one."""
        with explained(file):
            target = apsw.Connection(str(file))
            try:
                copy(self.db, target)
                # A copy is one file, that can be moved and kept without companions.
                target.pragma("journal_mode", "delete")
            finally:
                target.close()

    def replace_by_copy(self, file: Path) -> None:
        """Take over what another file holds, which stays as it is."""
        beside = self.file.with_name(f"{self.file.name}.new")
        delete_store(beside)
        try:
            with explained(file):
                copy_file(file, beside)
            # An older format is brought up to date here, and not in the file of the user's.
            self.replace_by(SqliteStore(beside, _no_new_store))
        except StoreError:
            beside.unlink(missing_ok=True)
            raise

    def all_texts(self) -> Generator[tuple[str, str], None, None]:
        """Yield every text at rest with its place: what notes say of themselves, and their chunks."""
        with self._steady():
            rows: Any = self.db.execute(queries.NOTE_TEXTS)
            for path, title, kind, *values, links in rows:
                yield path, "\n".join((title, kind, *map(listed, (*values, unpack(links)))))
            ids = [slot for (slot,) in self.db.execute(queries.ALL_CHUNKS)]
            for first in range(0, len(ids), GROUP):
                for _, chunk in load_chunks(self.db, ids[first : first + GROUP]):
                    yield f"{chunk.path}:{chunk.line}", chunk.text

    def problems(self) -> list[str]:
        """Return what is wrong with the store, a sentence each; nothing, if it is sound."""
        with self._steady():
            return list(find_problems(self.db, int(self._meta("dimensions"))))

    def close(self) -> None:
        """Close this thread's connection."""
        if hasattr(self._local, "db"):
            self._local.db.close()
            del self._local.db

    def release(self) -> None:
        """Let go of what searches have gathered in memory; the next one reads it again."""
        with self._lock:
            self._arrays = None
        self.db.release_memory()

    def hold(self, kib: int) -> None:
        """Let each thread keep at most so much of the file in memory; what the system keeps of it is not ours."""
        self._kib = kib
        self.db.pragma("cache_size", -kib)

    @contextmanager
    def _steady(self) -> Iterator[None]:
        """Let every statement inside see the same state."""
        with explained(self.file), self.db:
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Keep every change made inside, or none of them."""
        with explained(self.file):
            self.db.execute("begin immediate")
            try:
                yield
                self.db.execute("commit")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("rollback")
                raise

    def _next_generation(self) -> int:
        generation = int(self._meta("generation")) + 1
        self._set_meta("generation", generation)
        return generation

    def _meta(self, key: str) -> str | int:
        value: str | int = self.db.execute(queries.META, {"key": key}).get
        return value

    def _set_meta(self, key: str, value: str | int) -> None:
        self.db.execute(queries.SET_META, {"key": key, "value": value})


def _no_new_store() -> MadeFor:
    raise StoreError("This file is empty", "Name a file that `notewell backup` wrote")

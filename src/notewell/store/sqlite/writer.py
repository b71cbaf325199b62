"""One batch of changes to the store: notes put and removed, postings merged once at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from zlib import crc32

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store import CLONED_AT_LEAST
from notewell.store.bm25 import stored_length, weigh_terms
from notewell.store.links import LinkEnds, Standing
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import SqliteReader, carray, fetch, fetch_one
from notewell.store.sqlite.links import forget_edges, forget_standing, save_edges, save_standings
from notewell.store.sqlite.schema import Meta
from notewell.store.sqlite.vectors import save_vectors
from notewell.store.tables.arrays import Blocks, one_bit
from notewell.store.tables.checked import decodes
from notewell.store.tables.postings import Postings, merge
from notewell.store.tables.rows import (
    body_digest,
    body_of,
    body_row,
    chunk_row,
    load_chunks,
    note_row,
    seal_chunk,
)
from notewell.store.tables.seal import OF_NOTE, Seals
from notewell.store.tables.state import Changes
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Note, Stamp, Vectors


class Batch:
    """Changes inside one transaction."""

    def __init__(self, db: apsw.Connection, meta: Meta, seals: Seals) -> None:
        self._db = db
        self._seals = seals
        self._meta = meta
        self._postings = Postings()
        self._unused: set[int] = set()
        self._done = Changes()

    @property
    def removes(self) -> bool:
        """Tell whether it deletes text of a note."""
        return self._done.freed > 0

    @cached_property
    def _blocks(self) -> Blocks:
        return Blocks.load(SqliteReader(self._db), self._meta.number("dimensions"))

    @cached_property
    def _free(self) -> Iterator[int]:
        return self._blocks.free_slots()

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no stored chunk has these headings and lines, so that it has to be embedded."""
        return self._db.execute(queries.HAS_BODY, {"digest": body_digest(chunk)}).get is None

    @decodes
    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before."""
        row = note_row(note)
        # A note keeps its id while its path exists: links lead to ids.
        kept, aliases = self._clear(note.path)
        if kept is not None:
            forget_edges(self._db, kept, renamed=aliases != row["aliases"])
        self._done.notes = True
        seal = self._seals.of("note", tuple(row[name] for name in OF_NOTE), row["links"])
        note_id = self._db.execute(queries.ADD_NOTE, {**row, "id": kept, "seal": seal}).get
        rows: list[dict[str, Any]] = []
        quantised = eight_bit(vectors)
        for chunk, data, code in zip(chunks, quantised, one_bit(quantised), strict=True):
            slot = next(self._free)
            written = body_of(chunk)
            body_id, stored = self._use_body(written, data)
            if stored is not None:
                code = one_bit(stored[np.newaxis])[0]
            made = chunk_row(slot, note_id, body_id, chunk)
            weights = weigh_terms(chunk)
            self._postings.add(slot, weights)
            self._blocks.use(slot, note_id, stored_length(weights), code, leads=not rows)
            rows.append({**made, "seal": seal_chunk(self._seals, row, made, written)})
        self._db.executemany(queries.ADD_CHUNK, rows)

    @decodes
    def remove(self, path: str) -> None:
        """Delete a note and everything derived from it."""
        note_id, _ = self._clear(path)
        if note_id is not None:
            forget_edges(self._db, note_id, renamed=True)
            forget_standing(self._db, note_id)

    def _clear(self, path: str) -> tuple[int | None, str]:
        """Delete what a path holds, and return the id and the aliases of the note it was."""
        key = {"path": path}
        self._db.execute(queries.DROP_SKIPPED, key)
        self._done.notes |= self._db.changes() > 0
        known: tuple[int, str] | None = fetch_one(self._db, queries.KNOWN_AS, key)
        if known is None:
            return None, ""
        rows = fetch(self._db, queries.CHUNKS_OF, key)
        slots = [slot for slot, _ in rows]
        self._done.freed += len(slots)
        for slot, chunk in load_chunks(SqliteReader(self._db), slots):
            self._drop(slot, chunk)
        # Lines stay until the batch ends: they may come back under another path.
        self._unused.update(body for _, body in rows)
        self._db.executemany(queries.DROP_USE, ({"body": body} for _, body in rows))
        if slots:
            self._db.execute(queries.REMOVE_CHUNKS, {"ids": carray(slots)})
        self._db.execute(queries.REMOVE_NOTE, key)
        self._done.notes = True
        return known

    def touch(self, path: str, stamp: Stamp) -> None:
        """Store a new stamp for a note whose content is the same."""
        self._db.execute(queries.TOUCH, _times(path, stamp))
        self._done.stamps = True

    @decodes
    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Delete a note that cannot be indexed; keep the reason, and whether to try it `again` as it is."""
        if self._db.execute(queries.REASON, {"path": path}).get == reason:
            self._db.execute(queries.TOUCH_SKIPPED, {**_times(path, stamp), "again": again})
            return
        self.remove(path)
        seal = self._seals.of("skipped", (path, reason))
        row = {**_times(path, stamp), "reason": reason, "again": again, "seal": seal}
        self._db.execute(queries.ADD_SKIPPED, row)
        self._done.notes = True

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        """Store where the links of notes lead, by the note's id; all others count as resolved by this root, too."""
        save_edges(self._db, ends)
        self._meta["site_root"] = site_root
        if ends:
            self._meta.next_generation()
        self._done.derived = self._done.resolved = True

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how notes stand, by id, in place of all standings; None says that they are unchanged."""
        if standings is not None:
            save_standings(self._db, standings)
            self._meta.next_generation()
        self._meta["standings"] = mark
        self._done.derived = self._done.measured = True

    @decodes
    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors of chunks that are still there, in place of another encoder's."""
        if self._meta["fine"] != kind:
            self._db.execute(queries.CLEAR_ENCODER_VECTORS)
            self._meta["fine"] = kind
        if save_vectors(self._db, chunks, vectors):
            self._meta.next_generation()
        self._done.derived = True

    @decodes
    def finish(self) -> None:
        """Merge the postings, save the arrays and write down which state this is."""
        if self._done.notes:
            self._merge_postings()
            self._save_blocks()
            for statement in queries.DROP_BODIES if self._unused else ():
                self._db.execute(statement, {"ids": carray(sorted(self._unused))})
        self._done.write_down(self._meta)
        if self._done.of_files:
            self._meta["cloned"] = self._db.execute(queries.CLONED, {"least": CLONED_AT_LEAST}).get

    def _use_body(self, written: str, data: npt.NDArray[np.int8]) -> tuple[int, npt.NDArray[np.int8] | None]:
        """Store the lines and vector of a chunk unless they are; return their id, and the vector that was stored."""
        body_id = self._db.execute(queries.USE_BODY, body_row(written)).get
        stored = fetch_one(self._db, queries.VECTOR, {"body": body_id})
        if stored is None:
            vector = data.tobytes()
            self._db.execute(queries.ADD_VECTOR, {"body": body_id, "data": vector, "crc": crc32(vector)})
            return body_id, None
        return body_id, np.frombuffer(stored, np.int8)

    def _drop(self, slot: int, chunk: Chunk) -> None:
        self._postings.drop(slot, weigh_terms(chunk))
        self._blocks.clear(slot)

    def _save_blocks(self) -> None:
        """Write the blocks that changed, and drop those past the last chunk."""
        blocks, number = self._blocks.changed()
        self._db.executemany(queries.SET_BLOCK, (block._asdict() for block in blocks))
        self._db.execute(queries.DROP_BLOCKS, {"first": number})

    def _merge_postings(self) -> None:
        kept, dropped = [], []
        for change in self._postings.changes():
            key = {"term": change.term, "block": change.block}
            stored = fetch_one(self._db, queries.POSTING, key)
            data = merge(stored or b"", change.removed, change.places, change.counts)
            if data:
                kept.append({**key, "data": data})
            elif stored:
                dropped.append(key)
        self._db.executemany(queries.SET_POSTING, kept)
        self._db.executemany(queries.DROP_POSTING, dropped)


def _times(path: str, stamp: Stamp) -> dict[str, Any]:
    return {"path": path, "mtime_ns": stamp.mtime_ns, "size": stamp.size, "ctime_ns": stamp.ctime_ns}

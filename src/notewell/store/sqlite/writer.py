"""One batch of changes to the store: notes in, notes out, postings merged once at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks, eight_bit, one_bit
from notewell.store.sqlite.edges import forget_edges, forget_standing
from notewell.store.sqlite.lexical import merge, stored_length, weigh_terms
from notewell.store.sqlite.postings import Postings
from notewell.store.sqlite.rows import body_digest, body_row, carray, chunk_row, load_chunks, note_row
from notewell.types.note import Chunk, Note, Stamp, Vectors


class Batch:
    """Changes inside one transaction."""

    def __init__(self, db: apsw.Connection, blocks: Blocks) -> None:
        self._db = db
        self._blocks = blocks
        self._free = blocks.free_slots()
        self._postings = Postings()
        self._loose: set[int] = set()
        self.changed = False
        self.touched = False
        self.freed = 0

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no chunk with these headings and lines is stored, so that it has to be embedded."""
        return self._db.execute(queries.HAS_BODY, {"digest": body_digest(chunk)}).get is None

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before.

        The vectors of chunks that the store does not lack are not looked at.
        """
        row = note_row(note)
        # A note keeps its id for as long as its path is there: links lead to ids.
        kept, aliases = self._clear(note.path)
        if kept is not None:
            forget_edges(self._db, kept, renamed=aliases != row["aliases"])
        self.changed = True
        note_id = self._db.execute(queries.ADD_NOTE, {**row, "id": kept}).get
        rows = []
        quantised = eight_bit(vectors)
        for chunk, data, code in zip(chunks, quantised, one_bit(quantised), strict=True):
            slot = next(self._free)
            body_id, stored = self._use_body(chunk, data)
            if stored is not None:
                code = one_bit(stored[np.newaxis])[0]
            rows.append(chunk_row(slot, note_id, body_id, chunk))
            self._add(slot, chunk, code)
        self._db.executemany(queries.ADD_CHUNK, rows)

    def remove(self, path: str) -> None:
        """Forget a note and everything that came from it."""
        note_id, _ = self._clear(path)
        if note_id is not None:
            forget_edges(self._db, note_id, renamed=True)
            forget_standing(self._db, note_id)

    def _clear(self, path: str) -> tuple[int | None, str]:
        """Take out what a path holds, and return the id and the aliases of the note it was."""
        key = {"path": path}
        self._db.execute(queries.DROP_SKIPPED, key)
        self.changed |= self._db.changes() > 0
        known: tuple[int, str] | None = self._db.execute(queries.KNOWN_AS, key).get
        if known is None:
            return None, ""
        rows: list[tuple[Any, ...]] = self._db.execute(queries.CHUNKS_OF, key).fetchall()
        slots = [slot for slot, _ in rows]
        self.freed += len(slots)
        for slot, chunk in load_chunks(self._db, slots):
            self._drop(slot, chunk)
        # A body stays until the batch ends: the same lines may come back under another path.
        self._loose.update(body for _, body in rows)
        self._db.executemany(queries.DROP_USE, ({"body": body} for _, body in rows))
        if slots:
            self._db.execute(queries.REMOVE_CHUNKS, {"ids": carray(slots)})
        self._db.execute(queries.REMOVE_NOTE, key)
        self.changed = True
        return known

    def touch(self, path: str, stamp: Stamp) -> None:
        """Take new times for a note whose content is the same."""
        self._db.execute(queries.TOUCH, _times(path, stamp))
        self.touched = True

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Forget a note that cannot be read, and remember why, and whether to try it `again` as it is."""
        if self._db.execute(queries.REASON, {"path": path}).get == reason:
            self._db.execute(queries.TOUCH_SKIPPED, {**_times(path, stamp), "again": again})
            return
        self.remove(path)
        self._db.execute(queries.ADD_SKIPPED, {**_times(path, stamp), "reason": reason, "again": again})
        self.changed = True

    def finish(self) -> None:
        """Merge the postings and save the arrays."""
        if self.changed:
            self._merge_postings()
            self._blocks.save(self._db)
            for statement in queries.DROP_BODIES if self._loose else ():
                self._db.execute(statement, {"ids": carray(sorted(self._loose))})

    def _use_body(self, chunk: Chunk, data: npt.NDArray[np.int8]) -> tuple[int, npt.NDArray[np.int8] | None]:
        """Return the body of a chunk, and its vector if both were stored before; else they are now."""
        body_id = self._db.execute(queries.USE_BODY, body_row(chunk)).get
        stored = self._db.execute(queries.VECTOR, {"body": body_id}).get
        if stored is None:
            self._db.execute(queries.ADD_VECTOR, {"body": body_id, "data": data.tobytes()})
            return body_id, None
        return body_id, np.frombuffer(stored, np.int8)

    def _add(self, slot: int, chunk: Chunk, code: npt.NDArray[np.uint64]) -> None:
        weights = weigh_terms(chunk)
        self._postings.add(slot, weights)
        self._blocks.fill(slot, stored_length(weights), code)

    def _drop(self, slot: int, chunk: Chunk) -> None:
        self._postings.drop(slot, weigh_terms(chunk))
        self._blocks.clear(slot)

    def _merge_postings(self) -> None:
        kept, dropped = [], []
        for run in self._postings.runs():
            key = {"term": run.term, "block": run.block}
            stored = self._db.execute(queries.POSTING, key).get
            data = merge(stored or b"", run.lost, run.places, run.counts)
            if data:
                kept.append({**key, "data": data})
            elif stored:
                dropped.append(key)
        self._db.executemany(queries.SET_POSTING, kept)
        self._db.executemany(queries.DROP_POSTING, dropped)


def _times(path: str, stamp: Stamp) -> dict[str, Any]:
    return {"path": path, "mtime_ns": stamp.mtime_ns, "size": stamp.size, "ctime_ns": stamp.ctime_ns}

"""One batch of changes to the store: notes in, notes out, postings merged once at its end."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks, eight_bit, one_bit
from notewell.store.sqlite.lexical import BLOCK, UNIT, merge, weigh_terms
from notewell.store.sqlite.rows import body_digest, body_row, carray, chunk_row, load_chunks, note_row
from notewell.types import Chunk, Note, Stamp, Vectors

# Weighted counts are one byte: past 25 occurrences BM25 hardly tells a difference.
MOST = 255


class Batch:
    """Changes inside one transaction."""

    def __init__(self, db: apsw.Connection, blocks: Blocks) -> None:
        self._db = db
        self._blocks = blocks
        self._free = blocks.free_slots()
        self._terms: dict[str, int] = {}
        self._added_terms, self._added_slots, self._added_counts = array("I"), array("I"), array("B")
        self._removed_terms, self._removed_slots = array("I"), array("I")
        self._loose: set[int] = set()
        self._filled: set[int] = set()
        self._emptied: set[int] = set()
        self.changed = False

    @property
    def postings(self) -> int:
        """Return how many postings wait to be merged: what this batch costs in memory."""
        return len(self._added_terms) + len(self._removed_terms)

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no chunk with these headings and lines is stored, so that it has to be embedded."""
        return self._db.execute(queries.HAS_BODY, {"digest": body_digest(chunk)}).get is None

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before.

        The vectors of chunks that the store does not lack are not looked at.
        """
        self.remove(note.path)
        self.changed = True
        note_id = self._db.execute(queries.ADD_NOTE, note_row(note)).get
        rows = []
        for chunk, data in zip(chunks, eight_bit(vectors), strict=True):
            slot = next(self._free)
            body_id, code = self._use_body(chunk, data)
            rows.append(chunk_row(slot, note_id, body_id, chunk))
            self._add(slot, chunk, code)
        self._db.executemany(queries.ADD_CHUNK, rows)

    def remove(self, path: str) -> None:
        """Forget a note and everything that came from it."""
        key = {"path": path}
        self._db.execute(queries.DROP_SKIPPED, key)
        self.changed |= self._db.changes() > 0
        if self._db.execute(queries.HAS_NOTE, key).get is None:
            return
        rows: list[tuple[Any, ...]] = self._db.execute(queries.CHUNKS_OF, key).fetchall()
        slots = [slot for slot, _ in rows]
        for slot, chunk in load_chunks(self._db, slots):
            self._drop(slot, chunk)
        # A body stays until the batch ends: the same lines may come back under another path.
        self._loose.update(body for _, body in rows)
        self._db.executemany(queries.DROP_USE, ({"body": body} for _, body in rows))
        if slots:
            self._db.execute(queries.REMOVE_CHUNKS, {"ids": carray(slots)})
        self._db.execute(queries.REMOVE_NOTE, key)
        self.changed = True

    def touch(self, path: str, stamp: Stamp) -> None:
        """Take new times for a note whose content is the same."""
        self._db.execute(queries.TOUCH, _times(path, stamp))

    def skip(self, path: str, stamp: Stamp, reason: str) -> None:
        """Forget a note that cannot be read, and remember why."""
        if self._db.execute(queries.REASON, {"path": path}).get == reason:
            self._db.execute(queries.TOUCH_SKIPPED, _times(path, stamp))
            return
        self.remove(path)
        self._db.execute(queries.ADD_SKIPPED, {**_times(path, stamp), "reason": reason})
        self.changed = True

    def finish(self) -> None:
        """Merge the postings and save the arrays."""
        if self.changed:
            self._merge_postings()
            self._blocks.save(self._db)
            for statement in queries.DROP_BODIES if self._loose else ():
                self._db.execute(statement, {"ids": carray(sorted(self._loose))})

    def _use_body(self, chunk: Chunk, data: npt.NDArray[np.int8]) -> tuple[int, npt.NDArray[np.uint64]]:
        """Return the body of a chunk, stored now or before, and the code of its vector."""
        body_id = self._db.execute(queries.USE_BODY, body_row(chunk)).get
        stored = self._db.execute(queries.VECTOR, {"body": body_id}).get
        if stored is None:
            self._db.execute(queries.ADD_VECTOR, {"body": body_id, "data": data.tobytes()})
        else:
            data = np.frombuffer(stored, np.int8)
        return body_id, one_bit(data[np.newaxis])[0]

    def _add(self, slot: int, chunk: Chunk, code: npt.NDArray[np.uint64]) -> None:
        weights = weigh_terms(chunk)
        terms = self._terms
        self._added_terms.extend([terms.setdefault(term, len(terms)) for term in weights])
        self._added_counts.extend([min(weight, MOST) for weight in weights.values()])
        self._added_slots.extend([slot] * len(weights))
        self._filled.add(slot)
        self._blocks.fill(slot, sum(weights.values()) // UNIT, code)

    def _drop(self, slot: int, chunk: Chunk) -> None:
        self._blocks.clear(slot)
        if slot in self._filled:
            # Put and removed in the same batch: its postings were never merged.
            self._emptied.add(slot)
            return
        weights = weigh_terms(chunk)
        terms = self._terms
        self._removed_terms.extend([terms.setdefault(term, len(terms)) for term in weights])
        self._removed_slots.extend([slot] * len(weights))

    def _merge_postings(self) -> None:
        kept, dropped = [], []
        for term, block, removed, places, counts in self._runs():
            key = {"term": term, "block": block}
            row = self._db.execute(queries.POSTING, key).fetchone()
            data = merge(row[0] if row else b"", removed, places, counts)
            if data:
                kept.append({**key, "data": data})
            elif row:
                dropped.append(key)
        self._db.executemany(queries.SET_POSTING, kept)
        self._db.executemany(queries.DROP_POSTING, dropped)

    def _runs(self) -> Iterator[tuple[str, int, Any, Any, Any]]:
        """Yield each changed posting list, in the order of the table: its term, block, losses and gains."""
        names = sorted(self._terms)
        ranks = np.empty(len(names), dtype=np.uint64)
        ranks[[self._terms[name] for name in names]] = np.arange(len(names), dtype=np.uint64)
        added, places, order = _sorted_keys(ranks, self._added_terms, self._added_slots, self._emptied)
        counts = np.frombuffer(self._added_counts, np.uint8)[order] if order.size else np.zeros(0, np.uint8)
        removed, lost, _ = _sorted_keys(ranks, self._removed_terms, self._removed_slots, set())
        keys = np.union1d(added, removed)
        gains = np.searchsorted(added, keys), np.searchsorted(added, keys, side="right")
        losses = np.searchsorted(removed, keys), np.searchsorted(removed, keys, side="right")
        for key, first, last, start, end in zip(keys.tolist(), *map(np.ndarray.tolist, gains + losses), strict=True):
            yield names[key >> 16], key & 0xFFFF, lost[start:end], places[first:last], counts[first:last]


def _sorted_keys(ranks: Any, terms: array[int], slots: array[int], without: set[int]) -> tuple[Any, Any, Any]:
    """Return (term, block) keys and places within the block, sorted, and where each stood before."""
    if not terms:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.int64)
    slot = np.frombuffer(slots, np.uint32).astype(np.uint64)
    full = (ranks[np.frombuffer(terms, np.uint32)] << np.uint64(32)) | slot
    order = np.argsort(full, kind="stable")
    if without:
        order = order[~np.isin(slot[order], list(without))]
    full = full[order]
    return full >> np.uint64(16), (full & np.uint64(BLOCK - 1)).astype(np.uint16), order


def _times(path: str, stamp: Stamp) -> dict[str, Any]:
    return {"path": path, "mtime_ns": stamp.mtime_ns, "size": stamp.size, "ctime_ns": stamp.ctime_ns}

"""One batch of changes: rows are collected and go in together, and postings are merged once at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np
import psycopg

from notewell.store import CLONED_AT_LEAST
from notewell.store.bm25 import stored_length, weigh_terms
from notewell.store.links import LinkEnds, Standing
from notewell.store.postgres import queries, write_queries
from notewell.store.postgres.catalogue import Found
from notewell.store.postgres.incoming import Bodies, EightBit, Incoming, Outgoing, columns_of, json_safe, plain_row
from notewell.store.postgres.marks import write_marks
from notewell.store.postgres.meta import Meta
from notewell.store.postgres.parts import free_slots, part_of, part_of_block
from notewell.store.postgres.reader import PostgresReader
from notewell.store.postgres.spread import HOME
from notewell.store.tables.arrays import Blocks, one_bit
from notewell.store.tables.checked import decodes
from notewell.store.tables.postings import ListChange, Postings, merge
from notewell.store.tables.rows import body_digest, body_of, chunk_row, load_chunks, note_row
from notewell.store.tables.state import Changes
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Note, Stamp, Vectors

# Chunks that are collected before their rows go in, and posting lists that are merged together.
COLLECTED, MERGED = 2_000, 4_000
# What a file without a readable time counts as, as in SQLite.
NO_DAY = "1970-01-01"


class Batch:
    """Changes inside one transaction, whose writer is the only one of this store."""

    def __init__(self, db: psycopg.Connection, meta: Meta, found: Found, load_blocks: Callable[[], Blocks]) -> None:
        self._db = db
        self._reader = PostgresReader(db, found.here())
        self._meta = meta
        self._found = found
        self._store, self._parts = found.store, found.parts
        self._load_blocks = load_blocks
        self._postings = Postings()
        self._incoming = Incoming()
        self._outgoing = Outgoing()
        self._uses: Counter[int] = Counter()
        self._unused: set[int] = set()
        self._stamps: list[dict[str, Any]] = []
        self._done = Changes()
        self.blocks: Blocks | None = None

    @cached_property
    def _blocks(self) -> Blocks:
        self.blocks = self._load_blocks()
        return self.blocks

    @cached_property
    def _free(self) -> list[Iterator[int]]:
        return [free_slots(self._blocks, part, self._parts) for part in range(self._parts)]

    @cached_property
    def _last_ids(self) -> list[int]:
        """Return the highest ids of notes and of bodies before this batch, counted on by it: only it adds any."""
        # To ask all nodes for their highest would take as long as they have bodies.
        return [self._reader.rows(write_queries.LAST_NOTE)[0][0], self._meta.number("bodies")]

    @decodes
    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no stored chunk has these headings and lines, so that it has to be embedded."""
        digest = body_digest(chunk)
        return digest not in self._incoming.digests and not self._reader.rows(
            write_queries.HAS_BODY, {"digest": digest}
        )

    @decodes
    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before."""
        row = plain_row(note_row(note))
        row |= {"fields": json_safe(row["fields"]), "tags": json_safe(row["tags"])}
        # A note keeps its id while its path exists: links lead to ids.
        kept, aliases = self._clear(note.path)
        if kept is not None:
            (self._outgoing.renamed if aliases != row["aliases"] else self._outgoing.relinked).append(kept)
        self._done.notes = True
        if kept is None:
            kept = self._last_ids[0] = self._last_ids[0] + 1
        row |= {"id": kept, "part": part_of(note.path, self._parts), "file_day": _day_of(note.stamp)}
        self._incoming.add(row, chunks, eight_bit(vectors))
        if self._incoming.chunks >= COLLECTED:
            self._flush()

    @decodes
    def remove(self, path: str) -> None:
        """Delete a note and everything derived from it."""
        note_id, _ = self._clear(path)
        if note_id is not None:
            self._outgoing.renamed.append(note_id)
            self._outgoing.removed.append(note_id)

    def _clear(self, path: str) -> tuple[int | None, str]:
        """Delete what a path holds, and return the id and the aliases of the note it was."""
        if path in self._incoming.paths or path in self._outgoing.paths:
            self._flush()
        # Before any is deleted: a note that comes back has the id it had.
        assert self._last_ids
        key = {"path": path}
        ((skipped, note_id, aliases),) = self._db.execute(write_queries.KNOWN_AS, key).fetchall()
        self._done.notes |= skipped > 0
        if note_id is None:
            return None, ""
        rows = self._reader.fetch("CHUNKS_OF", key)
        slots = [slot for slot, _ in rows]
        for slot, chunk in load_chunks(self._reader, slots):
            self._postings.drop(slot, weigh_terms(chunk))
            self._blocks.clear(slot)
        self._outgoing.add(path, note_id, slots)
        self._done.freed += len(slots)
        # Lines stay until the batch ends: they may come back under another path.
        self._unused.update(body for _, body in rows)
        self._uses.subtract(body for _, body in rows)
        self._done.notes = True
        return note_id, aliases

    def touch(self, path: str, stamp: Stamp) -> None:
        """Store a new stamp for a note whose content is the same."""
        self._stamps.append({**_times(path, stamp), "file_day": _day_of(stamp)})
        self._done.stamps = True

    @decodes
    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Delete a note that cannot be indexed; keep the reason, and whether to try it `again` as it is."""
        row = {**_times(path, stamp), "reason": reason, "again": int(again), "store": self._store}
        if self._db.execute(write_queries.SKIPPED_FOR, {"path": path}).fetchone() == (reason,):
            self._change(write_queries.TOUCH_SKIPPED, row)
            return
        self.remove(path)
        self._change(write_queries.ADD_SKIPPED, row)
        self._done.notes = True

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        """Store where the links of notes lead, by the note's id; all others count as resolved by this root, too."""
        self._flush()
        written = {note: np.ascontiguousarray(each, np.uint32).tobytes() for note, each in ends.items()}
        rows = [{"note": note, "data": written[note]} for note in self._known([*ends])]
        self._change(write_queries.SET_EDGES, columns_of(rows, ("note", "data")))
        self._meta["site_root"] = site_root
        if ends:
            self._meta.next_generation()
        self._done.derived = self._done.resolved = True

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how notes stand, by id, in place of all standings; None says that they are unchanged."""
        self._flush()
        if standings is not None:
            self._db.execute(write_queries.DROP_STANDINGS)
            rows = [{"note": id, **standings[id]._asdict()} for id in self._known([*standings])]
            self._change(write_queries.ADD_STANDINGS, columns_of(rows, ("note", *Standing._fields)))
            self._meta.next_generation()
        self._meta["standings"] = mark
        self._done.derived = self._done.measured = True

    @decodes
    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors of chunks that are still there, in place of another encoder's."""
        self._flush()
        if self._meta["fine"] != kind:
            self._db.execute(write_queries.CLEAR_ENCODER_VECTORS)
            self._meta["fine"] = kind
        # A text that the encoder cannot read gets a vector without numbers, so that it is not tried again. A text
        # comes once: a statement cannot write a row twice.
        written = {
            body_digest(chunk): data.tobytes() if data.any() else b""
            for chunk, data in zip(chunks, eight_bit(vectors), strict=True)
        }
        rows = [
            {"part": part, "body": body, "data": written[digest], "crc": crc32(written[digest])}
            for part, body, digest in self._reader.rows(write_queries.BODIES_WITH, {"digests": [*written]})
        ]
        if rows:
            self._change(write_queries.DROP_FINE, {"ids": [row["body"] for row in rows]})
            self._spread(write_queries.ADD_FINE, rows)
            self._meta.next_generation()
        self._done.derived = True

    @decodes
    def finish(self) -> None:
        """Merge the postings, save the arrays and write down which state this is."""
        self._flush()
        for times in {*self._uses.values()} - {0}:
            ids = sorted(body for body, number in self._uses.items() if number == times)
            self._change(write_queries.USE_BODIES, {"ids": ids, "times": times})
        if self._stamps:
            self._db.cursor().executemany(write_queries.TOUCH, self._stamps)
        if self._done.notes:
            self._merge_postings()
            self._drop_unused()
        self._done.write_down(self._meta)
        if self._done.notes:
            self._save_blocks(self._meta.number("arrays"))
            self._meta["bodies"] = self._last_ids[1]
            write_marks(self._db, self._found, self._meta.number("arrays"))
        if self._done.of_files:
            found = self._db.execute(queries.CLONED, {"least": CLONED_AT_LEAST}).fetchone()
            self._meta["cloned"] = found[0] if found else None
        self._meta.save(self._db, self._store)

    def _flush(self) -> None:
        """Delete what was cleared, then store the notes that were collected, with their chunks, lines and vectors."""
        outgoing, self._outgoing = self._outgoing, Outgoing()
        for statement, ids in outgoing.statements():
            if self._change(statement, {"ids": ids}) and statement is write_queries.DROP_STANDINGS_OF:
                # The same note may come back, with the same links, before standings are measured again.
                self._meta["standings"] = ""
        incoming, self._incoming = self._incoming, Incoming()
        if not incoming.notes:
            return
        bodies = Bodies(self._reader, incoming, self._last_ids)
        chunk_rows = [
            row for note, chunks, vectors in incoming.notes for row in self._chunks(note, chunks, vectors, bodies)
        ]
        notes = [note for note, *_ in incoming.notes]
        self._change(write_queries.ADD_NOTES, columns_of(notes, [*notes[0]]))
        self._spread(write_queries.ADD_BODIES, bodies.new)
        self._spread(write_queries.ADD_VECTORS, bodies.vectors)
        self._spread(write_queries.ADD_CHUNKS, chunk_rows)
        self._uses.update(bodies.used)

    def _chunks(
        self, note: Mapping[str, Any], chunks: Sequence[Chunk], vectors: EightBit, bodies: Bodies
    ) -> Iterator[dict[str, Any]]:
        """Give each chunk of a note a slot, and yield its row."""
        part, leads = note["part"], True
        for chunk, data in zip(chunks, vectors, strict=True):
            slot = next(self._free[part])
            body, vector = bodies.use(part, body_of(chunk), data)
            weights = weigh_terms(chunk)
            self._postings.add(slot, weights)
            self._blocks.use(slot, note["id"], stored_length(weights), one_bit(vector[np.newaxis])[0], leads=leads)
            yield {**plain_row(chunk_row(slot, note["id"], body, chunk)), "part": part}
            leads = False

    def _drop_unused(self) -> None:
        """Delete the lines that no chunk uses any more."""
        if not self._unused:
            return
        gone = [body for (body,) in self._reader.rows(write_queries.UNUSED, {"ids": sorted(self._unused)})]
        for statement in write_queries.DROP_BODIES if gone else ():
            self._change(statement, {"ids": gone})

    def _known(self, notes: Sequence[int]) -> list[int]:
        return [note for (note,) in self._reader.rows(write_queries.KNOWN, {"ids": notes})]

    def _spread(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows to a table that is spread over nodes."""
        by_node: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            by_node.setdefault(self._found.node_of(row["part"]), []).append(row)
        for node, its in by_node.items():
            there = statement if node == HOME else write_queries.on_node(statement, node)
            self._change(there, columns_of(its, [*its[0]]))

    def _change(self, statement: str, bindings: Mapping[str, Any]) -> int:
        """Run a statement that changes rows, and return how many."""
        return self._db.execute(statement, {"store": self._store, **bindings}, binary=True).rowcount

    def _save_blocks(self, made: int) -> None:
        """Write the blocks that changed in place of what they were, and drop those past the last chunk."""
        blocks, number = self._blocks.changed()
        self._change(write_queries.DROP_BLOCKS, {"ids": [block.id for block in blocks], "first": number})
        rows = [
            {**block._asdict(), "made": made, "part": part_of_block(block.id, self._parts, self._reader.slots)}
            for block in blocks
        ]
        self._spread(write_queries.ADD_BLOCKS, rows)

    def _merge_postings(self) -> None:
        changes = self._postings.changes()
        while group := [*islice(changes, MERGED)]:
            for block in sorted({change.block for change in group}):
                self._merge_block(block, [change for change in group if change.block == block])

    def _merge_block(self, block: int, changes: Sequence[ListChange]) -> None:
        """Merge lists of one block, which are all on one node."""
        key = {"part": part_of_block(block, self._parts), "block": block}
        terms = [change.term for change in changes]
        stored: dict[str, bytes] = dict(self._reader.rows(write_queries.POSTINGS_AT, {**key, "terms": terms}))
        if stored:
            self._change(write_queries.DROP_POSTINGS, {**key, "terms": [*stored]})
        merged = (
            (change.term, merge(stored.get(change.term, b""), change.removed, change.places, change.counts))
            for change in changes
        )
        rows = [{"part": key["part"], "term": term, "block": block, "data": data} for term, data in merged if data]
        self._spread(write_queries.ADD_POSTINGS, rows)


def _times(path: str, stamp: Stamp) -> dict[str, Any]:
    return {"path": path, "mtime_ns": stamp.mtime_ns, "size": stamp.size, "ctime_ns": stamp.ctime_ns}


def _day_of(stamp: Stamp) -> str:
    """Return the day of a file's last change, where it is indexed."""
    try:
        return datetime.fromtimestamp(stamp.mtime_ns // 1_000_000_000).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return NO_DAY

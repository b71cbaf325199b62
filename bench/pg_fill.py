"""A store of any size in PostgreSQL, made of another's chunks: each is drawn at random, as paragraphs of `scale` are.

Rows are copied into the partitions of each server. Indexing a vault of that size would take ten minutes a million.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from bench.child import say
from notewell.store import MadeFor
from notewell.store.postgres.catalogue import USE_ONE, create
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.marks import write_marks
from notewell.store.postgres.meta import ALL_META, Meta
from notewell.store.postgres.reader import STRIP
from notewell.store.postgres.spread import COLUMNS, HOME
from notewell.store.tables.arrays import LEADS
from notewell.store.tables.postings import BLOCK, unpack
from notewell.store.tables.state import counted

Ints = npt.NDArray[np.int64]
SEED = 1_000_000
# Types of the columns that are copied in binary form.
NOTES = (
    "part, id, path, title, kind, tags, aliases, fields, link_count, links, mtime_ns, size, digest, ctime_ns, day, "
    "dated_by, properties, file_day"
)
NOTE = (*("int8", "int2", "int4", *["text"] * 6, "int4", "bytea", "int8", "int8", "text", "int8", *["text"] * 4),)
CHUNK = ("int8", "int2", "int4", "int4", "int8", "int4", "int4", "int4", "int4", "text", "text", "text")
BODY = ("int8", "int2", "int8", "bytea", "int4", "bytea")
VECTOR = ("int8", "int2", "int8", "bytea", "int8")
POSTING = ("int8", "int2", "text", "int4", "bytea")
STRIPS = ("int8", "int2", "int4", "int8", "bytea", "bytea", "bytea")


@dataclass(frozen=True)
class Drawn:
    """The chunks to draw from: their rows, arrays and terms."""

    meta: Mapping[str, Any]
    rows: Sequence[tuple[Any, ...]]
    texts: Sequence[bytes]
    vectors: Sequence[tuple[bytes, int]]
    notes: Sequence[tuple[Any, ...]]
    sizes: Sequence[int]
    lengths: npt.NDArray[np.uint16]
    codes: npt.NDArray[np.uint64]
    terms: Sequence[str]
    first: Ints
    """Where the postings of each chunk begin."""
    of_term: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint8]


def read_source(connections: Connections, name: str) -> Drawn:
    """Read a store of one part."""
    with connections.taken() as db, db.transaction():
        (store,) = db.execute(
            "select store.id from notewell.store join notewell.vault on vault.id = vault where name = %s", (name,)
        ).fetchall()[0]
        db.execute(USE_ONE, {"store": store})
        meta = dict(db.execute(ALL_META).fetchall())
        with db.cursor(binary=True) as cursor:
            every = cursor.execute(
                'select chunk.id, note, line, end_line, start, "end", parts, day, tasks, text, data, crc from chunk '
                "join body on body.id = body and body.part = chunk.part "
                "join vector on vector.body = body.id and vector.part = body.part order by chunk.id"
            ).fetchall()
            notes = cursor.execute(
                "select title, kind, tags, aliases, fields, link_count, links, mtime_ns, size, digest, ctime_ns, day, "
                "dated_by, properties, file_day from note order by id"
            ).fetchall()
            blocks = cursor.execute("select lengths, codes from block order by id").fetchall()
            postings = cursor.execute("select term, block, data from posting order by term, block").fetchall()
    ids = np.array([row[0] for row in every])
    lengths = np.concatenate([np.frombuffer(each, np.uint16) for each, _ in blocks])
    words = -(-int(meta["dimensions"]) // 64)
    codes = np.concatenate([np.frombuffer(each, np.uint64).reshape(words, -1) for _, each in blocks], axis=1)
    return Drawn(
        meta=meta,
        rows=[row[2:9] for row in every],
        texts=[row[9] for row in every],
        vectors=[row[10:12] for row in every],
        notes=notes,
        sizes=np.unique([row[1] for row in every], return_counts=True)[1].tolist(),
        lengths=lengths[ids],
        codes=codes[:, ids],
        **_by_chunk(postings, ids),
    )


def _by_chunk(postings: Sequence[tuple[str, int, bytes]], ids: Ints) -> dict[str, Any]:
    """Return which terms each chunk has, and how often."""
    terms = sorted({term for term, *_ in postings})
    number = {term: place for place, term in enumerate(terms)}
    lists = [(number[term], block, *unpack(data)) for term, block, data in postings]
    slots = np.concatenate([places.astype(np.int64) + block * BLOCK for _, block, places, _ in lists])
    of_term = np.concatenate([np.full(places.size, term, np.int32) for term, _, places, _ in lists])
    counts = np.concatenate([each for *_, each in lists])
    chunks = np.searchsorted(ids, slots)
    order = np.argsort(chunks, kind="stable")
    first = np.searchsorted(chunks[order], np.arange(ids.size + 1))
    return {"terms": terms, "first": first, "of_term": of_term[order], "counts": counts[order]}


def fill(connections: Connections, name: str, drawn: Drawn, chunks: int, servers: Mapping[str, str]) -> None:
    """Make a store of this many chunks; `servers` has the address of each server's superuser, by node."""
    random, made_for = np.random.default_rng(SEED), MadeFor(*(drawn.meta[key] for key in MadeFor._fields))
    with connections.taken() as db, ExitStack() as stack:
        found = create(db, name, "current", made_for)
        opened = {node: stack.enter_context(closing(psycopg.connect(url))) for node, url in servers.items()}
        block = Block(found.store, drawn)
        for number in range(-(-chunks // BLOCK)):
            draw = random.integers(0, len(drawn.rows), min(BLOCK, chunks - number * BLOCK))
            part = number % found.parts
            there = opened[found.node_of(part)]
            block.write(there, opened[HOME], part, number, draw)
            for each in opened.values():
                each.commit()
            say(f"{name}: {number * BLOCK + draw.size:,} chunks")
        with db.transaction():
            db.execute(USE_ONE, {"store": found.store})
            meta = Meta({})
            for key, value in {**drawn.meta, "id": os.urandom(16).hex(), "vault": "", "fine": ""}.items():
                meta[key] = value
            meta["bodies"] = chunks
            meta.save(db, found.store)
            write_marks(db, found, meta.number("arrays"))
    for url in servers.values():
        with closing(psycopg.connect(url, autocommit=True)) as there:
            there.execute("vacuum analyze")


class Block:
    """Writes one block of slots after the other, in notes as long as those of the source."""

    def __init__(self, store: int, drawn: Drawn) -> None:
        self._store, self._drawn, self._note = store, drawn, 0

    def write(self, there: psycopg.Connection, home: psycopg.Connection, part: int, number: int, draw: Ints) -> None:
        """Write the chunks that were drawn into one block of a part."""
        key, drawn, first = (self._store, part), self._drawn, number * BLOCK
        notes, leads = self._notes(draw.size)
        chunks = enumerate(zip(draw.tolist(), notes.tolist(), strict=True), start=first)
        _copy(there, "chunk", CHUNK, ((*key, slot, note, slot, *drawn.rows[one]) for slot, (one, note) in chunks))
        made = [*enumerate(draw.tolist(), start=first)]
        digests = {slot: slot.to_bytes(16, "big") for slot, _ in made}
        _copy(there, "body", BODY, ((*key, slot, digests[slot], 1, drawn.texts[one]) for slot, one in made))
        _copy(there, "vector", VECTOR, ((*key, slot, *drawn.vectors[one]) for slot, one in made))
        _copy(there, "posting", POSTING, ((*key, term, number, data) for term, data in _lists(drawn, draw)))
        _copy(there, "block", STRIPS, ((*key, *row) for row in _strips(drawn, draw, first, notes, leads)))
        rows = (
            (*key, note, f"{part:02}/{note}.md", *drawn.notes[note % len(drawn.notes)]) for note in set(notes.tolist())
        )
        _copy(home, "note", NOTE, rows, "notewell")

    def _notes(self, chunks: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the note of each slot, and whether it is the note's first."""
        sizes: list[int] = []
        while sum(sizes) < chunks:
            sizes.append(self._drawn.sizes[(self._note + len(sizes)) % len(self._drawn.sizes)])
        notes = np.repeat(np.arange(self._note + 1, self._note + 1 + len(sizes)), sizes)[:chunks]
        self._note += len(sizes)
        return notes, np.diff(notes, prepend=-1) > 0


def _lists(drawn: Drawn, draw: Ints) -> Iterator[tuple[str, bytes]]:
    """Yield the posting list of each term in a block."""
    sizes = drawn.first[draw + 1] - drawn.first[draw]
    begins = np.repeat(drawn.first[draw] - np.cumsum(sizes) + sizes, sizes)
    taken = begins + np.arange(sizes.sum())
    of_term, places = drawn.of_term[taken], np.repeat(np.arange(draw.size, dtype=np.uint16), sizes)
    order = np.argsort(of_term, kind="stable")
    of_term, places, counts = of_term[order], places[order], drawn.counts[taken][order]
    bounds = np.flatnonzero(np.diff(of_term, prepend=-1, append=-1)).tolist()
    for start, end in pairwise(bounds):
        yield drawn.terms[of_term[start]], places[start:end].tobytes() + counts[start:end].tobytes()


def _strips(
    drawn: Drawn, draw: Ints, first: int, notes: Ints, leads: npt.NDArray[np.bool_]
) -> Iterator[tuple[int, int, bytes, bytes, bytes]]:
    made = counted(drawn.meta["arrays"])
    marked = np.where(leads, notes.astype(np.uint32) | LEADS, notes.astype(np.uint32))
    for at in range(0, draw.size, STRIP):
        part = draw[at : at + STRIP]
        codes = np.ascontiguousarray(drawn.codes[:, part])
        yield (
            (first + at) // STRIP,
            made,
            drawn.lengths[part].tobytes(),
            codes.tobytes(),
            marked[at : at + STRIP].tobytes(),
        )


def _copy(
    db: psycopg.Connection, table: str, types: Sequence[str], rows: Iterable[Sequence[Any]], schema: str = HOME
) -> None:
    names = {"note": NOTES, **COLUMNS}[table]
    statement = f"copy {schema}.{table} (store, {names}) from stdin (format binary)".encode()
    with db.cursor() as cursor, cursor.copy(statement) as copied:
        copied.set_types(types)
        for row in rows:
            copied.write_row(row)

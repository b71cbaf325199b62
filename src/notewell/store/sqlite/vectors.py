"""Vectors in the file: the embedder's in the table `vector`, with a cache, and the encoder's in the table `fine`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import apsw
import numpy as np
import numpy.typing as npt

from notewell.errors import StoreDamaged
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import Rows as Fetched
from notewell.store.sqlite.checked import damaged, fetch
from notewell.store.sqlite.connection import DAMAGED
from notewell.store.sqlite.rows import body_digest, carray
from notewell.store.sqlite.schema import OBJECTS, squeezed
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Vectors

# The newest note, the most linked, the second newest, and so on; a note without links counts by its time alone.
LACKING = """
with place as (
    select
        id as note,
        row_number() over newest as by_time,
        iif(pagerank, row_number() over linked, null) as by_links
    from note
    left join standing on standing.note = id
    window
        newest as (
            order by mtime_ns desc, id
        ),
        linked as (
            order by pagerank desc, id
        )
)
select min(chunk.id) as id, min(min(by_time, ifnull(by_links, by_time))) as number, min(by_time) as newest
from chunk
join place on place.note = chunk.note
where chunk.body not in (select body from fine)
    -- Vectors of another encoder are as good as none.
    or :encoder != (select value from meta where key = 'fine')
group by chunk.body
order by number, newest, chunk.body
"""

CARRY_ENCODER_VECTORS = """
insert or ignore into main.fine (body, data, crc)
select kept.id, found.data, found.crc
from main.body as kept
-- From the index alone: a damaged page of the lines themselves costs no vector.
join old.body as was indexed by sqlite_autoindex_body_1 on was.digest = kept.digest
join old.fine as found on found.body = was.id
-- A damaged row is not worth keeping: it is made again.
where typeof(found.data) = 'blob'
    and found.crc in (-1, crc32(found.data))
    and (length(found.data) = 0 or length(found.data) = (
        select length(data)
        from old.fine
        where length(data) > 0
        group by length(data)
        order by count(*) desc, length(data)
        limit 1
    ))
"""

OLD_OBJECTS = """
select sql
from old.sqlite_schema
where sql is not null
"""

OLD_ENCODER = """
select value
from old.meta
where key = 'fine'
"""

# The tables that are read; a view of the same name is not.
CARRIED = ("createtablemeta(", "createtablebody(", "createtablefine(")

Rows = npt.NDArray[np.int8]


def save_vectors(db: apsw.Connection, chunks: Sequence[Chunk], vectors: Vectors) -> int:
    """Store the vectors of the chunks whose lines are still stored, and return how many those are."""
    # A text that the encoder cannot read gets a vector without numbers, so that it is not tried again.
    written = [data.tobytes() if data.any() else b"" for data in eight_bit(vectors)]
    rows = [
        {"digest": body_digest(chunk), "data": data, "crc": crc32(data)}
        for chunk, data in zip(chunks, written, strict=True)
    ]
    before = db.total_changes()
    db.executemany(queries.SET_ENCODER_VECTOR, rows)
    return db.total_changes() - before


def load_vectors(
    db: apsw.Connection, ids: Sequence[int], statement: str, dimensions: int | None = None
) -> dict[int, Vectors | None]:
    """Return the vectors that a statement finds for these chunks, by id; None for one without numbers.

    With `dimensions`, another length is an error. An encoder's vectors may have any: search does without them.
    """
    rows = fetch(db, statement, {"ids": carray(ids)})
    if dimensions is not None:
        _check_lengths(rows, dimensions)
    # One call of numpy for all rows takes a third of the time of one for each.
    lengths = np.cumsum([0, *(len(data) for _, data in rows)]).tolist()
    numbers = np.frombuffer(b"".join([data for _, data in rows]), np.int8).astype(np.float32)
    return {
        slot: numbers[first:last] if last > first else None
        for (slot, _), (first, last) in zip(rows, pairwise(lengths), strict=True)
    }


def _check_lengths(rows: Fetched, dimensions: int) -> None:
    if not {len(data) for _, data in rows} <= {dimensions}:
        raise damaged("a vector has another length than the others")


def carry_over(db: apsw.Connection, old: Path) -> str:
    """Copy the encoder's vectors of texts that an old store has too: a rebuild need not repeat hours of work.

    Return the encoder's fingerprint; "" if there are no such vectors, or if they cannot be read.
    """
    encoder: object = ""
    define_crc32(db)
    with suppress(*DAMAGED, apsw.SQLError, StoreDamaged, UnicodeDecodeError):
        db.execute("attach database :file as old", {"file": str(old)})
        tables = {squeezed(sql) for (sql,) in fetch(db, OLD_OBJECTS)}
        if tables >= {sql for sql in OBJECTS if sql.startswith(CARRIED)}:
            encoder = db.execute(OLD_ENCODER).get
            # Of vectors without a name, nobody knows what made them.
            if isinstance(encoder, str) and encoder:
                db.execute(CARRY_ENCODER_VECTORS)
    with suppress(apsw.SQLError):
        db.execute("detach database old")
    return encoder if isinstance(encoder, str) else ""


def define_crc32(db: apsw.Connection) -> None:
    """Define the SQL function `crc32`, the checksum of a vector."""
    db.create_scalar_function("crc32", lambda *data: crc32(data[0]), 1, deterministic=True)


class VectorCache:
    """The embedder's vectors by slot, read from the file once: reading hundreds of rows takes a fifth of a search.

    The array has room for all vectors, but takes memory only for pages that were written. Threads may share it: if two
    read a row at once, they read the same.
    """

    def __init__(self, size: int, dimensions: int) -> None:
        self._rows: Rows = np.zeros((size, dimensions), dtype=np.int8)
        self._cached = np.zeros(size, dtype=np.bool_)

    def rows(self, db: apsw.Connection, slots: npt.NDArray[np.intp]) -> Rows:
        """Return the vectors of these slots, which are in ascending order."""
        missing = slots[~self._cached[slots]]
        if missing.size:
            found = fetch(db, queries.VECTORS, {"ids": carray(missing)})
            _check_lengths(found, self._rows.shape[1])
            self._rows[missing] = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(
                missing.size, -1
            )
            self._cached[missing] = True
        taken: Rows = self._rows[slots]
        return taken

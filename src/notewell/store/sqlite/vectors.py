"""Vectors in the file: storing the encoder's, and carrying them over from an older store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import apsw

from notewell.errors import StoreDamaged
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import fetch
from notewell.store.sqlite.connection import DAMAGED
from notewell.store.sqlite.schema import OBJECTS, squeezed
from notewell.store.tables.rows import body_digest
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Vectors

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

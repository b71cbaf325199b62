"""Checks that a store is sound: everything that can be derived is derived again, and compared."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import apsw

from notewell.errors import StoreDamaged
from notewell.store import CLONED_AT_LEAST
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import SqliteReader, fetch
from notewell.store.sqlite.links import find_stray_edges
from notewell.store.sqlite.place import OWNER
from notewell.store.sqlite.schema import TABLES, Meta
from notewell.store.sqlite.vectors import define_crc32
from notewell.store.tables.check import GROUP, derived_problems, is_ahead
from notewell.store.tables.checked import LONGEST_TEXT, damaged
from notewell.store.tables.rows import load_chunks
from notewell.store.tables.seal import Seals

WRONG_CRC = "typeof(data) != 'blob' or crc not in (-1, crc32(data))"
# What is wrong if a statement counts any.
STRAYS = {
    "chunks without a note": "select count(*) from chunk where note not in (select id from note)",
    "chunks without lines": "select count(*) from chunk where body not in (select id from body)",
    "lines that no chunk, or another number of chunks, uses": """
        select count(*)
        from body
        left join (select body, count(*) as found from chunk group by body) as used on used.body = body.id
        where uses != coalesce(found, 0)
    """,
    "lines without a vector": "select count(*) from body where id not in (select body from vector)",
    "vectors without lines": "select count(*) from vector where body not in (select id from body)",
    "encoder vectors of another length than most": """
        select count(*)
        from fine
        where length(data) > 0 and length(data) != (
            select length(data)
            from fine
            where length(data) > 0
            group by length(data)
            order by count(*) desc, length(data)
            limit 1
        )
    """,
    "vectors of another length than the embedder's": """
        select count(*)
        from vector
        where length(data) != (select value from meta where key = 'dimensions')
    """,
    "encoder vectors, though no encoder is named": """
        select count(*)
        from fine
        where coalesce((select value from meta where key = 'fine'), '') = ''
    """,
    "vectors whose checksum is wrong": f"select count(*) from vector where {WRONG_CRC}",
    "encoder vectors whose checksum is wrong": f"select count(*) from fine where {WRONG_CRC}",
    "encoder vectors without lines": "select count(*) from fine where body not in (select id from body)",
    "skipped files that are notes, too": "select count(*) from skipped where path in (select path from note)",
}


# The kinds of value that columns are declared to have, as SQLite names them. Most tables let in any other kind, too.
COLUMN = re.compile(r'^ +"?(\w+)"? (integer|text|blob|real)\b', re.MULTILINE)
TABLE = re.compile(r"create table (\w+) \((.*?)^\)", re.MULTILINE | re.DOTALL)
COLUMNS = {table: COLUMN.findall(columns) for table, columns in TABLE.findall(TABLES)}

# The keys of the table `meta`, and what kinds of value each has.
STATE = {
    **dict.fromkeys(
        ("generation", "arrays", "linked", "measured", "worn", "touched", "dimensions", "weighing"), (int,)
    ),
    **dict.fromkeys(("embedder", "recipe", "indexed_at", "fine", "site_root", "standings"), (str,)),
    **dict.fromkeys(("id", "mark", OWNER), (bytes, type(None))),
    "cloned": (int, type(None)),
}


def check_kinds(db: apsw.Connection) -> None:
    """Raise an error if a value is of another kind than its column's, or too long, before any is loaded."""
    for table, columns in COLUMNS.items():
        wrong = [f"typeof(\"{name}\") != '{kind}'" for name, kind in columns]
        wrong += [f'length("{name}") > {LONGEST_TEXT}' for name, kind in columns if kind == "text"]
        if number := db.execute(f"select count(*) from {table} where {' or '.join(wrong)}").get:
            raise damaged(f"{number:,} rows of the table {table} have values of another kind than their columns")
    if db.execute(f"select count(*) from meta where length(value) > {LONGEST_TEXT}").get:
        raise damaged("a value in `meta` is too long")


def _meta_problems(db: apsw.Connection, now: datetime) -> Iterator[str]:
    """Yield what is wrong with the table `meta`; counters cannot be checked further than by their kind."""
    values: dict[str, Any] = dict(fetch(db, queries.ALL_META))
    if unknown := values.keys() - STATE.keys():
        yield f"{len(unknown):,} values in `meta` with a key that Notewell does not write"
    if wrong := sum(type(values[key]) not in kinds for key, kinds in STATE.items() if key in values):
        yield f"{wrong:,} values in `meta` of another kind"
    if is_ahead(values.get("indexed_at"), now):
        yield "it was indexed in the future"
    if "cloned" in values and values["cloned"] != db.execute(queries.CLONED, {"least": CLONED_AT_LEAST}).get:
        yield "the day of a clone is not that of most files"


def find_problems(db: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with a store, one sentence each."""
    state = Meta(db).state()
    check_kinds(db)
    yield from _meta_problems(db, datetime.now(UTC))
    define_crc32(db)
    for (message,) in db.execute("pragma integrity_check(10)"):
        if message != "ok":
            yield f"SQLite: {message}"
    for what, statement in STRAYS.items():
        number = db.execute(statement).get
        if number:
            yield f"{number:,} {what}"
    try:
        yield from find_stray_edges(db, resolved=state.links_resolved)
    except StoreDamaged as error:
        yield error.fact
        return
    yield from derived_problems(SqliteReader(db), state.made_for.dimensions)


def find_altered(db: apsw.Connection, seals: Seals) -> Iterator[str]:
    """Yield a sentence if a row is not as it was stored."""
    reader = SqliteReader(db)
    ids = [slot for (slot,) in reader.fetch("ALL_CHUNKS")]
    try:
        seals.check_notes(reader, Meta(db).state().generation)
        for first in range(0, len(ids), GROUP):
            deque(load_chunks(reader, ids[first : first + GROUP], seals), maxlen=0)
        for seal, *shown in fetch(db, queries.SKIPPED):
            seals.check(seal, "skipped", tuple(shown))
    except StoreDamaged as error:
        yield error.fact

"""Checks that a store is sound: everything that can be derived is derived again, and compared."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
import numpy as np

from notewell.errors import StoreDamaged
from notewell.store import CLONED_AT_LEAST
from notewell.store.bm25 import WEIGHING, stored_length, weigh_terms
from notewell.store.sqlite import queries
from notewell.store.sqlite.arrays import LEADS, Blocks, one_bit, slot_notes
from notewell.store.sqlite.checked import LONGEST_TEXT, UNREADABLE, damaged, fetch
from notewell.store.sqlite.links import SqliteLinked, find_stray_edges
from notewell.store.sqlite.place import OWNER
from notewell.store.sqlite.postings import Postings, pack
from notewell.store.sqlite.rows import body_digest, carray, load_chunks, unpack
from notewell.store.sqlite.rows import pack as pack_text
from notewell.store.sqlite.schema import TABLES, Meta
from notewell.store.sqlite.seal import Seals
from notewell.store.sqlite.vectors import define_crc32

# Notes or chunks read together.
GROUP = 2_000

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

ALL_CHUNKS = """
select id
from chunk
order by id
"""

BODY_DIGESTS = """
select chunk.id, body.digest as data
from chunk
join body on body.id = chunk.body
where chunk.id in (select value from carray(:ids))
"""

BODIES = """
select id, text
from body
where id > :last
order by id
limit :limit
"""

ALL_POSTINGS = """
select term, block, data
from posting
order by term, block
"""


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
# Clocks differ, but not by so much.
AHEAD = timedelta(days=1)


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
    indexed = values.get("indexed_at")
    with suppress(TypeError, ValueError):
        if indexed and datetime.fromisoformat(indexed) > now + AHEAD:
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
        yield from _array_problems(db, state.made_for.dimensions)
        yield from _packing_problems(db)
        _read_all_links(db)
    except StoreDamaged as error:
        yield error.fact
    except UNREADABLE:
        # Bytes that cannot be unpacked, or arrays of the wrong size.
        yield "something in it cannot be read"


def find_altered(db: apsw.Connection, seals: Seals) -> Iterator[str]:
    """Yield a sentence if a row is not as it was stored."""
    ids = [slot for (slot,) in db.execute(ALL_CHUNKS)]
    try:
        seals.check_notes(db, Meta(db).state().generation)
        for first in range(0, len(ids), GROUP):
            deque(load_chunks(db, ids[first : first + GROUP], seals), maxlen=0)
        for seal, *shown in fetch(db, queries.SKIPPED):
            seals.check(seal, "skipped", tuple(shown))
    except StoreDamaged as error:
        yield error.fact


def _packing_problems(db: apsw.Connection) -> Iterator[str]:
    """Yield a sentence if a few texts are packed differently than today; if most are, another zlib packed them."""
    wrong = total = last = 0
    while rows := fetch(db, BODIES, {"last": last, "limit": GROUP}):
        wrong += sum(pack_text(unpack(data)) != data for _, data in rows)
        total, last = total + len(rows), rows[-1][0]
    if 0 < wrong < total / 2:
        yield f"{wrong:,} texts whose bytes were changed"


def _read_all_links(db: apsw.Connection) -> None:
    """Read the links of every note; those that cannot be unpacked raise an error."""
    linked = SqliteLinked(db)
    notes = [name.id for name in linked.names()]
    for first in range(0, len(notes), GROUP):
        linked.links_of(notes[first : first + GROUP])


def _array_problems(db: apsw.Connection, dimensions: int) -> Iterator[str]:
    blocks = Blocks.load(db, dimensions)
    ids = [slot for (slot,) in db.execute(ALL_CHUNKS)]
    if np.flatnonzero(blocks.lengths).tolist() != ids:
        yield "the arrays name other chunks than the table"
        return
    if blocks.codes[:, blocks.lengths == 0].any():
        yield "free slots have codes"
    if (np.where(blocks.leads, blocks.notes | LEADS, blocks.notes) != slot_notes(db, blocks.lengths.size)).any():
        yield "the arrays have other notes for some chunks than the table"
    # A store of an older version weighs terms otherwise, until it is built again.
    comparable = Meta(db).number("weighing") == WEIGHING
    postings = Postings()
    wrong_lengths = wrong_codes = wrong_lines = 0
    for first in range(0, len(ids), GROUP):
        group = ids[first : first + GROUP]
        digests: dict[int, bytes] = dict(fetch(db, BODY_DIGESTS, {"ids": carray(group)}))
        for slot, chunk in load_chunks(db, group):
            wrong_lines += digests[slot] != body_digest(chunk)
            if comparable:
                weights = weigh_terms(chunk)
                postings.add(slot, weights)
                wrong_lengths += int(blocks.lengths[slot]) != stored_length(weights)
        wrong_codes += _wrong_codes(db, group, blocks)
    if wrong_lengths:
        yield f"{wrong_lengths:,} chunks whose length is wrong"
    if wrong_lines:
        yield f"{wrong_lines:,} chunks whose lines are not those that were stored"
    if wrong_codes:
        yield f"{wrong_codes:,} chunks whose code is not that of their vector"
    if comparable:
        yield from _posting_problems(db, postings)


def _wrong_codes(db: apsw.Connection, group: list[int], blocks: Blocks) -> int:
    rows = fetch(db, queries.VECTORS, {"ids": carray(group)})
    vectors = np.frombuffer(b"".join(data for _, data in rows), np.int8).reshape(len(group), -1)
    return int((one_bit(vectors) != blocks.codes[:, group].T).any(axis=1).sum())


def _posting_problems(db: apsw.Connection, postings: Postings) -> Iterator[str]:
    stored: Any = db.execute(ALL_POSTINGS)
    expected = ((change.term, change.block, pack(change.places, change.counts)) for change in postings.changes())
    # Both are sorted by term: SQLite sorts by bytes, which for UTF-8 is Python's order.
    missing = sum(one != other for one, other in zip(expected, stored, strict=False))
    left = sum(1 for _ in expected) + sum(1 for _ in stored)
    if missing or left:
        yield f"{missing + left:,} posting lists that differ from the chunks' terms"

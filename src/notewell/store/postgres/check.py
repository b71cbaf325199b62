"""Checks that a store is sound: rows that belong together, and what can be derived again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from zlib import crc32

from notewell.errors import StoreDamaged
from notewell.store import CLONED_AT_LEAST
from notewell.store.postgres import queries
from notewell.store.postgres.meta import Meta
from notewell.store.postgres.reader import PostgresReader
from notewell.store.tables.check import GROUP, derived_problems, is_ahead, unresolved_edges

# What is wrong if a statement counts any.
STRAYS = {
    "notes with the path of another": """
        select count(*) as number
        from (select path from note group by path having count(*) > 1) as twice
    """,
    "chunks without a note": """
        select count(*) as number
        from chunk
        where not exists (select from note where note.id = chunk.note and note.part = chunk.part)
    """,
    "chunks without lines": """
        select count(*) as number
        from chunk
        where not exists (select from body where body.id = chunk.body and body.part = chunk.part)
    """,
    "lines that no chunk, or another number of chunks, uses": """
        select count(*) as number
        from body
        left join (select body, count(*) as found from chunk group by body) as used on used.body = body.id
        where uses != coalesce(found, 0)
    """,
    "lines without a vector": "select count(*) as number from body where id not in (select body from vector)",
    "vectors without lines": "select count(*) as number from vector where body not in (select id from body)",
    "encoder vectors without lines": "select count(*) as number from fine where body not in (select id from body)",
    "vectors of another length than the embedder's": """
        select count(*) as number
        from vector
        where length(data) != (select value::bigint from meta where key = 'dimensions')
    """,
    "encoder vectors of another length than most": """
        select count(*) as number
        from fine
        where length(data) > 0 and length(data) != (
            select length(data)
            from fine
            where length(data) > 0
            group by 1
            order by count(*) desc, length(data)
            limit 1
        )
    """,
    "encoder vectors, though no encoder is named": """
        select count(*) as number
        from fine
        where not exists (select from meta where key = 'fine' and value not in ('""', 'null'))
    """,
    "skipped files that are notes, too": "select count(*) as number from skipped where path in (select path from note)",
    "edges of notes that are not there": "select count(*) as number from edge where note not in (select id from note)",
    "standings of notes that are not there": """
        select count(*) as number
        from standing
        where note not in (select id from note)
    """,
}

TOO_FEW = """
select count(*) as number
from note
join edge on edge.note = note.id
where length(data) != 8 * link_count
"""
# By part: its node then sorts, and sends no more than is asked for.
SUMS = """
select body as id, data, crc
from {table}
where part = %(part)s and body > %(last)s
order by body
limit %(limit)s
"""


def find_problems(db: PostgresReader, meta: Meta) -> Iterator[str]:
    """Yield what is wrong with a store, one sentence each."""
    state = meta.state
    for what, statement in STRAYS.items():
        if number := db.rows(statement)[0][0]:
            yield f"{number:,} {what}"
    for table, what in (("vector", "vectors"), ("fine", "encoder vectors")):
        if number := sum(_wrong_sums(db, table)):
            yield f"{number:,} {what} whose checksum is wrong"
    if is_ahead(state.indexed_at, datetime.now(UTC)):
        yield "it was indexed in the future"
    found = db.db.execute(queries.CLONED, {"least": CLONED_AT_LEAST}).fetchone()
    if meta["cloned"] != (found[0] if found else None):
        yield "the day of a clone is not that of most files"
    try:
        if state.links_resolved:
            if number := db.rows(TOO_FEW)[0][0]:
                yield f"{number:,} notes with another number of edges than links"
            yield from unresolved_edges(db)
    except StoreDamaged as error:
        yield error.fact
        return
    yield from derived_problems(db, state.made_for.dimensions)


def _wrong_sums(db: PostgresReader, table: str) -> Iterator[int]:
    """Yield how many vectors of each group have another checksum; as few servers can compute it, we do."""
    for part in db.here:
        last = 0
        while rows := db.rows(SUMS.format(table=table), {"part": part, "last": last, "limit": GROUP}):
            yield sum(crc32(data) != crc for _, data, crc in rows)
            last = rows[-1][0]

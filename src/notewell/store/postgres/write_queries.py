"""The statements that write: rows go in as arrays, many with each statement, and come out by key."""

from __future__ import annotations

from collections.abc import Mapping

TYPES = {
    **dict.fromkeys(("id", "note", "line", "end_line", "start", "end", "link_count", "uses", "again"), "int"),
    **dict.fromkeys(("block", "community"), "int"),
    **dict.fromkeys(("body", "mtime_ns", "size", "ctime_ns", "crc", "made"), "bigint"),
    **dict.fromkeys(("path", "title", "kind", "tags", "aliases", "fields", "digest", "day", "dated_by"), "text"),
    **dict.fromkeys(("properties", "file_day", "parts", "tasks", "term", "reason"), "text"),
    **dict.fromkeys(("links", "data", "text", "lengths", "codes", "notes"), "bytea"),
    **dict.fromkeys(("pagerank", "centrality", "x", "y"), "float8"),
    "part": "smallint",
}
OF_BODY = {"id": "bigint", "digest": "bytea"}


def _insert(table: str, columns: str, replaced: str = "", types: Mapping[str, str] = TYPES) -> str:
    """Return the statement that adds rows to a table, or, with a key, puts them in the place of others."""
    names = columns.split()
    arrays = ", ".join(f"%({name})s::{({**TYPES, **types})[name]}[]" for name in names)
    quoted = ", ".join(f'"{name}"' for name in names)
    kept = [name for name in names if name not in (*replaced.replace(",", "").split(), "part")]
    other = ", ".join(f'"{name}" = excluded."{name}"' for name in kept)
    conflict = f"on conflict (store, {replaced}, part) do update set {other}" if replaced else ""
    return f"insert into {table} (store, {quoted}) select %(store)s, * from unnest({arrays}) {conflict}"


ADD_NOTES = _insert(
    "note",
    "part id path title kind tags aliases fields link_count links mtime_ns size digest ctime_ns day dated_by "
    "properties file_day",
)
ADD_CHUNKS = _insert("chunk", "part id note body line end_line start end parts day tasks")
ADD_BODIES = _insert("body", "part id digest uses text", types=OF_BODY)
ADD_VECTORS = _insert("vector", "part body data crc")
SET_POSTINGS = _insert("posting", "part term block data", "term, block")
SET_BLOCKS = _insert("block", "part id made lengths codes notes", "id")
SET_EDGES = _insert("edge", "part note data", "note")
ADD_STANDINGS = _insert("standing", "part note pagerank centrality community x y")

# What a path was before, and whether it was a file that was skipped, which it is no longer.
KNOWN_AS = """
with gone as (
    delete from skipped
    where path = %(path)s
    returning 1
)
select (select count(*) from gone) as number, note.id, note.aliases
from (select) as always
left join note on path = %(path)s
"""

LAST_IDS = """
select coalesce((select max(id) from note), 0) as number, coalesce((select max(id) from body), 0) as number
"""

HAS_BODY = """
select 1 as number
from body
where digest = %(digest)s
limit 1
"""

FOUND_BODIES = """
select body.part, id, digest as data, data
from body
join vector on vector.body = body.id and vector.part = body.part
where digest = any (%(digests)s::bytea[])
order by body.part, id
"""

# The part of each note by its id.
PARTS_OF = """
select id, part
from note
where id = any (%(ids)s::int[])
"""

USE_BODIES = """
update body
set uses = uses + used.times
from unnest(%(ids)s::bigint[], %(times)s::int[]) as used (id, times)
where body.id = used.id
"""

DROP_BODIES = (
    "delete from fine where body in (select id from body where uses = 0 and id = any (%(ids)s::bigint[]))",
    "delete from vector where body in (select id from body where uses = 0 and id = any (%(ids)s::bigint[]))",
    "delete from body where uses = 0 and id = any (%(ids)s::bigint[])",
)

REMOVE_CHUNKS = """
delete from chunk
where id = any (%(ids)s::int[])
"""

REMOVE_NOTES = """
delete from note
where id = any (%(ids)s::int[])
"""

TOUCH = """
update note
set mtime_ns = %(mtime_ns)s, size = %(size)s, ctime_ns = %(ctime_ns)s, file_day = %(file_day)s
where path = %(path)s
"""

SKIPPED_FOR = """
select reason
from skipped
where path = %(path)s
"""

TOUCH_SKIPPED = """
update skipped
set mtime_ns = %(mtime_ns)s, size = %(size)s, ctime_ns = %(ctime_ns)s, again = %(again)s
where path = %(path)s
"""

ADD_SKIPPED = """
insert into skipped (store, path, reason, mtime_ns, size, ctime_ns, again)
values (%(store)s, %(path)s, %(reason)s, %(mtime_ns)s, %(size)s, %(ctime_ns)s, %(again)s)
"""

POSTINGS_AT = """
select term, block, data
from posting
where (term, block) in (select * from unnest(%(term)s::text[], %(block)s::int[]))
"""

DROP_POSTINGS = """
delete from posting
where (term, block) in (select * from unnest(%(term)s::text[], %(block)s::int[]))
"""

DROP_BLOCKS = """
delete from block
where id >= %(first)s
"""

EMPTY_EDGES = """
update edge
set data = ''
where note = any (%(ids)s::int[])
"""

DROP_EDGES = """
delete from edge
where note = any (%(ids)s::int[])
"""

DROP_STANDINGS = """
delete from standing
"""

DROP_STANDINGS_OF = """
delete from standing
where note = any (%(ids)s::int[])
"""

CLEAR_ENCODER_VECTORS = """
delete from fine
"""

SET_ENCODER_VECTORS = """
insert into fine (store, part, body, data, crc)
select %(store)s, part, id, data, crc
from unnest(%(digest)s::bytea[], %(data)s::bytea[], %(crc)s::bigint[]) as made (digest, data, crc)
join body using (digest)
on conflict (store, body, part) do update set data = excluded.data, crc = excluded.crc
"""

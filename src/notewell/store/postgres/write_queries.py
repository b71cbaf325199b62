"""The statements that write: rows go in as arrays, many with each statement, and come out by key.

Tables that are spread have no `on conflict`, which foreign tables do not know: what is replaced is deleted before.
"""

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
    other = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name != replaced)
    conflict = f"on conflict (store, {replaced}) do update set {other}" if replaced else ""
    return f"insert into {table} (store, {quoted}) select %(store)s, * from unnest({arrays}) {conflict}"


def on_node(statement: str, node: str) -> str:
    """Return the statement that adds the rows on a node, many with each of its messages.

    Through the partitioned table, whose policy looks at each row, it would be a message for each; there, the column
    `store` is not given, but is the one that the session may write.
    """
    return statement.replace("insert into ", f"insert into {node}.").replace("(store, ", "(").replace("%(store)s, ", "")


ADD_NOTES = _insert(
    "note",
    "part id path title kind tags aliases fields link_count links mtime_ns size digest ctime_ns day dated_by "
    "properties file_day",
)
ADD_CHUNKS = _insert("chunk", "part id note body line end_line start end parts day tasks")
ADD_BODIES = _insert("body", "part id digest uses text", types=OF_BODY)
ADD_VECTORS = _insert("vector", "part body data crc")
ADD_FINE = _insert("fine", "part body data crc")
ADD_POSTINGS = _insert("posting", "part term block data")
ADD_BLOCKS = _insert("block", "part id made lengths codes notes")
ADD_MARKS = _insert("mark", "part made")
SET_EDGES = _insert("edge", "note data", "note")
ADD_STANDINGS = _insert("standing", "note pagerank centrality community x y")

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

LAST_NOTE = """
select coalesce(max(id), 0) as number
from note
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

# The notes of these that are there.
KNOWN = """
select id
from note
where id = any (%(ids)s::int[])
order by id
"""

# As often for all of them: a node can do that itself.
USE_BODIES = """
update body
set uses = uses + %(times)s::int
where id = any (%(ids)s::bigint[])
"""

UNUSED = """
select id
from body
where uses = 0 and id = any (%(ids)s::bigint[])
order by id
"""

DROP_FINE = "delete from fine where body = any (%(ids)s::bigint[])"
DROP_BODIES = (
    DROP_FINE,
    "delete from vector where body = any (%(ids)s::bigint[])",
    "delete from body where id = any (%(ids)s::bigint[])",
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
select term, data
from posting
where part = %(part)s and block = %(block)s and term = any (%(terms)s::text[])
"""

DROP_POSTINGS = """
delete from posting
where part = %(part)s and block = %(block)s and term = any (%(terms)s::text[])
"""

DROP_BLOCKS = """
delete from block
where id = any (%(ids)s::int[]) or id >= %(first)s
"""

DROP_MARKS = """
delete from mark
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

BODIES_WITH = """
select part, id, digest as data
from body
where digest = any (%(digests)s::bytea[])
order by part, id
"""

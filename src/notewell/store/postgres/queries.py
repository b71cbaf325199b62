"""The statements that read, by the names that the shared logic knows; the policies of the tables pick the store.

Every `order by` ends in a unique column, and sorts by bytes, as SQLite does. What is shown names the parts that it is
read from: nodes that cannot be reached are then not asked.
"""

from __future__ import annotations

from notewell.store.tables.postings import BLOCK
from notewell.store.tables.seal import OF_NOTE

# The parts that can be reached; for a join, of each of its tables, so that nodes can join.
HERE = "part = any (%(here)s::smallint[])"
CHUNKS_HERE = "chunk.part = any (%(here)s::smallint[])"


def _number_of(table: str, where: str = "true") -> str:
    """Return the number of rows of a table, as an expression; nodes count by part, and only the sum is made here."""
    counted = f"select count(*) as number from {table} where {where} and {HERE} group by part"
    return f"(select coalesce(sum(number), 0)::bigint from ({counted}) as parts)"


CLONED_DAY = "(select value::bigint from meta where key = 'cloned' and value != 'null')"
IS_CLONED = f"coalesce(mtime_ns / 86400000000000 = {CLONED_DAY}, false)"
# The day of a note: by its name or properties, or else of its file; empty for a clone.
DAY_OF_NOTE = f"case when day != '' then day when {IS_CLONED} then '' else file_day end"

META = """
select value
from meta
where key = %(key)s
"""

STAMPS = """
select path, mtime_ns, size, digest, ctime_ns
from note
"""

SKIPPED_STAMPS = """
select path, mtime_ns, size, '' as digest, ctime_ns, again
from skipped
"""

COUNTS = f"""
select
    count(*) as number,
    {_number_of("chunk")} as number,
    coalesce(sum(link_count), 0)::bigint as number
from note
"""

ENCODER_COUNTS = f"""
select
    {_number_of("fine", "length(data) > 0")} as number,
    {_number_of("fine", "length(data) = 0")} as number
"""

SKIPPED = """
select ''::bytea as seal, path, reason
from skipped
order by path
"""

# A prefix by comparison, not `like`: `_` and `%%` are ordinary characters in a path, and "work" is not "work-old".
NOTES_UNDER = """
select id
from note
where path = %(under)s or left(path, length(%(under)s) + 1) = %(under)s || '/'
order by id
"""

SLOT_NOTES = f"""
select id, note, (id = first_value(id) over (partition by note order by line, start, id))::int as again
from chunk
where {HERE}
order by id
"""

NOTE_PATHS = """
select id, path
from note
order by id
"""

NOTE_TAGS = """
select note.id, tag.value as tag
from note, jsonb_array_elements_text(tags::jsonb) as tag (value)
where tags != '[]'
"""

NOTE_TYPES = """
select id, kind
from note
where kind != ''
order by id
"""

# The values of a list or a mapping, or a value alone.
NOTE_FIELDS = """
with found as (
    select id, fields::jsonb -> %(key)s::text as value
    from note
    where fields != '{}'
)
select id, case jsonb_typeof(item) when 'boolean' then to_jsonb(item::text) else item end as field
from found
cross join jsonb_path_query(value, case jsonb_typeof(value) when 'object' then '$.*' else '$[*]' end::jsonpath) as item
where jsonb_typeof(item) in ('string', 'number', 'boolean')
"""

KEYS = """
select distinct field.key
from note, jsonb_object_keys(fields::jsonb) as field (key)
where fields != '{}'
"""

NOTE_DAYS = f"""
select id, dated
from (
    select id, {DAY_OF_NOTE} as dated
    from note
) as every
where dated != ''
order by id
"""

# The day of most files, as days since 1970, if it is the day of so many that they must have been copied.
CLONED = """
select day
from (
    select mtime_ns / 86400000000000 as day, count(*) as files
    from note
    group by 1
) as days
where files >= %(least)s and files * 2 > (select count(*) from note)
"""

CHUNK_DAYS = f"""
select id, day
from chunk
where day != '' and {HERE}
order by id
"""

CHUNK_TASKS = f"""
select id, tasks
from chunk
where tasks != '' and {HERE}
order by id
"""

NEWEST = f"""
select id, day
from (
    select id, {DAY_OF_NOTE} as day, mtime_ns, path
    from note
    where id = any (%(notes)s::int[])
) as wanted
order by day collate "C" desc, mtime_ns desc, path
limit %(limit)s
"""

NOTE_FACTS = f"""
select
    path,
    {DAY_OF_NOTE} as day,
    case when day != '' then dated_by when {IS_CLONED} then '' else 'file' end as dated_by,
    fields
from note
where path = any (%(paths)s::text[])
order by path
"""

CHUNKS_IN = f"""
select id
from chunk
where note = %(note)s and {HERE}
order by line, start, id
"""

TERMS_FROM = f"""
select term, sum(number)::bigint as number
from (
    select term, sum(length(data)) as number
    from posting
    where term >= %(first)s::text and term < %(last)s::text and length(term) <= %(longest)s and {HERE}
    group by part, term
) as parts
group by term
order by 2 desc, term
limit %(limit)s
"""

ALL_TERMS = f"""
select coalesce(string_agg(term, chr(10)), '') as terms
from (
    select distinct term
    from (select part, term from posting where {HERE} group by part, term) as parts
) as every
"""

# A posting has three bytes.
HOLDING = f"""
select term, sum(number)::bigint / 3 as number
from (
    select term, sum(length(data)) as number
    from posting
    where term = any (%(terms)s::text[]) and {HERE}
    group by part, term
) as parts
group by term
"""

POSTINGS = f"""
select term, block * {BLOCK} as number, data
from posting
where term = any (%(terms)s::text[]) and {HERE}
order by term, block
"""

BLOCKS = f"""
select id, lengths, codes, notes
from block
where {HERE}
order by id
"""

VECTORS = f"""
select chunk.id, data
from chunk
join vector on vector.body = chunk.body and vector.part = chunk.part
where chunk.id = any (%(ids)s::int[]) and {CHUNKS_HERE} and vector.{HERE}
order by chunk.id
"""

ENCODER_VECTORS = f"""
select chunk.id, data
from chunk
join fine on fine.body = chunk.body and fine.part = chunk.part
where chunk.id = any (%(ids)s::int[]) and {CHUNKS_HERE} and fine.{HERE}
order by chunk.id
"""

CHUNKS = f"""
select chunk.id, body.text, path, line, end_line, start, "end", parts, title, kind, tags, aliases, properties,
    chunk.day, tasks, note.digest, ''::bytea as seal
from chunk
join body on body.id = chunk.body and body.part = chunk.part
join note on note.id = chunk.note
where chunk.id = any (%(ids)s::int[]) and {CHUNKS_HERE} and body.{HERE}
order by chunk.id
"""

# The highest ids of chunks and notes.
LAST = f"""
select
    (select coalesce(max(id), 0) from chunk where {HERE}) as number,
    (select coalesce(max(id), 0) from note where {HERE}) as number
"""

EXISTING = f"""
select id
from chunk
where id = any (%(ids)s::int[]) and {HERE}
"""

CHUNKS_OF = f"""
select id, body
from chunk
where note = (select id from note where path = %(path)s) and {HERE}
order by id
"""

EDGES = """
select note, data
from edge
order by note
"""

IDS = """
select path, id
from note
order by path
"""

NAMES = """
select id, path, title, aliases, link_count
from note
order by id
"""

LINKS = """
select id, links
from note
where link_count > 0 and id = any (%(ids)s::int[])
order by id
"""

ENDS = """
select note.id, path, data
from note
join edge on edge.note = note.id
where path = any (%(paths)s::text[])
order by note.id
"""

ALL_STANDINGS = """
select path, pagerank, centrality, community, x, y
from note
join standing on standing.note = note.id
order by path
"""

STANDINGS = f"""
{ALL_STANDINGS.partition("order by")[0]}
where path = any (%(paths)s::text[])
order by path
"""

# The newest note, the most linked, the second newest, and so on; a note without links counts by its time alone.
LACKING = f"""
with place as (
    select
        id as note,
        row_number() over newest as by_time,
        case when pagerank > 0 then row_number() over linked end as by_links
    from note
    left join standing on standing.note = id
    window
        newest as (
            order by mtime_ns desc, id
        ),
        linked as (
            order by pagerank desc nulls last, id
        )
)
select min(chunk.id) as id, min(least(by_time, by_links)) as number, min(by_time) as newest
from chunk
join body on body.id = chunk.body and body.part = chunk.part
join place on place.note = chunk.note
where {CHUNKS_HERE} and body.{HERE} and (
    chunk.body not in (select body from fine where {HERE})
    -- Vectors of another encoder are as good as none.
    or to_jsonb(%(encoder)s::text) != (select value from meta where key = 'fine')
)
group by body.digest
order by number, newest, id
"""

ALL_NOTES = f"""
select {", ".join(OF_NOTE)}, links, ''::bytea as seal
from note
"""
NOTES_AT = f"{ALL_NOTES} where path = any (%(paths)s::text[])"

ALL_CHUNKS = """
select id
from chunk
order by id
"""

BODY_DIGESTS = """
select chunk.id, body.digest as data
from chunk
join body on body.id = chunk.body and body.part = chunk.part
where chunk.id = any (%(ids)s::int[])
"""

BODIES = """
select id, text
from body
where id > %(last)s
order by id
limit %(limit)s
"""

ALL_POSTINGS = """
select term, block, data
from posting
order by term, block
"""

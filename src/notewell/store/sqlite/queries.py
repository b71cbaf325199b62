"""The statements of the SQLite store, by name; those on links and of checks have modules of their own."""

from __future__ import annotations

from notewell.store.tables.postings import BLOCK


def _is_cloned() -> str:
    """Return an expression for whether a note's file has the day of a clone, which says nothing of the note."""
    return "coalesce(mtime_ns / 86400000000000 = (select value from meta where key = 'cloned'), 0)"


def _day_of_note() -> str:
    """Return an expression for the day of a note: by its name or properties, or else of its file; empty for a clone."""
    of_file = "coalesce(date(mtime_ns / 1000000000, 'unixepoch', 'localtime'), '1970-01-01')"
    return f"iif(day != '', day, iif({_is_cloned()}, '', {of_file}))"


META = """
select value
from meta
where key = :key
"""

ALL_META = """
select key, value
from meta
"""

# A value of a stranger's store may have any size.
SHORT_META = """
select value
from meta
where key = :key and (typeof(value) = 'integer' or length(value) < 100000)
"""

SET_META = """
insert or replace into meta (key, value)
values (:key, :value)
"""

STAMPS = """
select path, mtime_ns, size, digest, ctime_ns
from note
"""

SKIPPED_STAMPS = """
select path, mtime_ns, size, '' as digest, ctime_ns, again
from skipped
"""

# Not its name, which may be no text in a damaged file.
ANY_TABLE = """
select 1
from sqlite_schema
limit 1
"""

OBJECTS = """
select sql
from sqlite_schema
where sql is not null
"""

COUNTS = """
select
    count(*) as number,
    -- With a condition: a plain count is one step for SQLite, and has no end if pages lead back to each other.
    (select count(*) from chunk where note >= 0) as number,
    coalesce(sum(link_count), 0) as number
from note
"""

SKIPPED = """
select seal, path, reason
from skipped
order by path
"""

KNOWN_AS = """
select id, aliases
from note
where path = :path
"""

# A prefix by comparison, not `like`: `_` and `%` are ordinary characters in a path, and "work" is not "work-old".
NOTES_UNDER = """
select id
from note
where path = :under or substr(path, 1, length(:under) + 1) = :under || '/'
order by id
"""

SLOT_NOTES = """
select id, note, id = first_value(id) over (
    partition by note
    order by line, start, id
) as again
from chunk
order by id
"""

NOTE_PATHS = """
select id, path
from note
order by id
"""

NOTE_TAGS = """
select note.id, tag.value as tag
from note, json_each(note.tags) as tag
where note.tags != '[]'
"""

NOTE_TYPES = """
select id, kind
from note
where kind != ''
order by id
"""

NOTE_FIELDS = """
select note.id, case item.type when 'true' then 'true' when 'false' then 'false' else item.value end as field
from note, json_each(note.fields -> ('$."' || :key || '"')) as item
where item.type in ('text', 'integer', 'real', 'true', 'false')
"""

KEYS = """
select distinct field.key
from note, json_each(note.fields) as field
where note.fields != '{}'
"""

NOTE_DAYS = f"""
select id, {_day_of_note()} as dated
from note
where dated != ''
order by id
"""

# The day of most files, as days since 1970, if it is the day of so many that they must have been copied.
CLONED = """
select file_day
from (
    select mtime_ns / 86400000000000 as file_day, count(*) as files
    from note
    group by file_day
)
where files >= :least and files * 2 > (select count(*) from note)
"""

CHUNK_DAYS = """
select id, day
from chunk
where day != ''
order by id
"""

CHUNK_TASKS = """
select id, tasks
from chunk
where tasks != ''
order by id
"""

NEWEST = f"""
select id, {_day_of_note()} as day
from note
where id in (select value from carray(:notes))
order by day desc, mtime_ns desc, path
limit :limit
"""

NOTE_FACTS = f"""
select path, {_day_of_note()} as day, iif(day != '', dated_by, iif({_is_cloned()}, '', 'file')) as dated_by, fields
from note
where path in (select value from json_each(:paths))
order by path
"""

CHUNKS_IN = """
select id
from chunk
where note = :note
order by line, start, id
"""

TERMS_FROM = """
select term, sum(length(data)) as number
from posting
where term >= :first and term < :last and length(term) <= :longest
group by term
order by number desc, term
limit :limit
"""

ALL_TERMS = """
select coalesce(group_concat(term, char(10)), '') as terms
from (select distinct term from posting)
"""

# A posting has three bytes.
HOLDING = """
select term, sum(length(data)) / 3 as number
from posting
where term in (select value from json_each(:terms))
group by term
"""

# With the first slot of the block: several stores that are read as one have slots after each other.
POSTINGS = f"""
select term, block * {BLOCK} as number, data
from posting
where term in (select value from json_each(:terms))
order by term, block
"""

POSTING = """
select data
from posting
where term = :term and block = :block
"""

SET_POSTING = """
insert or replace into posting (term, block, data)
values (:term, :block, :data)
"""

DROP_POSTING = """
delete from posting
where term = :term and block = :block
"""

BLOCKS = """
select id, lengths, codes, notes
from block
order by id
"""

SET_BLOCK = """
insert or replace into block (id, lengths, codes, notes)
values (:id, :lengths, :codes, :notes)
"""

DROP_BLOCKS = """
delete from block
where id >= :first
"""

VECTORS = """
select chunk.id, data
from chunk
join vector on vector.body = chunk.body
where chunk.id in (select value from carray(:ids))
order by chunk.id
"""

VECTOR = """
select data
from vector
where body = :body
"""

ADD_VECTOR = """
insert into vector (body, data, crc)
values (:body, :data, :crc)
"""

ENCODER_VECTORS = """
select chunk.id, data
from chunk
join fine on fine.body = chunk.body
where chunk.id in (select value from carray(:ids))
order by chunk.id
"""

SET_ENCODER_VECTOR = """
insert or replace into fine (body, data, crc)
select id, :data, :crc
from body
where digest = :digest
"""

CLEAR_ENCODER_VECTORS = """
delete from fine
"""

ENCODER_COUNTS = """
select
    (select count(*) from fine where length(data) > 0) as number,
    (select count(*) from fine where length(data) = 0) as number
"""

HAS_BODY = """
select 1
from body
where digest = :digest
"""

USE_BODY = """
insert into body (digest, uses, text)
values (:digest, 1, :text)
on conflict (digest) do update set uses = uses + 1
returning id
"""

DROP_USE = """
update body
set uses = uses - 1
where id = :body
"""

DROP_BODIES = (
    "delete from fine where body in (select id from body where uses = 0 and id in (select value from carray(:ids)))",
    "delete from vector where body in (select id from body where uses = 0 and id in (select value from carray(:ids)))",
    "delete from body where uses = 0 and id in (select value from carray(:ids))",
)

CHUNKS = """
select chunk.id, body.text, path, line, end_line, start, "end", parts, title, kind, tags, aliases, properties,
    chunk.day, tasks, note.digest, chunk.seal
from chunk
join note on note.id = chunk.note
join body on body.id = chunk.body
where chunk.id in (select value from carray(:ids))
order by chunk.id
"""

# The highest ids of chunks and notes.
LAST = """
select
    (select coalesce(max(id), 0) from chunk) as number,
    (select coalesce(max(id), 0) from note) as number
"""

EXISTING = """
select id
from chunk
where id in (select value from carray(:ids))
"""

CHUNKS_OF = """
select chunk.id, chunk.body
from chunk
join note on note.id = chunk.note
where note.path = :path
order by chunk.id
"""

ADD_NOTE = """
insert into note (id, path, title, kind, tags, aliases, fields, link_count, links, mtime_ns, size, digest, ctime_ns,
    day, dated_by, properties, seal)
values (:id, :path, :title, :kind, :tags, :aliases, :fields, :link_count, :links, :mtime_ns, :size, :digest, :ctime_ns,
    :day, :dated_by, :properties, :seal)
returning id
"""

ADD_CHUNK = """
insert into chunk (id, note, body, line, end_line, start, "end", parts, day, tasks, seal)
values (:id, :note, :body, :line, :end_line, :start, :end, :parts, :day, :tasks, :seal)
"""

TOUCH = """
update note
set mtime_ns = :mtime_ns, size = :size, ctime_ns = :ctime_ns
where path = :path
"""

REASON = """
select reason
from skipped
where path = :path
"""

TOUCH_SKIPPED = """
update skipped
set mtime_ns = :mtime_ns, size = :size, ctime_ns = :ctime_ns, again = :again
where path = :path
"""

ADD_SKIPPED = """
insert or replace into skipped (path, reason, mtime_ns, size, ctime_ns, again, seal)
values (:path, :reason, :mtime_ns, :size, :ctime_ns, :again, :seal)
"""

REMOVE_CHUNKS = """
delete from chunk
where id in (select value from carray(:ids))
"""

REMOVE_NOTE = """
delete from note
where path = :path
"""

DROP_SKIPPED = """
delete from skipped
where path = :path
"""

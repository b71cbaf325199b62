"""The statements on links and standings, by name, and the one for the encoder's queue."""

from __future__ import annotations

EDGES = """
select note, data
from edge
order by note
"""

# Answered from the index of paths, a tenth of the table.
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
where link_count > 0 and id in (select value from carray(:ids))
order by id
"""

ENDS = """
select note.id, path, data
from note
join edge on edge.note = note.id
where path in (select value from json_each(:paths))
order by note.id
"""

ALL_STANDINGS = """
select path, pagerank, centrality, community, x, y
from standing
join note on note.id = standing.note
order by path
"""

STANDINGS = """
select path, pagerank, centrality, community, x, y
from note
join standing on standing.note = note.id
where path in (select value from json_each(:paths))
order by path
"""

SET_EDGES = """
insert or replace into edge (note, data)
values (:note, :data)
"""

EMPTY_EDGES = """
update edge
set data = x''
where note = :note
"""

DROP_EDGES = """
delete from edge
where note = :note
"""

# Rows of the table and of its index, which has to have the same.
LISTED = """
select
    (select count(*) from note not indexed where id >= 0) as number,
    (select count(*) from note indexed by sqlite_autoindex_note_1 where path >= '') as number
"""

DROP_STANDINGS = """
delete from standing
"""

DROP_STANDING = """
delete from standing
where note = :note
"""

ADD_STANDING = """
insert into standing (note, pagerank, centrality, community, x, y)
values (?, ?, ?, ?, ?, ?)
"""

TOO_FEW = """
select count(*)
from note
join edge on edge.note = note.id
where length(data) != 8 * link_count
"""

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

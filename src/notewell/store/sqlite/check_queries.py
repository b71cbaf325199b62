"""The statements of checks and seals, by name: they read whole tables."""

from __future__ import annotations

from notewell.store.tables.seal import OF_NOTE

ALL_NOTES = f"""
select {", ".join(OF_NOTE)}, links, seal
from note
"""
NOTES_AT = f"{ALL_NOTES} where path in (select value from json_each(:paths))"

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

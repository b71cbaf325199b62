"""The encoder's vectors of one store carried over to another of the same database."""

from __future__ import annotations

import psycopg

from notewell.store.postgres.catalogue import USE_ONE

# A session sees one store at a time, so they wait in a table of its own.
KEPT = """
create temporary table carried on commit drop as
select distinct on (digest) digest, data, crc
from fine
join body on body.id = fine.body and body.part = fine.part
order by digest, body.id
"""

CARRIED = """
insert into fine (store, part, body, data, crc)
select %(store)s, body.part, body.id, data, crc
from carried
join body using (digest)
"""

ENCODER = """
select value
from meta
where key = 'fine'
"""


def carry_over(db: psycopg.Connection, old: int, new: int) -> str:
    """Copy the encoder's vectors of texts that both stores have, and return the encoder; "" if there are none.

    A rebuild need not repeat hours of work.
    """
    db.execute(USE_ONE, {"store": old})
    row = db.execute(ENCODER).fetchone()
    encoder = row[0] if row else ""
    if not isinstance(encoder, str) or not encoder:
        return ""
    db.execute(KEPT)
    db.execute(USE_ONE, {"store": new})
    db.execute(CARRIED, {"store": new})
    return encoder

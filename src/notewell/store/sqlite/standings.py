"""How notes stand in the graph, at rest: a row for each note that has links, all of one computation."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import apsw

from notewell.store.links import Standing

ALL_STANDINGS = """
select path, pagerank, centrality, community
from standing
join note on note.id = standing.note
order by path
"""

STANDINGS = """
select path, pagerank, centrality, community
from note
join standing on standing.note = note.id
where path in (select value from json_each(:paths))
order by path
"""

DROP_STANDINGS = """
delete from standing
"""

ADD_STANDING = """
insert into standing (note, pagerank, centrality, community)
values (?, ?, ?, ?)
"""


def load_standings(db: apsw.Connection, paths: Collection[str] | None) -> dict[str, Standing]:
    """Return how those of these notes stand that have links, by path; of all notes, without paths."""
    if paths is None:
        rows: Any = db.execute(ALL_STANDINGS)
    else:
        rows = db.execute(STANDINGS, {"paths": json.dumps(list(paths))})
    return {path: Standing(*numbers) for path, *numbers in rows}


def save_standings(db: apsw.Connection, standings: Mapping[int, Standing]) -> None:
    """Store how notes stand, in place of what was stored before."""
    db.execute(DROP_STANDINGS)
    db.executemany(ADD_STANDING, ((note, *standing) for note, standing in standings.items()))

"""Links in the file: storing and forgetting them, and finding those that lead astray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import apsw
import numpy as np

from notewell.store.links import LinkEnds, Standing
from notewell.store.sqlite import link_queries, queries
from notewell.store.sqlite.checked import SqliteReader, fetch
from notewell.store.tables.check import unresolved_edges
from notewell.store.tables.checked import damaged

STRAYS = {
    "edges of notes that are not there": "select count(*) from edge where note not in (select id from note)",
    "standings of notes that are not there": "select count(*) from standing where note not in (select id from note)",
}


def check_listed(db: apsw.Connection) -> None:
    """Raise an error if the index of paths has other notes than the table: those would not be found."""
    in_table, in_index = fetch(db, link_queries.LISTED)[0]
    if in_table != in_index:
        raise damaged("its list of notes is not complete")


def save_edges(db: apsw.Connection, ends: Mapping[int, LinkEnds]) -> None:
    """Store where the links of these notes lead."""
    rows = ({"note": note, "data": np.ascontiguousarray(each, np.uint32).tobytes()} for note, each in ends.items())
    db.executemany(link_queries.SET_EDGES, rows)


def forget_edges(db: apsw.Connection, note: int, *, renamed: bool) -> None:
    """Forget where a note's links lead; if it is also `renamed`, other links than before may lead to it."""
    db.execute(link_queries.DROP_EDGES if renamed else link_queries.EMPTY_EDGES, {"note": note})


def save_standings(db: apsw.Connection, standings: Mapping[int, Standing]) -> None:
    """Store how notes stand, in place of what was stored before."""
    db.execute(link_queries.DROP_STANDINGS)
    db.executemany(link_queries.ADD_STANDING, ((note, *standing) for note, standing in standings.items()))


def forget_standing(db: apsw.Connection, note: int) -> None:
    """Delete the standing of a note, and with it the mark of the links that standings were measured on.

    The same note may come back, with the same links, before standings are measured again: it would have none.
    """
    db.execute(link_queries.DROP_STANDING, {"note": note})
    if db.changes():
        db.execute(queries.SET_META, {"key": "standings", "value": ""})


def find_stray_edges(db: apsw.Connection, *, resolved: bool) -> Iterator[str]:
    """Yield what is wrong with the edges; until links are `resolved`, missing ones are not wrong."""
    for what, statement in STRAYS.items():
        if number := db.execute(statement).get:
            yield f"{number:,} {what}"
    if resolved:
        if number := db.execute(link_queries.TOO_FEW).get:
            yield f"{number:,} notes with another number of edges than links"
        yield from unresolved_edges(SqliteReader(db))

"""Where links lead, at rest: for each link of a note, in order, the hash of the name it gives and the note."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw
import numpy as np

from notewell.store.links import Edges, LinkEnds, NoteName
from notewell.store.sqlite import queries
from notewell.store.sqlite.packing import unpack
from notewell.store.sqlite.rows import carray
from notewell.types.note import Link

EDGES = """
select note, data
from edge
order by note
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

DROP_STANDING = """
delete from standing
where note = :note
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

WRITTEN = """
select id, links
from note
where link_count > 0 and id in (select value from carray(:ids))
order by id
"""

STRAYS = {
    "edges of notes that are not there": "select count(*) from edge where note not in (select id from note)",
    "standings of notes that are not there": "select count(*) from standing where note not in (select id from note)",
}

TOO_FEW = """
select count(*)
from note
join edge on edge.note = note.id
where length(data) != 8 * link_count
"""


def load_edges(db: apsw.Connection) -> Edges:
    """Return where every link leads that was resolved."""
    rows: list[tuple[Any, ...]] = db.execute(EDGES).fetchall()
    notes = np.fromiter((note for note, _ in rows), np.uint32, len(rows))
    numbers = np.fromiter((len(data) // 8 for _, data in rows), np.int64, len(rows))
    ends: LinkEnds = np.frombuffer(b"".join([data for _, data in rows]), np.uint32).reshape(-1, 2)
    return Edges(notes, np.repeat(notes, numbers), ends[:, 0], ends[:, 1])


def save_edges(db: apsw.Connection, ends: Mapping[int, LinkEnds]) -> None:
    """Store where the links of these notes lead."""
    rows = ({"note": note, "data": np.ascontiguousarray(each, np.uint32).tobytes()} for note, each in ends.items())
    db.executemany(SET_EDGES, rows)


def forget_edges(db: apsw.Connection, note: int, *, renamed: bool) -> None:
    """Forget where a note's links lead; one that is also `renamed` may be led to by other links than before."""
    db.execute(DROP_EDGES if renamed else EMPTY_EDGES, {"note": note})


def forget_standing(db: apsw.Connection, note: int) -> None:
    """Forget what the graph says of a note, and with that which links the standings are of.

    The same note may come back before standings are computed again, and with the same links: it would have none.
    """
    db.execute(DROP_STANDING, {"note": note})
    if db.changes():
        db.execute(queries.SET_META, {"key": "standings", "value": ""})


def load_ids(db: apsw.Connection) -> dict[str, int]:
    """Return the id of every note, in the order of their paths."""
    rows: Any = db.execute(IDS)
    return dict(rows)


def load_names(db: apsw.Connection) -> list[NoteName]:
    """Return what every note can be called, by ascending id."""
    rows: Any = db.execute(NAMES)
    # Most notes have no aliases; reading "[]" for each of them takes longer than all else here.
    return [
        NoteName(note, path, title, () if aliases == "[]" else tuple(json.loads(aliases)), links)
        for note, path, title, aliases, links in rows
    ]


def load_links_of(db: apsw.Connection, notes: Sequence[int]) -> Iterator[tuple[int, tuple[Link, ...]]]:
    """Yield those of the notes that have links, lowest id first."""
    rows: Any = db.execute(WRITTEN, {"ids": carray(notes)}) if len(notes) else ()
    for note, data in rows:
        yield note, tuple(Link(*link) for link in json.loads(unpack(data)))


def are_linked(db: apsw.Connection) -> bool:
    """Tell whether links were resolved since a note last changed."""
    linked, arrays = (db.execute(queries.META, {"key": key}).get for key in ("linked", "arrays"))
    return bool(linked == arrays)


def find_stray_edges(db: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with the edges; those that a run has still to resolve are not wrong."""
    for what, statement in STRAYS.items():
        if number := db.execute(statement).get:
            yield f"{number:,} {what}"
    if are_linked(db):
        if number := db.execute(TOO_FEW).get:
            yield f"{number:,} notes with another number of edges than links"
        edges, notes = load_edges(db), [named.id for named in load_names(db)]
        if unresolved := len(notes) - edges.notes.size:
            yield f"{unresolved:,} notes whose links were never resolved"
        if astray := int((~np.isin(edges.to_notes.targets, notes)).sum()):
            yield f"{astray:,} links that lead to a note that is not there"

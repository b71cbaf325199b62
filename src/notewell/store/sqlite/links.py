"""Links in the file: where they lead, the links among a few notes, and how notes stand in the graph."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.links import (
    MOST_LINKS,
    NOWHERE,
    TO_FILE,
    Edges,
    LinkBetween,
    LinkEnds,
    NoteIds,
    NoteName,
    Standing,
)
from notewell.store.sqlite import queries
from notewell.store.sqlite.checked import damaged, decodes, fetch, read_json, read_texts
from notewell.store.sqlite.rows import carray, unpack
from notewell.store.sqlite.seal import NO_SEALS, Seals
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

# Answered from the index of paths, a tenth of the table.
IDS = """
select path, id
from note
order by path
"""

# Rows of the table and of its index, which has to have the same.
LISTED = """
select
    (select count(*) from note not indexed where id >= 0) as number,
    (select count(*) from note indexed by sqlite_autoindex_note_1 where path >= '') as number
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

# A note by its id and path, and where its links lead, in order.
Row = tuple[int, str, NoteIds]
# The links of notes as they are stored, by the note's id.
StoredLinks = Mapping[int, Sequence[Sequence[Any]]]
LINK_TYPES = [str, int, str, str, str, bool, str]
NONE: NoteIds = np.zeros(0, np.uint32)


class SqliteLinked:
    """The seam `Linked`: the notes of one state by id and name, their links, and how they stand."""

    def __init__(self, db: apsw.Connection, seals: Seals = NO_SEALS, generation: int = 0) -> None:
        self._db = db
        self._seals = seals
        self._generation = generation

    def _check_notes(self, paths: Collection[str] | None = None) -> None:
        self._seals.check_notes(self._db, self._generation, paths)

    @decodes
    def ids(self) -> dict[str, int]:
        """Return the id of every note, in the order of their paths."""
        self._check_notes()
        check_listed(self._db)
        return dict(fetch(self._db, IDS))

    @decodes
    def names(self) -> list[NoteName]:
        """Return what every note can be called, by ascending id."""
        self._check_notes()
        return [
            NoteName(note, path, title, read_texts(aliases), links)
            for note, path, title, aliases, links in fetch(self._db, NAMES)
        ]

    @decodes
    def chunks_of(self, path: str) -> list[int]:
        """Return the ids of a note's chunks, in order; none for an unknown path."""
        return [slot for slot, _ in fetch(self._db, queries.CHUNKS_OF, {"path": path})]

    @decodes
    def edges(self) -> Edges:
        """Return all resolved links."""
        rows = fetch(self._db, EDGES)
        if any(len(data) % 8 for _, data in rows):
            raise damaged("the edges of a note are cut off")
        notes = np.fromiter((note for note, _ in rows), np.uint32, len(rows))
        numbers = np.fromiter((len(data) // 8 for _, data in rows), np.int64, len(rows))
        ends: LinkEnds = np.frombuffer(b"".join([data for _, data in rows]), np.uint32).reshape(-1, 2)
        return Edges(notes, np.repeat(notes, numbers), ends[:, 0], ends[:, 1])

    @decodes
    def links_of(self, notes: Sequence[int]) -> dict[int, tuple[Link, ...]]:
        """Return the links of notes as written, by the note's id, without notes that have none."""
        self._check_notes()
        return {note: tuple(Link(*link) for link in links) for note, links in _stored_links(self._db, notes).items()}

    @decodes
    def links_among(self, paths: Collection[str]) -> list[LinkBetween]:
        """Return the links from one of these notes to another of them."""
        rows = _ends(self._db, paths)
        by_id = {note: path for note, path, _ in rows}
        # All rows at once: a call of numpy for each of thirty notes takes longer than everything else here.
        targets = np.concatenate([ends for _, _, ends in rows]) if rows else NONE
        bounds = np.cumsum([ends.size for _, _, ends in rows])
        found = np.flatnonzero(_among(targets, np.array(sorted(by_id), dtype=targets.dtype)))
        of_row = np.searchsorted(bounds, found, side="right")
        places_of: dict[int, list[int]] = {}
        for row, place, target in zip(
            of_row.tolist(), (found - bounds[of_row]).tolist(), targets[found].tolist(), strict=True
        ):
            if target != rows[row][0]:
                places_of.setdefault(row, []).append(place)
        written = [rows[row] for row in places_of if rows[row][2].size <= MOST_LINKS]
        self._check_notes([path for _, path, _ in written])
        links = _stored_links(self._db, [note for note, _, _ in written])
        return [link for row, places in places_of.items() for link in _between(rows[row], places, links, by_id)]

    @decodes
    def links_touching(self, paths: Collection[str], enough: int) -> int:
        """Return how many links between notes begin or end at one of these, each once; above `enough`, an estimate.

        If their own links are enough, those of all other notes are not read.
        """
        rows = _ends(self._db, paths)
        own = {(note, target) for note, _, targets in rows for target in _others(note, targets)}
        if len(own) >= enough:
            return len(own)
        edges = self.edges().to_notes
        ends = np.isin(edges.targets, [note for note, _, _ in rows]) & (edges.targets != edges.sources)
        return len(own | set(zip(edges.sources[ends].tolist(), edges.targets[ends].tolist(), strict=True)))

    @decodes
    def standings(self, paths: Collection[str] | None = None) -> dict[str, Standing]:
        """Return how notes stand, by path, without notes that have no links; of all notes, without paths."""
        if paths is None:
            rows = fetch(self._db, ALL_STANDINGS)
        else:
            rows = fetch(self._db, STANDINGS, {"paths": json.dumps(list(paths))})
        return {path: Standing(*numbers) for path, *numbers in rows}


def check_listed(db: apsw.Connection) -> None:
    """Raise an error if the index of paths has other notes than the table: those would not be found."""
    in_table, in_index = fetch(db, LISTED)[0]
    if in_table != in_index:
        raise damaged("its list of notes is not complete")


def save_edges(db: apsw.Connection, ends: Mapping[int, LinkEnds]) -> None:
    """Store where the links of these notes lead."""
    rows = ({"note": note, "data": np.ascontiguousarray(each, np.uint32).tobytes()} for note, each in ends.items())
    db.executemany(SET_EDGES, rows)


def forget_edges(db: apsw.Connection, note: int, *, renamed: bool) -> None:
    """Forget where a note's links lead; if it is also `renamed`, other links than before may lead to it."""
    db.execute(DROP_EDGES if renamed else EMPTY_EDGES, {"note": note})


def save_standings(db: apsw.Connection, standings: Mapping[int, Standing]) -> None:
    """Store how notes stand, in place of what was stored before."""
    db.execute(DROP_STANDINGS)
    db.executemany(ADD_STANDING, ((note, *standing) for note, standing in standings.items()))


def forget_standing(db: apsw.Connection, note: int) -> None:
    """Delete the standing of a note, and with it the mark of the links that standings were measured on.

    The same note may come back, with the same links, before standings are measured again: it would have none.
    """
    db.execute(DROP_STANDING, {"note": note})
    if db.changes():
        db.execute(queries.SET_META, {"key": "standings", "value": ""})


def _between(row: Row, places: Sequence[int], links: StoredLinks, by_id: Mapping[int, str]) -> Iterator[LinkBetween]:
    """Yield the links at these places of a note, counted from its last one, identical ones once."""
    note, path, targets = row
    out_degree, ends = len(_others(note, targets)), targets.tolist()
    written = links.get(note)
    texts = [_text_of(*written[place]) for place in places] if written else [""] * len(places)
    for target, text in dict.fromkeys(zip([ends[place] for place in places], texts, strict=True)):
        yield LinkBetween(path, by_id[target], text, out_degree)


def find_stray_edges(db: apsw.Connection, *, resolved: bool) -> Iterator[str]:
    """Yield what is wrong with the edges; until links are `resolved`, missing ones are not wrong."""
    for what, statement in STRAYS.items():
        if number := db.execute(statement).get:
            yield f"{number:,} {what}"
    if resolved:
        if number := db.execute(TOO_FEW).get:
            yield f"{number:,} notes with another number of edges than links"
        linked = SqliteLinked(db)
        edges, notes = linked.edges(), [name.id for name in linked.names()]
        if unresolved := len(notes) - edges.notes.size:
            yield f"{unresolved:,} notes whose links were never resolved"
        if astray := int((~np.isin(edges.to_notes.targets, notes)).sum()):
            yield f"{astray:,} links that lead to a note that is not there"


def _ends(db: apsw.Connection, paths: Collection[str]) -> list[Row]:
    rows = fetch(db, ENDS, {"paths": json.dumps(list(paths))})
    return [(note, path, np.frombuffer(data, np.uint32).reshape(-1, 2)[:, 1]) for note, path, data in rows]


def _among(targets: NoteIds, ids: NoteIds) -> npt.NDArray[np.bool_]:
    """Tell which targets are among these ids, which are sorted; `np.isin` loads another 10 ms of numpy."""
    if not ids.size:
        return np.zeros(targets.size, dtype=np.bool_)
    found: npt.NDArray[np.bool_] = ids[np.minimum(np.searchsorted(ids, targets), ids.size - 1)] == targets
    return found


def _others(note: int, targets: NoteIds) -> set[int]:
    """Return the notes that a note links to, without itself."""
    return set(targets.tolist()) - {note, NOWHERE, TO_FILE}


def _stored_links(db: apsw.Connection, notes: Sequence[int]) -> dict[int, list[list[Any]]]:
    rows = fetch(db, LINKS, {"ids": carray(notes)}) if len(notes) else []
    stored = {note: read_json(unpack(data), list) for note, data in rows}
    if not all(_is_link(link) for links in stored.values() for link in links):
        raise damaged("a link is malformed")
    return stored


def _is_link(row: Any) -> bool:
    """Tell whether a value has the types of a link's first values, as `_link_row` (`rows.py`) stores them."""
    return type(row) is list and len(row) > 1 and [*map(type, row)] == LINK_TYPES[: len(row)]


def _text_of(target: str, line: int, kind: str = "wiki", anchor: str = "", text: str = "", *more: Any) -> str:
    """Return what a link calls its target: its text, or the name it gives; nothing for an embed.

    >>> _text_of("garden/Bees", 1), _text_of("b.md", 1, "markdown", "", "hives")
    ('Bees', 'hives')
    """
    if more[:1] == (True,):
        return ""
    return text or ("" if kind == "markdown" else target.rpartition("/")[2])

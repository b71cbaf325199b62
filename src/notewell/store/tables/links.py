"""Links in the tables: where they lead, the links among a few notes, and how notes stand in the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

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
from notewell.store.tables.checked import damaged, decodes, read_json, read_texts
from notewell.store.tables.reader import Reader
from notewell.store.tables.rows import unpack
from notewell.store.tables.seal import NO_SEALS, Seals
from notewell.types.note import Link

# A note by its id and path, and where its links lead, in order.
Row = tuple[int, str, NoteIds]
# The links of notes as they are stored, by the note's id.
StoredLinks = Mapping[int, Sequence[Sequence[Any]]]
LINK_TYPES = [str, int, str, str, str, bool, str]
NONE: NoteIds = np.zeros(0, np.uint32)


class TableLinked:
    """The seam `Linked`: the notes of one state by id and name, their links, and how they stand."""

    def __init__(self, db: Reader, seals: Seals = NO_SEALS, generation: int = 0) -> None:
        self._db = db
        self._seals = seals
        self._generation = generation

    def _check_notes(self, paths: Collection[str] | None = None) -> None:
        self._seals.check_notes(self._db, self._generation, paths)

    @decodes
    def ids(self) -> dict[str, int]:
        """Return the id of every note, in the order of their paths."""
        self._check_notes()
        return dict(self._db.fetch("IDS"))

    @decodes
    def names(self) -> list[NoteName]:
        """Return what every note can be called, by ascending id."""
        self._check_notes()
        return [
            NoteName(note, path, title, read_texts(aliases), links)
            for note, path, title, aliases, links in self._db.fetch("NAMES")
        ]

    @decodes
    def chunks_of(self, path: str) -> list[int]:
        """Return the ids of a note's chunks, in order; none for an unknown path."""
        return [slot for slot, _ in self._db.fetch("CHUNKS_OF", {"path": path})]

    @decodes
    def edges(self) -> Edges:
        """Return all resolved links."""
        rows = self._db.fetch("EDGES")
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
        stored = _stored_links(self._db, notes)
        return {note: tuple(Link(*_checked(link)) for link in links) for note, links in stored.items()}

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
        every = paths is None
        rows = self._db.fetch("ALL_STANDINGS") if every else self._db.fetch("STANDINGS", {"paths": list(paths or ())})
        return {path: Standing(*numbers) for path, *numbers in rows}


def _between(row: Row, places: Sequence[int], links: StoredLinks, by_id: Mapping[int, str]) -> Iterator[LinkBetween]:
    """Yield the links at these places of a note, counted from its last one, identical ones once."""
    note, path, targets = row
    out_degree, ends = len(_others(note, targets)), targets.tolist()
    written = links.get(note)
    texts = [_text_of(*_checked(written[place])) for place in places] if written else [""] * len(places)
    for target, text in dict.fromkeys(zip([ends[place] for place in places], texts, strict=True)):
        yield LinkBetween(path, by_id[target], text, out_degree)


def _ends(db: Reader, paths: Collection[str]) -> list[Row]:
    rows = db.fetch("ENDS", {"paths": list(paths)})
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


def _stored_links(db: Reader, notes: Sequence[int]) -> dict[int, list[list[Any]]]:
    rows = db.fetch("LINKS", {"ids": notes}) if len(notes) else []
    return {note: read_json(unpack(data), list) for note, data in rows}


def _checked(row: Any) -> Any:
    """Return a link's first values; they have the types that `_link_row` (`rows.py`) stores."""
    if type(row) is list and len(row) > 1 and [*map(type, row)] == LINK_TYPES[: len(row)]:
        return row
    raise damaged("a link is malformed")


def _text_of(target: str, line: int, kind: str = "wiki", anchor: str = "", text: str = "", *more: Any) -> str:
    """Return what a link calls its target: its text, or the name it gives; nothing for an embed.

    >>> _text_of("garden/Bees", 1), _text_of("b.md", 1, "markdown", "", "hives")
    ('Bees', 'hives')
    """
    if more[:1] == (True,):
        return ""
    return text or ("" if kind == "markdown" else target.rpartition("/")[2])

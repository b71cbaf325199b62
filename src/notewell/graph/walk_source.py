"""What a walk reads from one state of the store: neighbours by links, and vectors note by note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from notewell.graph.net import Net
from notewell.store import Snapshot
from notewell.store.links import Standing
from notewell.store.vectors import unit_rows
from notewell.types.note import Vectors
from notewell.types.query import EVERYTHING, Scope

# At most this many chunks of a note are compared, spread over it: a step does not read a table of a thousand rows. With
# many notes ahead there is room for fewer of each; with fewer than two, a note is hardly known.
READ, READ_LEAST = 16, 2
LOWEST = Standing(0.0, 0.0, -1)


class StoredWalkSource:
    """Neighbours and vectors of notes, by path; vectors are kept once they were read."""

    def __init__(self, snapshot: Snapshot, scope: Scope = EVERYTHING) -> None:
        """Take a state of the store; only notes and chunks in the scope are seen."""
        self._snapshot = snapshot
        self._inside = None if scope == EVERYTHING else frozenset(snapshot.within(scope))
        self._net = Net.of(snapshot)
        self._rows: dict[str, Vectors] = {}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {path: place for place, path in enumerate(self._net.paths)}

    def neighbours(self, note: str) -> Mapping[str, str]:
        """Return the notes it links to (`→`), those that link to it (`←`), or both (`↔`); the most central first."""
        place, net = self._places[note], self._net
        to, back = set(net.targets[net.sources == place].tolist()), set(net.sources[net.targets == place].tolist())
        ways = {net.paths[each]: "↔" if each in to & back else "→" if each in to else "←" for each in to | back}
        ways = {path: way for path, way in ways.items() if self._inside is None or self._chunks(path)}
        standings = self._snapshot.standings(ways)
        return {path: ways[path] for path in sorted(ways, key=lambda path: (-_rank(standings, path), path))}

    def vectors(self, notes: Sequence[str], room: int) -> Mapping[str, Vectors]:
        """Return vectors of the first of these notes, together at most `room`; the more notes, the fewer of each."""
        each = min(max(room // max(len(notes), 1), READ_LEAST), READ)
        found: dict[str, Vectors] = {}
        for note in notes:
            # Without room, not even the ids of chunks are asked for: a hub has thousands of neighbours.
            if room < READ_LEAST:
                break
            found[note] = self._read(note, min(each, room))
            room -= len(found[note])
        return found

    def nearest_chunk(self, note: str, query: Vectors) -> int:
        """Return the chunk of a note that is nearest to a vector, among those that a walk reads."""
        ids = spread(self._chunks(note), READ)
        return ids[int(np.argmax(np.einsum("ij,j->i", unit_rows(self._snapshot.vectors(ids).values()), query)))]

    def _chunks(self, note: str) -> Sequence[int]:
        ids = self._snapshot.chunks_of(note)
        return ids if self._inside is None else [chunk for chunk in ids if chunk in self._inside]

    def _read(self, note: str, most: int) -> Vectors:
        if note not in self._rows:
            self._rows[note] = unit_rows(self._snapshot.vectors(spread(self._chunks(note), most)).values())
        return self._rows[note]


def spread(ids: Sequence[int], most: int) -> list[int]:
    """Return at most `most` chunks: the first, the last, and some evenly between, in the order of their ids.

    >>> spread([11, 12, 13, 14, 15, 16, 17], 3), spread([4, 3], 3), spread([5, 6, 7], 1)
    ([11, 14, 17], [3, 4], [5])
    """
    places = np.linspace(0, len(ids) - 1, min(len(ids), most)).round().astype(int)
    return sorted(ids[place] for place in places.tolist())


def _rank(standings: Mapping[str, Standing], path: str) -> float:
    return standings.get(path, LOWEST).pagerank

"""The ground of a walk in one state of the store: links of the net, and vectors that are fetched note by note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from notewell.asked import EVERYTHING, Scope
from notewell.graph.net import Net
from notewell.store import Snapshot, Standing
from notewell.types import Vectors

# A longer note stands for its first chunks: a table of a thousand rows is not to be read for one step.
READ = 16
LOWEST = Standing(0.0, 0.0, -1)


class StoredGround:
    """Notes by path: who is linked with whom, and the vectors of their chunks, which are kept once they were read."""

    def __init__(self, snapshot: Snapshot, scope: Scope = EVERYTHING) -> None:
        """Take the notes, and of each the chunks, that are in the scope."""
        self._snapshot = snapshot
        self._inside = None if scope == EVERYTHING else frozenset(snapshot.within(scope))
        self._net = Net.of(snapshot)
        self._rows: dict[str, tuple[list[int], Vectors]] = {}

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

    def vectors(self, notes: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors of the chunks of each of these notes, a row for each."""
        return {note: self._read(note)[1] for note in notes}

    def nearest_chunk(self, note: str, query: Vectors) -> int:
        """Return the chunk of a note that is nearest to a vector."""
        ids, rows = self._read(note)
        return ids[int(np.argmax(np.einsum("ij,j->i", rows, query)))]

    def _chunks(self, note: str) -> list[int]:
        ids = self._snapshot.chunks_of(note)
        return [chunk for chunk in ids if self._inside is None or chunk in self._inside][:READ]

    def _read(self, note: str) -> tuple[list[int], Vectors]:
        if note not in self._rows:
            ids = self._chunks(note)
            self._rows[note] = ids, self._snapshot.vectors(ids)
        return self._rows[note]


def _rank(standings: Mapping[str, Standing], path: str) -> float:
    return standings.get(path, LOWEST).pagerank

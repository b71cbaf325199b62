"""One state of the store, to search: BM25 over postings, cosine over one-bit codes then eight-bit vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks, one_bit
from notewell.store.sqlite.lexical import BLOCK, UNIT, length_norms, rarity, unpack
from notewell.store.sqlite.rows import load_chunks
from notewell.types import EVERYTHING, Chunk, Ranking, Scope, Vectors

# The one-bit codes choose this many chunks, whose true cosines then decide. Fewer loses hits, more costs time.
RESCORED = 400

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Arrays:
    """What every search of one generation shares."""

    generation: int
    norms: npt.NDArray[np.float32]
    codes: npt.NDArray[np.uint64]
    dead: Ids
    live: int

    @classmethod
    def load(cls, db: apsw.Connection, generation: int, dimensions: int) -> Arrays:
        """Return the arrays of the state that `db` sees now."""
        blocks = Blocks.load(db, dimensions)
        dead = np.flatnonzero(blocks.lengths == 0)
        return cls(generation, length_norms(blocks.lengths), blocks.codes, dead, blocks.lengths.size - dead.size)


class SqliteSnapshot:
    """One state of the store, inside a read transaction."""

    def __init__(self, db: apsw.Connection, arrays: Arrays) -> None:
        self._db = db
        self._arrays = arrays

    @property
    def generation(self) -> int:
        """Return the number of this state."""
        return self._arrays.generation

    def matching(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25."""
        scores = np.zeros(self._arrays.norms.size, dtype=np.float32)
        for term, times in Counter(terms).items():
            self._add_term(scores, term, times)
        if scope != EVERYTHING:
            scores[self._outside(scope)] = 0
        best = _highest(scores, limit)
        best = best[scores[best] > 0]
        return Ranking("lexical", tuple(zip(best.tolist(), scores[best].tolist(), strict=True)))

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose vectors point the same way, by cosine."""
        if not vector.any():
            return Ranking("vector", ())
        near = self._nearest_codes(vector, scope)
        rows: list[tuple[Any, ...]] = (
            self._db.execute(queries.VECTORS, {"ids": apsw.carray(near)}).fetchall() if near.size else []
        )
        if not rows:
            return Ranking("vector", ())
        ids = np.array([chunk for chunk, _ in rows])
        matrix = np.frombuffer(b"".join(data for _, data in rows), np.int8).reshape(len(rows), -1).astype(np.float32)
        lengths = np.linalg.norm(matrix, axis=1)
        cosines = (matrix @ vector) / np.where(lengths > 0, lengths, 1)
        best = _highest(cosines, limit)
        found = tuple(zip(ids[best].tolist(), cosines[best].tolist(), strict=True))
        return Ranking("vector", found, floor=found[-1][1])

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks with these ids, in this order."""
        found = dict(load_chunks(self._db, ids))
        return [found[wanted] for wanted in ids]

    def _add_term(self, scores: npt.NDArray[np.float32], term: str, times: int) -> None:
        rows = [(block, *unpack(data)) for block, data in self._db.execute(queries.POSTINGS, {"term": term})]
        weight = times * rarity(sum(len(places) for _, places, _ in rows), self._arrays.live)
        for block, places, counts in rows:
            part = slice(block * BLOCK, (block + 1) * BLOCK)
            often = counts.astype(np.float32) / UNIT
            scores[part][places] += weight * often / (often + self._arrays.norms[part][places])

    def _nearest_codes(self, vector: Vectors, scope: Scope) -> Ids:
        code = one_bit(vector[np.newaxis])[0]
        distances = np.zeros(self._arrays.norms.size, dtype=np.int16)
        for column, word in zip(self._arrays.codes, code, strict=True):
            distances += np.bitwise_count(column ^ word)
        # Farther than any code can be: free slots, and chunks outside the scope.
        never = np.int16(64 * len(code) + 1)
        distances[self._arrays.dead] = never
        if scope != EVERYTHING:
            distances[self._outside(scope)] = never
        near = _highest(-distances, RESCORED)
        return near[distances[near] < never]

    def _outside(self, scope: Scope) -> npt.NDArray[np.bool_]:
        outside = np.ones(self._arrays.norms.size, dtype=np.bool_)
        inside = [slot for (slot,) in self._db.execute(queries.SLOTS_UNDER, {"under": scope.under})]
        outside[inside] = False
        return outside


def _highest(scores: npt.NDArray[Any], limit: int) -> Ids:
    """Return where the highest scores stand, best first, equal ones in order of place."""
    top = np.sort(np.argpartition(-scores, limit - 1)[:limit]) if scores.size > limit else np.arange(scores.size)
    return top[np.argsort(-scores[top], kind="stable")].astype(np.int64)

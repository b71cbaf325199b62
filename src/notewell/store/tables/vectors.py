"""The embedder's and the encoder's vectors in the tables, with a cache of the embedder's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from notewell.store.tables.checked import damaged
from notewell.store.tables.reader import Name, Reader
from notewell.store.tables.reader import Rows as Fetched
from notewell.store.vectors import lengths_of
from notewell.types.note import Vectors

Rows = npt.NDArray[np.int8]


def load_vectors(
    db: Reader, ids: Sequence[int], statement: Name, dimensions: int | None = None
) -> dict[int, Vectors | None]:
    """Return the vectors that a statement finds for these chunks, by id; None for one without numbers.

    With `dimensions`, another length is an error. An encoder's vectors may have any: search does without them.
    """
    rows = db.fetch(statement, {"ids": ids})
    if dimensions is not None:
        _check_lengths(rows, dimensions)
    # One call of numpy for all rows takes a third of the time of one for each.
    lengths = np.cumsum([0, *(len(data) for _, data in rows)]).tolist()
    numbers = np.frombuffer(b"".join([data for _, data in rows]), np.int8).astype(np.float32)
    return {
        slot: numbers[first:last] if last > first else None
        for (slot, _), (first, last) in zip(rows, pairwise(lengths), strict=True)
    }


def _check_lengths(rows: Fetched, dimensions: int) -> None:
    if not {len(data) for _, data in rows} <= {dimensions}:
        raise damaged("a vector has another length than the others")


class VectorCache:
    """The embedder's vectors by slot, read from the file once: reading hundreds of rows takes a fifth of a search.

    The array has room for all vectors, but takes memory only for pages that were written. Threads may share it: if two
    read a row at once, they read the same.
    """

    def __init__(self, size: int, dimensions: int) -> None:
        self._rows: Rows = np.zeros((size, dimensions), dtype=np.int8)
        self._cached = np.zeros(size, dtype=np.bool_)
        self._lengths = np.zeros(size, dtype=np.float32)

    def rows(self, db: Reader, slots: npt.NDArray[np.intp]) -> tuple[Rows, Vectors]:
        """Return the vectors of these slots, which are in ascending order, and the length of each."""
        missing = slots[~self._cached[slots]]
        if missing.size:
            found = db.fetch("VECTORS", {"ids": missing})
            _check_lengths(found, self._rows.shape[1])
            rows = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(missing.size, -1)
            self._rows[missing], self._lengths[missing] = rows, lengths_of(rows)
            self._cached[missing] = True
        return self._rows[slots], self._lengths[slots]

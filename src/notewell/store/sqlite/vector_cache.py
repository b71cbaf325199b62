"""Vectors that searches of one state have read, kept for those that come after."""

from __future__ import annotations

from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.rows import carray

Rows = npt.NDArray[np.int8]


class SeenVectors:
    """The eight-bit vectors of slots, read from the file once: reading hundreds of rows takes a fifth of a search.

    The array is as large as all vectors are, but memory is only taken for the pages that were written to. Threads may
    share it: what two of them read at once is the same.
    """

    def __init__(self, size: int, dimensions: int) -> None:
        self._rows: Rows = np.zeros((size, dimensions), dtype=np.int8)
        self._seen = np.zeros(size, dtype=np.bool_)

    def rows(self, db: apsw.Connection, slots: npt.NDArray[np.intp]) -> Rows:
        """Return the vectors of these slots, the lowest first, in their order."""
        missing = slots[~self._seen[slots]]
        if missing.size:
            found: list[tuple[Any, ...]] = db.execute(queries.VECTORS, {"ids": carray(missing)}).fetchall()
            self._rows[missing] = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(
                missing.size, -1
            )
            self._seen[missing] = True
        taken: Rows = self._rows[slots]
        return taken

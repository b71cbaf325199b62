"""The encoder's vectors: they come behind the others, a few chunks at a time, and search is the better for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import eight_bit, stored_cosines
from notewell.store.sqlite.rows import body_digest, carray
from notewell.types.note import Chunk, Vectors


def keep_fine(db: apsw.Connection, chunks: Sequence[Chunk], vectors: Vectors) -> int:
    """Store the vectors of the chunks whose lines are still stored, and return how many that were."""
    rows = [
        # A text that the encoder does not read has a vector of no numbers: it is not asked for again.
        {"digest": body_digest(chunk), "data": data.tobytes() if data.any() else b""}
        for chunk, data in zip(chunks, eight_bit(vectors), strict=True)
    ]
    before = db.total_changes()
    db.executemany(queries.SET_FINE, rows)
    return db.total_changes() - before


def fine_cosines(db: apsw.Connection, vector: Vectors, ids: Sequence[int]) -> dict[int, float | None]:
    """Return the cosine of each of these chunks that has a vector; none for one that the encoder does not read."""
    found: list[tuple[Any, ...]] = db.execute(queries.FINE, {"ids": carray(ids)}).fetchall()
    rows = [(slot, data) for slot, data in found if len(data) == vector.size]
    stored = np.frombuffer(b"".join([data for _, data in rows]), np.int8).reshape(len(rows), vector.size)
    cosines = stored_cosines(vector, stored).tolist()
    return {
        **dict.fromkeys(slot for slot, _ in found),
        **{slot: near for (slot, _), near in zip(rows, cosines, strict=True)},
    }


def unfilled(db: apsw.Connection, encoder: str) -> list[int]:
    """Return one chunk for each of the lines that lack the encoder's vector, those of the newest notes first."""
    return [slot for slot, _ in db.execute(queries.UNFILLED, {"encoder": encoder})]


def carry_over(db: apsw.Connection, old: Path) -> None:
    """Take the vectors of all lines that another store has, too: hours of work that a rebuild need not repeat."""
    db.execute("attach database :file as old", {"file": str(old)})
    try:
        db.execute(queries.CARRY_FINE)
    finally:
        db.execute("detach database old")

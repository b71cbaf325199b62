"""The encoder's vectors, in the table `fine`: they are added behind the others, a few chunks at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from notewell.store.sqlite import queries
from notewell.store.sqlite.rows import body_digest, carray
from notewell.store.vectors import eight_bit
from notewell.types.note import Chunk, Vectors


def save_vectors(db: apsw.Connection, chunks: Sequence[Chunk], vectors: Vectors) -> int:
    """Store the vectors of the chunks whose lines are still stored, and return how many those are."""
    rows = [
        # A text that the encoder cannot read gets a vector without numbers, so that it is not tried again.
        {"digest": body_digest(chunk), "data": data.tobytes() if data.any() else b""}
        for chunk, data in zip(chunks, eight_bit(vectors), strict=True)
    ]
    before = db.total_changes()
    db.executemany(queries.SET_FINE, rows)
    return db.total_changes() - before


def load_vectors(db: apsw.Connection, ids: Sequence[int], statement: str) -> dict[int, Vectors | None]:
    """Return the vectors that a statement finds for these chunks, by id; None for one without numbers."""
    rows: Any = db.execute(statement, {"ids": carray(ids)})
    return {slot: np.frombuffer(data, np.int8).astype(np.float32) if data else None for slot, data in rows}


def find_lacking(db: apsw.Connection, encoder: str) -> list[int]:
    """Return one chunk for each text that lacks the encoder's vector, those of the newest notes first."""
    return [slot for slot, _ in db.execute(queries.UNFILLED, {"encoder": encoder})]


def carry_over(db: apsw.Connection, old: Path) -> None:
    """Copy the vectors of all lines that another store has, too: a rebuild need not repeat hours of work."""
    db.execute("attach database :file as old", {"file": str(old)})
    try:
        db.execute(queries.CARRY_FINE)
    finally:
        db.execute("detach database old")

"""The seam between the shared logic and an engine: statements by name, each with its engine's own SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

# The statements that every engine has. Their columns are named as in `COLUMNS` (`checked.py`).
Name = Literal[
    "ALL_CHUNKS",
    "ALL_NOTES",
    "ALL_POSTINGS",
    "ALL_STANDINGS",
    "ALL_TERMS",
    "BLOCKS",
    "BODIES",
    "BODY_DIGESTS",
    "CHUNKS",
    "CHUNKS_IN",
    "CHUNKS_OF",
    "CHUNK_DAYS",
    "CHUNK_TASKS",
    "EDGES",
    "ENCODER_VECTORS",
    "ENDS",
    "EXISTING",
    "HOLDING",
    "IDS",
    "KEYS",
    "LACKING",
    "LAST",
    "LINKS",
    "META",
    "NAMES",
    "NEWEST",
    "NOTES_AT",
    "NOTES_UNDER",
    "NOTE_DAYS",
    "NOTE_FACTS",
    "NOTE_FIELDS",
    "NOTE_PATHS",
    "NOTE_TAGS",
    "NOTE_TYPES",
    "POSTINGS",
    "SKIPPED",
    "SKIPPED_STAMPS",
    "SLOT_NOTES",
    "STAMPS",
    "STANDINGS",
    "TERMS_FROM",
    "VECTORS",
]
Rows = list[tuple[Any, ...]]


class Reader(Protocol):
    """One state of the tables."""

    @property
    def slots(self) -> int:
        """Return how many slots a row of the table `block` has."""

    @property
    def has_gaps(self) -> bool:
        """Tell whether rows of that table may be missing, so that their slots are free."""

    def fetch(self, name: Name, bindings: Mapping[str, Any] | None = None) -> Rows:
        """Return the rows of a statement; a value that its column cannot have is an error.

        Lists of numbers and of texts are bound as they are.
        """


def fetch_one(db: Reader, name: Name, bindings: Mapping[str, Any] | None = None) -> Any:
    """Return the first row of a statement, or its value if it has one column; None without a row."""
    rows = db.fetch(name, bindings)
    if not rows:
        return None
    return rows[0] if len(rows[0]) > 1 else rows[0][0]

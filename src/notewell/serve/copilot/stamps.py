"""The times of a note's file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Stamps(NamedTuple):
    """When a file was changed, and when it was created, in seconds; zeros if it is gone."""

    mtime: float
    ctime: float


def stamp_of(root: Path, path: str) -> Stamps:
    """Return when the file of a note was changed and created."""
    try:
        found = (root / path).stat()
    except OSError:
        return Stamps(0, 0)
    # Linux does not tell when a file was created.
    return Stamps(found.st_mtime, getattr(found, "st_birthtime", found.st_ctime))

"""Links between domains, found once for each state of their stores and kept in the user's state folder.

They are numbers that say nothing of a note. No store has them: each knows only its own domain.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np

from notewell.files.safe_open import read_plain
from notewell.files.user import clean_up, home_folder, state_folder, write_private
from notewell.store import Linked
from notewell.store.links import LinkEnds

# The folder in the user's state folder, and how long a file there is kept, in seconds, and how many.
FOLDER = "across"
KEPT_SECONDS, KEPT_FILES = 30 * 86_400.0, 100
MARK_BYTES = 16


class KeptAcross:
    """Finds the links between some domains of a vault, or reads them if they are known."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        """Take the names of the domains, and the file in which one store for all of them would be."""
        name = blake2b(os.fsencode(f"{file}\0{names}"), digest_size=MARK_BYTES).hexdigest()
        self._file = state_folder(os.environ, home_folder(os.environ)) / FOLDER / name

    def __call__(self, linked: Linked, made: str) -> Mapping[int, LinkEnds]:
        """Return the links of notes that have links to other domains, in the state that `made` stands for."""
        mark = blake2b(made.encode(), digest_size=MARK_BYTES).digest()
        with suppress(OSError, ValueError):
            kept = read_plain(self._file)
            if kept[:MARK_BYTES] == mark:
                return _unpacked(kept[MARK_BYTES:])
        # Most searches find them known.
        from notewell.graph.across import find_across  # noqa: PLC0415

        found = find_across(linked)
        with suppress(OSError):
            write_private(self._file, mark + _packed(found))
            clean_up(self._file.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)
        return found


def _packed(found: Mapping[int, LinkEnds]) -> bytes:
    """Return links as bytes: the note, the hash of the name and the target of each."""
    rows = [np.column_stack((np.full(len(ends), note, np.uint32), ends)) for note, ends in found.items()]
    return np.concatenate(rows).astype(np.uint32).tobytes() if rows else b""


def _unpacked(data: bytes) -> Mapping[int, LinkEnds]:
    """Return links from bytes.

    >>> _unpacked(_packed({7: np.array([[1, 2], [3, 4]], np.uint32)}))[7].tolist()
    [[1, 2], [3, 4]]
    """
    rows = np.frombuffer(data, np.uint32).reshape(-1, 3)
    notes, firsts = np.unique(rows[:, 0], return_index=True)
    return dict(zip(notes.tolist(), np.split(rows[:, 1:], firsts[1:]), strict=True))

"""What ties a store to its user: a mark on the whole, and a seal on every row whose text is shown.

Both are keyed hashes. A store may come with a vault from somebody else, who does not have the key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from notewell.errors import REBUILD, StoreAltered
from notewell.store import Origin
from notewell.store.tables.reader import Reader

# The columns under a chunk's seal, with those of its note, in the order of `queries.CHUNKS`; its lines come last.
OF_CHUNK = (
    "path",
    "line",
    "end_line",
    "start",
    "end",
    "parts",
    "title",
    "kind",
    "tags",
    "aliases",
    "properties",
    "day",
    "tasks",
    "digest",
)
# The columns under a note's seal: all but the times of its file, which change without its text. Its links come last.
OF_NOTE = (
    "path",
    "title",
    "kind",
    "tags",
    "aliases",
    "fields",
    "link_count",
    "digest",
    "day",
    "dated_by",
    "properties",
)
# What a store's mark covers.
OF_STORE = ("id", "embedder", "dimensions", "recipe")


class StoreOfAnother(Exception):
    """The store has the mark of another user or machine: it is left alone, and this user's is elsewhere."""


def not_yours(file: Path) -> StoreAltered:
    """Return the error for a store without this user's mark."""
    return StoreAltered(f"{file} was made elsewhere, or by an older version", REBUILD)


class Seals:
    """The seals of one store; without a key, as in tests of a store alone, everything counts as sealed."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = key
        self._primed = blake2b(key=key, digest_size=16)
        # The generation that was last read, and which of its notes were checked; None stands for all. Read and written
        # as one value: threads share it, and may read different generations.
        self._checked: tuple[int, frozenset[str] | None] = (-1, frozenset())

    def again(self) -> Seals:
        """Return the same seals, with nothing checked yet."""
        return Seals(self._key)

    def of(self, kind: str, values: tuple[Any, ...], text: bytes = b"") -> bytes:
        """Return the seal of a row of some kind.

        >>> Seals(b"key").of("note", ("a.md", 1)) == Seals(b"key").of("note", ("a.md", 1), b"x")
        False
        """
        made = self._primed.copy()
        # `repr` quotes and separates the values, so that no text can move from one value into the next.
        made.update(f"{kind}{values!r}".encode())
        made.update(text)
        return made.digest()

    def check(self, seal: object, kind: str, values: tuple[Any, ...], text: bytes = b"") -> None:
        """Raise an error if a row is not as it was stored."""
        if self._key and seal != self.of(kind, values, text):
            raise StoreAltered("The store was changed by something other than Notewell", REBUILD)

    def mark(self, meta: Mapping[str, Any]) -> bytes:
        """Return the mark of a store."""
        return self.of("store", tuple(meta.get(key) for key in OF_STORE))

    def origin(self, meta: Mapping[str, Any]) -> Origin:
        """Return who made a store."""
        marked = meta.get("mark")
        if not self._key or marked == self.mark(meta):
            return "own"
        return "other" if marked else "unknown"

    def check_notes(self, db: Reader, generation: int, paths: Collection[str] | None = None) -> None:
        """Check the notes at these paths, or all notes, once for each state of the store."""
        last, checked = self._checked
        checked = checked if last == generation else frozenset()
        if not self._key or checked is None:
            return
        missing = None if paths is None else [path for path in paths if path not in checked]
        if missing is None or missing:
            rows = db.fetch("NOTES_AT", {"paths": missing}) if missing else db.fetch("ALL_NOTES")
            for row in rows:
                self.check(row[-1], "note", row[:-2], row[-2])
            self._checked = generation, None if missing is None else checked.union(missing)


NO_SEALS = Seals()

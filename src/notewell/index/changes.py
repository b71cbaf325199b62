"""What changed in a folder since the store saw it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from notewell.index.readers import READERS
from notewell.index.walk import Found, Walk, walk
from notewell.store import Store
from notewell.types import Stamp


@dataclass(frozen=True, slots=True)
class Changes:
    """The files to read (new, changed, or skipped before), and the paths that are gone."""

    read: tuple[Found, ...]
    gone: tuple[str, ...]
    known: dict[str, Stamp]

    @property
    def bytes(self) -> int:
        """Return how much text there is to read."""
        return sum(found.stamp.size for found in self.read)

    def digest(self, path: str) -> str:
        """Return the digest the store has for a path, or nothing."""
        stamp = self.known.get(path)
        return stamp.digest if stamp else ""

    def __bool__(self) -> bool:
        return bool(self.read or self.gone)


def find_changes(root: Path, rules: Walk, store: Store) -> Changes:
    """Compare the folder with the store by time and size; content is compared when a file is read."""
    known = store.stamps()
    unseen = dict.fromkeys(known)
    to_read = []
    for found in walk(root, rules, tuple(READERS)):
        unseen.pop(found.path, None)
        stamp = known.get(found.path)
        if stamp is None or (stamp.mtime_ns, stamp.size) != (found.stamp.mtime_ns, found.stamp.size):
            to_read.append(found)
    return Changes(tuple(to_read), tuple(unseen), known)

"""The values that filters can take in a vault, for the menus below the search box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from notewell.store import Snapshot
from notewell.vault import Vault

# More than a menu shows well; of folders and tags, those with the most notes.
MOST = 100
# A property with more values than this is not chosen from a menu.
MOST_VALUES = 30
MOST_KEYS = 6


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that filters can take."""

    folders: tuple[str, ...]
    """Folders with notes, in alphabetical order."""
    tags: tuple[str, ...]
    """Tags, the most used first."""
    types: tuple[str, ...]
    """Types of notes, as in their front matter."""
    properties: Mapping[str, tuple[str, ...]]
    """Properties that have few values, with these values."""


def filter_choices(vault: Vault) -> FilterChoices:
    """Return the values to filter the notes of a vault by; none if it is not indexed."""
    if not vault.indexed:
        return FilterChoices((), (), (), {})
    tags = tuple(vault.store.about(tags=True).tags)[:MOST]
    with vault.shown.answering() as snapshot:
        folders = Counter(parent for path in snapshot.ids() for parent in _folders(path))
        largest = sorted(folder for folder, _ in folders.most_common(MOST))
        return FilterChoices(tuple(largest), tags, _few(snapshot, "type"), dict(_properties(snapshot)))


def _folders(path: str) -> list[str]:
    """Return the folders above a note, up to the second level.

    >>> _folders("a/b/c/d.md")
    ['a', 'a/b']
    """
    return [str(parent) for parent in reversed(PurePosixPath(path).parents) if parent.name][:2]


def _few(snapshot: Snapshot, of: str, key: str = "") -> tuple[str, ...]:
    return tuple(sorted(snapshot.values(of, key, most=MOST_VALUES)))


def _properties(snapshot: Snapshot) -> list[tuple[str, tuple[str, ...]]]:
    keys = sorted(snapshot.values("key", most=MOST))
    few = ((key, _few(snapshot, "field", key)) for key in keys if key not in ("tags", "type", "aliases", "title"))
    return [(key, values) for key, values in few if len(values) > 1][:MOST_KEYS]

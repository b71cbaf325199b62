"""What Copilot asks of the index itself: which notes are in it, and the chunks of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from notewell.serve.copilot.bodies import refused, seconds
from notewell.serve.copilot.found import describe_chunks, name_of
from notewell.serve.copilot.places import check_vault, composed, note_of, under_of
from notewell.store import Snapshot
from notewell.types.note import Stamp
from notewell.vault import Vault

ORDERS = ("updated_at", "mtime")


class Listed(NamedTuple):
    """An indexed note, and what it is listed by."""

    path: str
    title: str
    stamp: Stamp


class Wanted(NamedTuple):
    """Which notes are asked for: those in a folder, that one, or those with a word in the title or with a time."""

    under: str
    exact: str
    title: str
    after: float | None
    before: float | None

    @classmethod
    def of(cls, root: Path, asked: Mapping[str, str]) -> Wanted:
        """Return what the parameters of a request say; what they may not say is an error."""
        check_vault(root, asked.get("folder_name"))
        exact = composed(note_of(root, asked["file_path"])) if asked.get("file_path") else ""
        after, before = (_time(asked, name) for name in ("mtime_after", "mtime_before"))
        return cls(
            under_of(root, asked.get("folder_path", "")), exact, asked.get("title", "").casefold(), after, before
        )

    def has(self, note: Listed) -> bool:
        """Tell whether a note is asked for."""
        changed = note.stamp.mtime_ns / 1e9
        return (
            (not self.under or f"{note.path}/".startswith(f"{self.under}/"))
            and (not self.exact or composed(note.path) == self.exact)
            and self.title in note.title.casefold()
            and (self.after is None or changed >= self.after)
            and (self.before is None or changed <= self.before)
        )


class FileList:
    """The indexed notes on pages. Copilot asks for all pages in turn, so what it asked for is kept while it holds."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._kept: tuple[Any, list[Listed]] = (None, [])

    def page(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return the notes that are asked for, the latest first, and how many there are on all pages."""
        root = self._vault.root
        if asked.get("order_by", ORDERS[0]) not in ORDERS:
            raise refused("'order_by' must be 'mtime' or 'updated_at'")
        wanted, start, limit = Wanted.of(root, asked), _number(asked, "offset"), _number(asked, "limit")
        if not self._vault.indexed:
            return {"files": [], "total": 0}
        with self._vault.shown.searching() as (snapshot, excluded):
            found = self._found(wanted, snapshot, excluded)
            page = found[start or 0 :][:limit]
            files = [_entry(root, one, len(snapshot.chunks_of(one.path))) for one in page]
        return {"files": files, "total": len(found)}

    def _found(self, wanted: Wanted, snapshot: Snapshot, excluded: frozenset[str]) -> list[Listed]:
        state = snapshot.state
        key = (wanted, excluded, state.id, state.notes_changed, state.touched)
        kept, found = self._kept
        if kept != key:
            stamps = self._vault.store.files().notes
            names = (name for name in snapshot.names() if name.path in stamps and name.path not in excluded)
            listed = (Listed(name.path, name.title, stamps[name.path]) for name in names)
            found = sorted(filter(wanted.has, listed), key=lambda one: (-one.stamp.mtime_ns, one.path))
            self._kept = (key, found)
        return found


def _entry(root: Path, note: Listed, chunks: int) -> dict[str, Any]:
    changed = note.stamp.mtime_ns / 1e9
    return {
        "path": name_of(root, note.path),
        "title": note.title or None,
        "mtime": int(changed),
        # Notes are indexed again when they change, so that this is no earlier.
        "updated_at": datetime.fromtimestamp(changed, UTC).isoformat(),
        "folder_path": str(root),
        "total_chunks": chunks,
    }


def list_chunks(vault: Vault, asked: Mapping[str, str], model: str | None) -> dict[str, Any]:
    """Return all chunks of a note; none if it is not indexed."""
    named = asked.get("path", "")
    if not named.strip():
        raise refused("'path' is missing")
    check_vault(vault.root, asked.get("folder_name"))
    note = note_of(vault.root, named)
    if not vault.indexed:
        return {"documents": []}
    with vault.shown.searching() as (snapshot, excluded):
        path = note if snapshot.chunks_of(note) else _alike(note, snapshot.ids())
        chunks = [] if path in excluded else list(snapshot.chunks(snapshot.chunks_of(path)).values())
    return {"documents": describe_chunks(vault.root, chunks, model)}


def _alike(note: str, paths: Mapping[str, int]) -> str:
    """Return the path that has the same letters, however they are composed."""
    return next((path for path in paths if composed(path) == composed(note)), note)


def _number(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise refused(f"'{name}' must be a whole number")
    return int(text)


def _time(asked: Mapping[str, str], name: str) -> float | None:
    if not asked.get(name):
        return None
    try:
        return seconds(float(asked[name]))
    except ValueError:
        raise refused(f"'{name}' must be a number") from None

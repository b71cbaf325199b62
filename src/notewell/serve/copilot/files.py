"""What Copilot asks of the index itself: which notes are in it, and the chunks of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from notewell.serve.copilot.bodies import refused, seconds
from notewell.serve.copilot.found import describe_chunks, name_of
from notewell.serve.copilot.places import check_vault, composed, note_of, under_of
from notewell.types.note import Stamp
from notewell.vault import Vault

ORDERS = ("updated_at", "mtime")


def list_files(vault: Vault, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the indexed notes that are asked for, the latest first, and how many there are on all pages."""
    if asked.get("order_by", ORDERS[0]) not in ORDERS:
        raise refused("'order_by' must be 'mtime' or 'updated_at'")
    found = sorted(_asked_for(vault, asked), key=lambda one: (-one[1].mtime_ns, one[0]))
    start, limit = _number(asked, "offset", 0), _number(asked, "limit", len(found))
    page = [path for path, _, _ in found[start : start + limit]]
    with vault.shown.searching() as (snapshot, _):
        chunks = {path: len(snapshot.chunks_of(path)) for path in page}
    files = [
        {
            "path": name_of(vault.root, path),
            "title": title or None,
            "mtime": int(stamp.mtime_ns / 1e9),
            # Notes are indexed again when they change, so that this is no earlier.
            "updated_at": datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC).isoformat(),
            "folder_path": str(vault.root),
            "total_chunks": chunks[path],
        }
        for path, stamp, title in found[start : start + limit]
    ]
    return {"files": files, "total": len(found)}


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


def _asked_for(vault: Vault, asked: Mapping[str, str]) -> Iterator[tuple[str, Stamp, str]]:
    check_vault(vault.root, asked.get("folder_name"))
    under = under_of(vault.root, asked.get("folder_path", ""))
    exact = composed(note_of(vault.root, asked["file_path"])) if asked.get("file_path") else ""
    title = asked.get("title", "").casefold()
    after, before = (_time(asked, name) for name in ("mtime_after", "mtime_before"))
    if not vault.indexed:
        return
    with vault.shown.searching() as (snapshot, excluded):
        names, stamps = snapshot.names(), vault.store.files().notes
    for name in names:
        stamp = stamps.get(name.path)
        if stamp is None or name.path in excluded or (under and not f"{name.path}/".startswith(f"{under}/")):
            continue
        changed = stamp.mtime_ns / 1e9
        if (exact and composed(name.path) != exact) or (title and title not in name.title.casefold()):
            continue
        if (after is None or changed >= after) and (before is None or changed <= before):
            yield name.path, stamp, name.title


def _number(asked: Mapping[str, str], name: str, default: int) -> int:
    text = asked.get(name, "")
    if not text:
        return default
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

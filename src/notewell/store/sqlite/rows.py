"""Notes, links and chunks to rows, and rows to chunks and links."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw
import numpy as np

from notewell.store.sqlite import queries
from notewell.types import Chunk, Link, Note


def note_row(note: Note) -> dict[str, Any]:
    """Return a note as the table `note` has it."""
    return {
        "path": note.path,
        "title": note.title,
        "kind": note.kind,
        "tags": _json(note.tags),
        "aliases": _json(note.aliases),
        "fields": _json(_plain(note.fields)),
        "link_count": len(note.links),
        "links": _pack(_json([(link.target, link.line, link.kind, link.anchor, link.text) for link in note.links])),
        "mtime_ns": note.stamp.mtime_ns,
        "size": note.stamp.size,
        "digest": note.stamp.digest,
    }


def chunk_row(slot: int, note_id: int, chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as the table `chunk` has it: its headings are the first line of its text."""
    return {
        "id": slot,
        "note": note_id,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "start": chunk.start,
        "end": chunk.end,
        "text": _pack(f"{_json(chunk.headings)}\n{chunk.text}"),
    }


def load_chunks(db: apsw.Connection, ids: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks with these ids, lowest id first."""
    if not ids:
        return
    wanted = apsw.carray(np.asarray(ids, dtype=np.int64))
    rows: Any = db.execute(queries.CHUNKS, {"ids": wanted})
    for slot, path, data, line, end_line, start, end, title, kind, tags, aliases in rows:
        headings, _, text = _unpack(data).partition("\n")
        yield (
            slot,
            Chunk(
                path=path,
                text=text,
                line=line,
                end_line=end_line,
                start=start,
                end=end,
                headings=tuple(json.loads(headings)),
                title=title,
                kind=kind,
                tags=tuple(json.loads(tags)),
                aliases=tuple(json.loads(aliases)),
            ),
        )


def load_links(db: apsw.Connection) -> Iterator[tuple[str, tuple[Link, ...]]]:
    """Yield each note that has links, by path."""
    rows: Any = db.execute(queries.LINKS)
    for path, data in rows:
        yield path, tuple(Link(*link) for link in json.loads(_unpack(data)))


def _plain(value: Any) -> Any:
    """Return a value of front matter in JSON's own types: a date becomes its text, every key a text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pack(text: str) -> bytes:
    # A file name or a text may hold a lone surrogate; it comes back as it was.
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def _unpack(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")

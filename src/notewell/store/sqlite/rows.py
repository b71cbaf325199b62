"""Notes, links and chunks to rows, and rows to chunks and links."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store import NoteFacts
from notewell.store.sqlite import queries
from notewell.store.sqlite.packing import pack, unpack
from notewell.types.note import Chunk, Link, Note, Part

# What a link is when it says nothing of it, and so need not be stored at its end.
NOT_SAID = ("", False, "wiki")


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
        "links": pack(_json([_link_row(link) for link in note.links])),
        "mtime_ns": note.stamp.mtime_ns,
        "size": note.stamp.size,
        "digest": note.stamp.digest,
        "ctime_ns": note.stamp.ctime_ns,
    }


def _link_row(link: Link) -> list[Any]:
    """Return a link as a list, up to the last thing that it says: most have no more than a target and a line."""
    row = [link.target, link.line, link.kind, link.anchor, link.text, link.embed, link.raw]
    while row[-1] in NOT_SAID:
        row.pop()
    return row


def chunk_row(slot: int, note_id: int, body_id: int, chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as the table `chunk` has it."""
    return {
        "id": slot,
        "note": note_id,
        "body": body_id,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "start": chunk.start,
        "end": chunk.end,
        "parts": "\n".join(f"{part.line} {part.name}" for part in chunk.parts),
    }


def body_row(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk's headings and lines as the table `body` has them; the headings are the first line."""
    written = _body(chunk)
    return {"digest": _digest(written), "text": pack(written)}


def body_digest(chunk: Chunk) -> bytes:
    """Return what tells a chunk's headings and lines from all others: all that its vector depends on."""
    return _digest(_body(chunk))


def _body(chunk: Chunk) -> str:
    return f"{_json(chunk.headings)}\n{chunk.text}"


def _digest(written: str) -> bytes:
    return hashlib.blake2b(written.encode("utf-8"), digest_size=16).digest()


def load_chunks(db: apsw.Connection, ids: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks with these ids, lowest id first."""
    if not ids:
        return
    rows: Any = db.execute(queries.CHUNKS, {"ids": carray(ids)})
    for slot, path, data, line, end_line, start, end, parts, title, kind, tags, aliases in rows:
        headings, _, text = unpack(data).partition("\n")
        yield (
            slot,
            Chunk(
                path=path,
                text=text,
                line=line,
                end_line=end_line,
                start=start,
                end=end,
                parts=_parts(parts),
                headings=_texts(headings),
                title=title,
                kind=kind,
                tags=_texts(tags),
                aliases=_texts(aliases),
            ),
        )


def _parts(written: str) -> tuple[Part, ...]:
    lines = (line.partition(" ") for line in written.split("\n")) if written else ()
    return tuple(Part(int(line), name) for line, _, name in lines)


def _texts(written: str) -> tuple[str, ...]:
    # Most notes have no tags or aliases; a page of hits spends a tenth of its time on not knowing that.
    return () if written == "[]" else tuple(json.loads(written))


def carray(ids: Sequence[int] | npt.NDArray[np.int64]) -> Any:
    """Return ids as a table that a statement can read from."""
    return apsw.carray(np.asarray(ids, dtype=np.int64))


def load_facts(db: apsw.Connection, paths: Collection[str]) -> Iterator[tuple[str, NoteFacts]]:
    """Yield the path of each note with its day and front matter."""
    rows: Any = db.execute(queries.NOTE_FACTS, {"paths": _json(list(paths))})
    for path, day, fields in rows:
        yield path, NoteFacts(day, json.loads(fields))


def _plain(value: Any) -> Any:
    """Return a value of front matter in JSON's own types: a date becomes its text, every key a text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

"""Rows of the file: notes and chunks to rows and back, and texts compressed with a dictionary of common words."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from notewell.store.tables.checked import LONGEST, damaged, read_texts
from notewell.store.tables.reader import Reader
from notewell.store.tables.seal import NO_SEALS, OF_CHUNK, Seals
from notewell.terms import fold
from notewell.types.note import Chunk, Link, Note, Part
from notewell.types.tasks import Task

# Defaults of a link's last values, which are not stored.
DEFAULTS = ("", False, "wiki")
# Must never change: every text in a store needs it to be unpacked. A chunk alone is too short to compress well.
DICTIONARY = (Path(__file__).parent / "dictionary.txt").read_bytes()
PATH, TITLE, TAGS = (OF_CHUNK.index(name) for name in ("path", "title", "tags"))
# Without the header and checksum of zlib: disks check what they store.
RAW = -zlib.MAX_WBITS

# On 105,000 chunks: level 4 takes 3 s and gives 39 MB, level 6 5 s and 38 MB.
LEVEL = 4

# A few bytes may unpack to gigabytes. No note's links, and no chunks that are read together, take as much as this.
LARGEST = LONGEST // 2

# Reading the dictionary takes as long as packing a chunk: done once, and copied.
_primed = zlib.compressobj(LEVEL, zlib.DEFLATED, RAW, zdict=DICTIONARY)


def pack(text: str) -> bytes:
    """Return a text, compressed.

    >>> unpack(pack("rye bread")), len(pack("in order to " * 100)) < 40
    ('rye bread', True)
    """
    packer = _primed.copy()
    return packer.compress(text.encode("utf-8")) + packer.flush()


def unpack(data: bytes, most: int = LARGEST) -> str:
    """Return a compressed text; one of more than `most` bytes is an error."""
    try:
        unpacker = zlib.decompressobj(RAW, zdict=DICTIONARY)
        text = unpacker.decompress(data, most).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise damaged("a text in it cannot be unpacked") from error
    if not unpacker.eof or unpacker.unused_data:
        raise damaged("a text in it is too long" if len(text) >= most // 4 else "a text in it is cut off")
    return text


def note_row(note: Note) -> dict[str, Any]:
    """Return a note as a row of the table `note`."""
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
        "day": note.day,
        "dated_by": note.dated_by,
        "properties": note.properties,
    }


def _link_row(link: Link) -> list[Any]:
    """Return a link as a list without the defaults at its end: most have only a target and a line."""
    row = [link.target, link.line, link.kind, link.anchor, link.text, link.embed, link.raw]
    while row[-1] in DEFAULTS:
        row.pop()
    return row


def chunk_row(slot: int, note_id: int, body_id: int, chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as a row of the table `chunk`."""
    return {
        "id": slot,
        "note": note_id,
        "body": body_id,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "start": chunk.start,
        "end": chunk.end,
        "parts": "\n".join(f"{part.line} {part.name}" for part in chunk.parts),
        "day": chunk.day,
        "tasks": "\n".join(f"{'open' if task.is_open else 'done'} {task.due}" for task in chunk.tasks),
    }


def body_of(chunk: Chunk) -> str:
    """Return a chunk's headings and lines as they are written; the headings are the first line."""
    return f"{_json(chunk.headings)}\n{chunk.text}"


def body_row(written: str) -> dict[str, Any]:
    """Return written headings and lines as a row of the table `body`."""
    return {"digest": _digest(written), "text": pack(written)}


def body_digest(chunk: Chunk) -> bytes:
    """Return a hash of a chunk's headings and lines, which is all that its vector depends on."""
    return _digest(body_of(chunk))


def _digest(written: str) -> bytes:
    return hashlib.blake2b(written.encode("utf-8"), digest_size=16).digest()


def seal_chunk(seals: Seals, note: Mapping[str, Any], row: Mapping[str, Any], written: str) -> bytes:
    """Return the seal of a chunk, by its row, its note's, and its body: it covers everything that is shown of it."""
    merged = {**note, **row}
    return seals.of("chunk", tuple(merged[name] for name in OF_CHUNK), written.encode())


def load_chunks(db: Reader, ids: Sequence[int], seals: Seals = NO_SEALS) -> Iterator[tuple[int, Chunk]]:
    """Yield the chunks with these ids, by ascending id; one that is not as it was stored is an error."""
    for slot, chunk in load_holding(db, ids, (), seals):
        if chunk:
            yield slot, chunk


def load_holding(
    db: Reader, ids: Sequence[int], words: Sequence[str], seals: Seals = NO_SEALS
) -> Iterator[tuple[int, Chunk | None]]:
    """Yield the chunks with these ids, by ascending id, with None for those that lack one of the folded words.

    It counts in lines, headings, path, title and tags. To see that takes half the time of making a chunk.
    """
    left = LARGEST
    for slot, data, *values, seal in db.fetch("CHUNKS", {"ids": ids}) if len(ids) else ():
        written = unpack(data, left)
        left -= len(written)
        if words and not _has(words, written, values):
            yield slot, None
            continue
        seals.check(seal, "chunk", tuple(values), written.encode())
        yield slot, _chunk(written, values)


def _has(words: Sequence[str], written: str, values: Sequence[Any]) -> bool:
    folded = fold(written)
    missing = [word for word in words if word not in folded]
    beside = fold("\n".join((values[PATH], values[TITLE], values[TAGS]))) if missing else ""
    return all(word in beside for word in missing)


def _chunk(written: str, values: Sequence[Any]) -> Chunk:
    headings, _, text = written.partition("\n")
    path, line, end_line, start, end, parts, title, kind, tags, aliases, properties, day, tasks, _ = values
    # By their places: with names, a third more time.
    return Chunk(
        path,
        text,
        line,
        end_line,
        start,
        end,
        _parts(parts),
        read_texts(headings),
        title,
        kind,
        read_texts(tags),
        read_texts(aliases),
        properties,
        day,
        read_tasks(tasks),
    )


def _parts(written: str) -> tuple[Part, ...]:
    lines = (line.partition(" ") for line in written.split("\n")) if written else ()
    return tuple(Part(int(line), name) for line, _, name in lines)


def read_tasks(written: str) -> tuple[Task, ...]:
    """Return the tasks of a chunk's row.

    >>> read_tasks("open 2025-03-01\\ndone ")
    (Task(is_open=True, due='2025-03-01'), Task(is_open=False, due=''))
    """
    lines = (line.partition(" ") for line in written.split("\n")) if written else ()
    return tuple(Task(status == "open", due) for status, _, due in lines)


def _plain(value: Any) -> Any:
    """Return a value of front matter in JSON's own types: dates and keys become text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


# Made once: `json.dumps` with these settings makes one for each value.
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

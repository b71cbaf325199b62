"""The formats Notewell reads, by suffix: how bytes become text, and text becomes chunks."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Protocol, cast

from notewell.errors import NoteError
from notewell.index.chunk import ChunkRules
from notewell.index.walk import Found
from notewell.types import Chunk, Note

# A format's module, and whatever it depends on, is loaded with the first file of that format.
READERS = {
    ".md": "notewell.index.readers.markdown",
    ".markdown": "notewell.index.readers.markdown",
}


class Reader(Protocol):
    """One format, as a module of three functions."""

    def decode(self, data: bytes) -> str:
        """Return the file's text, or raise `NoteError` with the reason it has none."""

    def parse(self, note: Note) -> Note:
        """Return the note with what it says of itself: title, fields, links."""

    def chunk(self, note: Note, rules: ChunkRules) -> list[Chunk]:
        """Return the note's text in chunks."""


def reader_of(path: str) -> Reader:
    """Return the reader for a path by its suffix."""
    return cast(Reader, import_module(READERS[PurePosixPath(path).suffix.lower()]))


def read(root: Path, found: Found, max_bytes: int) -> Note:
    """Return the file as a note: its text and stamp, nothing taken out yet."""
    if found.flaw:
        raise NoteError(found.flaw, "Check its permissions" if found.closed else "Rename it")
    if found.stamp.size > max_bytes:
        raise NoteError(
            f"{found.stamp.size:,} bytes, over the limit of {max_bytes:,}", "Raise index.max_bytes to read it"
        )
    try:
        data = (root / found.path).read_bytes()
    except PermissionError as error:
        raise NoteError("no permission to read it", "Check the file's permissions") from error
    except OSError as error:
        raise NoteError(f"cannot be read: {error.strerror or error}", "Check the file") from error
    stamp = found.stamp._replace(digest=hashlib.blake2b(data, digest_size=16).hexdigest())
    return Note(found.path, reader_of(found.path).decode(data), stamp)

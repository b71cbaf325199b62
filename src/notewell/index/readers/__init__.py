"""From files to notes: loads a file's bytes safely, and extracts their text with the reader of its format."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from notewell.errors import NoteError, NoteOutOfReach
from notewell.files.formats import TEXT, format_of, is_sandboxed
from notewell.files.safe_open import open_inside
from notewell.files.survey import WalkRules
from notewell.index.readers.sandbox import Extraction
from notewell.index.walk import VaultFile
from notewell.types.note import Note, Stamp


def load(root: Path, found: VaultFile, rules: WalkRules) -> tuple[bytes, Stamp]:
    """Return a file's bytes, and its stamp with their digest."""
    if found.flaw:
        raise (NoteOutOfReach if found.closed else NoteError)(found.flaw, "Rename it, or check its permissions")
    limit, setting = (
        (rules.max_document_bytes, "index.max_document_bytes")
        if is_sandboxed(found.path)
        else (rules.max_bytes, "index.max_bytes")
    )
    if found.stamp.size > limit:
        # Nothing was read, so trying again costs nothing, and the limit may have changed by then.
        raise NoteOutOfReach(f"{found.stamp.size:,} bytes, over the limit of {limit:,}", f"Raise {setting} to read it")
    try:
        data = _bytes_of(root, found.path, limit)
    except PermissionError as error:
        raise NoteOutOfReach("no permission to read it", "Check the file's permissions") from error
    except OSError as error:
        raise NoteOutOfReach(f"cannot be read: {error.strerror or error}", "Check the file") from error
    return data, found.stamp._replace(digest=hashlib.blake2b(data, digest_size=16).hexdigest())


def _bytes_of(root: Path, path: str, limit: int) -> bytes:
    """Return a file's bytes; refuse it if it is no longer a regular file, or has grown past the limit."""
    opened = open_inside(root, path)
    with os.fdopen(opened, "rb") as stream:
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode):
            raise NoteOutOfReach("no longer a file", "Check what it is")
        # Its own size first: room for the limit takes three times as long to get as most files take to read.
        data = stream.read(min(about.st_size, limit) + 1)
        data += stream.read(max(0, limit + 1 - len(data))) if len(data) > about.st_size else b""
    if len(data) > limit:
        raise NoteOutOfReach(f"grew past the limit of {limit:,} bytes while it was read", "Index it again")
    return data


def read(path: str, data: bytes, stamp: Stamp, extraction: Extraction) -> Note:
    """Return a file's bytes as a note, not yet redacted."""
    content = extraction.extract(format_of(path) or TEXT, data)
    return Note(path, content.text, stamp, content.title, parts=content.parts, warnings=content.warnings)

"""Places in notes, as hits name them: `path`, `path:12` or `path:12-20`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from notewell.errors import NoteError, StoreError
from notewell.index.readers import READERS, read
from notewell.index.walk import Found, stamp_of
from notewell.redact import redact
from notewell.types import Reading

LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A note, or a run of its lines; without a last line, all from the first on."""

    path: str
    first: int = 1
    last: int | None = None


def find_place(root: Path, written: str) -> Place:
    """Return the place that was written, and refuse one that leaves the vault."""
    match = LINES.fullmatch(written)
    if match is None or exists(root / written):
        return Place(_path_inside(root, written))
    first = max(1, int(match[2]))
    last = int(match[3] or first)
    if last < first:
        raise NoteError(f"Lines {first} to {last} run backwards", f"Ask for {match[1]}:{last}-{first}")
    return Place(_path_inside(root, match[1]), first, last)


def read_place(root: Path, place: Place, max_bytes: int) -> Reading:
    """Return the lines as they stand in the file, without secrets."""
    if PurePosixPath(place.path).suffix.lower() not in READERS:
        raise NoteError(f"{place.path} is of a format that is not read yet", f"Formats: {', '.join(READERS)}")
    try:
        note = redact(read(root, Found(place.path, stamp_of((root / place.path).stat())), max_bytes))
    except NoteError as error:
        raise NoteError(f"{place.path}: {error.fact}", error.hint) from error
    except OSError as error:
        raise NoteError(f"{place.path} cannot be read: {error.strerror}", "Check the file") from error
    lines = note.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    last = min(place.last or len(lines), len(lines))
    if place.first > last:
        raise NoteError(f"{place.path} has {len(lines)} lines; there is no line {place.first}", "Ask for lines it has")
    return Reading(place.path, place.first, last, "\n".join(lines[place.first - 1 : last]))


def exists(path: Path) -> bool:
    """Tell whether there is such a file or folder; a name that cannot be one is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        # Too long a name, or one with a zero byte or half a character in it.
        return False


def _path_inside(root: Path, path: str) -> str:
    if not exists(root / path):
        raise NoteError(f"There is no note {path[:200]}", "Paths are as `notewell search` prints them")
    file, top = Path(os.path.realpath(root / path)), os.path.realpath(root)
    if not file.is_relative_to(top):
        raise NoteError(f"{path} is outside the vault", "Name a note by its path from the vault's root")
    if not file.is_file():
        raise NoteError(f"{path} is no file", "Name a note in it")
    return file.relative_to(top).as_posix()


def folder_to_write(file: Path) -> Path:
    """Return the folder of a file that is to be written, if it can be."""
    if not os.access(file.parent, os.W_OK):
        raise StoreError(f"{file.parent} cannot be written", "Name a file in a folder that can")
    return file.parent

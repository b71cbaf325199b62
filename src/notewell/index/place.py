"""Places in notes, as hits and links name them: `path`, `path:12`, `path:12-20`, `path#page 3`, `path#Heading`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from notewell.errors import NoteError
from notewell.files.formats import FORMATS, format_of
from notewell.files.safe_open import ALWAYS_EXCLUDED, exists, path_without_links
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index.readers import load, read
from notewell.index.readers.sandbox import Extraction
from notewell.index.walk import VaultFile, stamp_of
from notewell.names.place import Lines, before_lines, lines_of, part_name, split_part
from notewell.redact import LINE_IN_LINE, redact
from notewell.types.note import Note, place_of


@frozen
class Place:
    """A note, some of its lines, or a part of it by name; without a last line, all from the first on."""

    path: str
    first: int = 1
    last: int | None = None
    part: str = ""


@frozen
class Reading:
    """Lines of a note."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    text: str
    """The lines, without secrets unless they were asked for."""
    place: str = ""
    """The page, slide or other part they are in, if the note has parts."""


def as_place(note: str | Path) -> str:
    """Return a note as the store names it, with slashes, however a program wrote it."""
    return note if isinstance(note, str) else note.as_posix()


def find_place(root: Path, written: str) -> Place:
    """Return the place that a text names; one outside the vault is refused."""
    if exists(root / written):
        return Place(path_inside(root, written))
    for path, part in split_part(written):
        if exists(root / path):
            return Place(path_inside(root, path), part=part.strip())
    lines = lines_of(written)
    return Place(path_inside(root, before_lines(written) if lines else written), *(lines or Lines(1)))


def names_file(root: Path, written: str) -> bool:
    """Tell whether a place names a file by its path; otherwise it may be a note's name, title or alias."""
    paths = filter(None, (written, before_lines(written), *(path for path, _ in split_part(written))))
    return any(exists(root / path) and not (root / path).is_dir() for path in paths)


def read_place(root: Path, place: Place, rules: WalkRules, *, raw: bool = False) -> Reading:
    """Return the lines of a place, without secrets unless `raw`."""
    return lines_at(read_note(root, place.path, rules, raw=raw), place)


def read_note(root: Path, path: str, rules: WalkRules, *, raw: bool = False) -> Note:
    """Return the note at a path as it is now, without secrets unless `raw`."""
    if ALWAYS_EXCLUDED.intersection(path.split("/")):
        raise NoteError(f"{path} is not a note", "Folders and settings of programs are never read")
    if format_of(path) is None:
        known = ", ".join(format.name for format in FORMATS)
        raise NoteError(f"{path} has a format that Notewell does not read", f"It reads {known}")
    try:
        with Extraction(rules.max_seconds) as extraction:
            data, stamp = load(root, found_at(root, path), rules)
            note = read(path, data, stamp, extraction)
    except NoteError as error:
        raise NoteError(f"{path}: {error.fact}", error.hint) from error
    return replace(note, text=note.text.replace(LINE_IN_LINE, " ")) if raw else redact(note)


def lines_at(note: Note, place: Place) -> Reading:
    """Return the lines of a note at a place; lines or a part that it does not have are an error."""
    lines = note.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    first, last = _lines_of_part(note, place.part, lines) if place.part else (place.first, place.last)
    last = min(last or len(lines), len(lines))
    if first > last:
        hint = f"Ask for lines 1 to {len(lines)}" if len(lines) > 1 else "Ask for line 1"
        raise NoteError(f"{place.path} has {len(lines)} lines; there is no line {first}", hint)
    return Reading(place.path, first, last, "\n".join(lines[first - 1 : last]), place_of(note.parts, first, last))


def _lines_of_part(note: Note, written: str, lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last line of the part, heading or block with that name."""
    ends = [*(part.line - 1 for part in note.parts[1:]), len(lines)]
    spans = {part.name: (part.line, max(part.line, last)) for part, last in zip(note.parts, ends, strict=False)}
    # Two names, as in a hit that goes over the end of a page.
    first, _, last = part_name(written).partition(" to ")
    if first in spans and (last or first) in spans:
        return spans[first][0], spans[last or first][1]
    # Most readings ask for lines.
    from notewell.index.headings import headings_of, lines_of_anchor  # noqa: PLC0415

    if spans and not headings_of(note):
        some = ", ".join(list(spans)[:3])
        raise NoteError(f"{note.path} has no part '{part_name(written)[:200]}'", f"Its parts are {some}, …")
    return lines_of_anchor(note, written, lines)


def path_inside(root: Path, path: str) -> str:
    """Return the path of a file from the root; one that does not exist, or is outside the vault, is refused."""
    if not exists(root / path):
        raise NoteError(f"There is no note {path[:200]}", "Use a path as `notewell search` prints it")
    target = path_without_links(root, path)
    if target is None:
        raise NoteError(f"{path} is outside the vault", "Name a note by its path from the vault's root")
    # It may be gone by now, or its path without symbolic links may be too long.
    if not os.path.isfile(root / target):  # noqa: PTH113
        raise NoteError(f"{path} is not a file", "If it is a folder, name a note in it")
    return target


def found_at(root: Path, path: str) -> VaultFile:
    """Return the file at a path of the vault, as a walk finds it."""
    try:
        return VaultFile(path, stamp_of((root / path).stat()))
    except OSError as error:
        raise NoteError(f"cannot be read: {error.strerror}", "Check the file") from error

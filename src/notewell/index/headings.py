"""The lines of a note's headings and blocks, as links name them: `#Heading`, `#Heading#Deeper`, `#^block`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notewell.errors import NoteError
from notewell.index.readers.loading import shape_of
from notewell.names.anchors import suggest_headings
from notewell.names.suggest import SHOWN, did_you_mean
from notewell.terms import plain_heading
from notewell.types.note import Heading, Note

# The first line of a list item, which is a block of its own.
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


def lines_of_anchor(note: Note, anchor: str, lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last line of the section or block that an anchor names; an unknown one is an error."""
    if anchor.startswith("^"):
        return _lines_of_block(note, anchor[1:].strip(), lines)
    headings = headings_of(note)
    found = _find(headings, anchor.split("#")) or _find(headings, [anchor])
    if not found:
        raise NoteError(f"{note.path} has no heading '{anchor[:200]}'", _near(anchor, headings))
    after = (each.start for each in headings if each.start > found.start and each.level <= found.level)
    end = next(after, None)
    first, last = note.line_at(found.start), len(lines) if end is None else note.line_at(end) - 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def headings_of(note: Note) -> list[Heading]:
    """Return the headings of a note, in order; some formats have none."""
    return shape_of(note.path).parse(note).outline.headings


def _find(headings: Sequence[Heading], names: Sequence[str]) -> Heading | None:
    """Return the heading with the last of these names, each below the one before it."""
    found = None
    for wanted in map(plain_heading, names):
        place = next((at for at, each in enumerate(headings) if wanted and plain_heading(each.name) == wanted), None)
        if place is None:
            return None
        found, rest = headings[place], headings[place + 1 :]
        headings = rest[: next((at for at, each in enumerate(rest) if each.level <= found.level), len(rest))]
    return found


def _near(anchor: str, headings: Sequence[Heading]) -> str:
    known = list(dict.fromkeys(heading.name for heading in headings if heading.name))
    some = ", ".join(known[:SHOWN]) + ", …" * (len(known) > SHOWN)
    otherwise = f"Its headings are {some}" if some else "It has no headings; ask for its lines"
    return did_you_mean(suggest_headings(anchor, known), otherwise)


def _lines_of_block(note: Note, name: str, lines: Sequence[str]) -> tuple[int, int]:
    """Return the lines of the paragraph or list item that ends with the name of a block."""
    mark = re.compile(rf"(?:^|\s|\]\])\^{re.escape(name)}\s*", re.IGNORECASE)
    last = next((number for number, line in enumerate(lines, start=1) if _ends_in(mark, line)), 0)
    if not last:
        raise NoteError(f"{note.path} has no block '^{name[:200]}'", "Ask for a heading, or for its lines")
    first = last
    if not mark.sub("", lines[last - 1]).strip():
        # Alone on its line, it names the block before it, such as a table.
        while first > 1 and not lines[first - 2].strip():
            first -= 1
        first = max(1, first - 1)
    while first > 1 and lines[first - 2].strip() and not ITEM.match(lines[first - 1]):
        first -= 1
    return first, last


def _ends_in(mark: re.Pattern[str], line: str) -> bool:
    return any(match.end() == len(line) for match in mark.finditer(line))

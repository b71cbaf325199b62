"""What shapes have in common: the title of a note, its one top heading, what lies outside of blocks, links to files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from notewell.index.chunk import LONGEST_NAME, Span
from notewell.index.links import OUTSIDE
from notewell.index.shapes.sections import Heading
from notewell.types.note import Link, Note

# How a link is written is shown, if it is no longer than this.
LONGEST_LINK = 500


def titled(note: Note, title: str = "") -> Note:
    """Return the note with this title, the one it has beside its text, or the file's name."""
    return replace(note, title=(title or note.title).strip()[:LONGEST_NAME] or PurePosixPath(note.path).stem)


def top_heading(text: str, headings: list[Heading], body: int = 0) -> str:
    """Return the one heading of the first level, if the body begins with it: it names the text, not a part of it."""
    tops = [heading for heading in headings if heading.level == 1]
    return tops[0].name if len(tops) == 1 and not text[body : tops[0].start].strip() else ""


def outside(matches: Iterable[re.Match[str]], blocks: list[Span]) -> Iterator[re.Match[str]]:
    """Yield the matches that begin in none of the blocks, which are in order."""
    for match in matches:
        before = bisect_right(blocks, match.start(), key=lambda block: block.start)
        if not before or match.start() >= blocks[before - 1].end:
            yield match


def file_links(note: Note, matches: Iterable[re.Match[str]]) -> tuple[Link, ...]:
    """Return links to files from matches that have a `path`, and may have an `anchor` and a `text`."""
    links = []
    for match in matches:
        named = match.groupdict(default="")
        path = named["path"].strip()
        if path and not OUTSIDE.match(path):
            line = note.line_at(match.start())
            anchor, text = named.get("anchor", "").strip("#* "), named.get("text", "").strip()
            links.append(Link(path, line, "file", anchor, text, raw=match.group()[:LONGEST_LINK]))
    return tuple(links)

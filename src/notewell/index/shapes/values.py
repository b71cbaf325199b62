"""Flat values, such as `servers[0].host: db1`: chunks of whole records, under the keys that their lines share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from notewell.index.chunk import LONGEST_NAME, ChunkRules, Piece, chunks_of, cut
from notewell.index.shapes import parted
from notewell.index.shapes.parted import parse
from notewell.types.note import Chunk, Note, Span

__all__ = ["chunk", "parse"]

# A path is before a colon, at the start of a line or behind another value.
FIRST = re.compile(r"(?![-\s])([^:;]{1,1000}+):(?= |$)")
OTHERS = re.compile(r"; ([^:;]{1,1000}+):(?= |$)")
REMARKS = ("#", "//", "/*")
STEP = re.compile(r"\[\d+\]|\.?[^.\[]+|.")
# The share of the greatest length at which a chunk may end early, at the end of a record.
EARLIEST = 0.25

# The keys that lead to a value, outermost first.
Keys = tuple[str, ...]


class ValueLine(NamedTuple):
    """A line that is not blank, the keys its values share, and how many of them the line above shares."""

    start: int
    end: int
    path: Keys
    shared: int


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return chunks of whole records, of lines if a record is too long, of turns if it is a conversation."""
    return parted.chunk(note, rules) if note.parts else chunks_of(note, _pieces(note, rules.max_chars))


def _pieces(note: Note, max_chars: int) -> Iterator[Piece]:
    lines = _lines(note.text)
    first = 0
    while first < len(lines):
        end = _end(lines, first, max_chars)
        whole = Span(lines[first].start, lines[end - 1].end)
        common = min((line.shared for line in lines[first + 1 : end]), default=len(lines[first].path))
        heading = "".join(lines[first].path[:common])[:LONGEST_NAME]
        yield from (((heading,) if heading else (), run) for run in cut(note.text, whole, max_chars))
        first = end


def _lines(text: str) -> list[ValueLine]:
    """Return the lines that are not blank, with their paths."""
    lines: list[ValueLine] = []
    path: Keys = ()
    remarks: list[tuple[int, int]] = []
    for start, end, written in _written(text):
        if written.startswith(REMARKS):
            remarks.append((start, end))
            continue
        above, path = path, _path(written, path)
        shared = _shared(above, path)
        # A comment above a value belongs to it.
        for remark in (*remarks, (start, end)):
            lines.append(ValueLine(*remark, path, shared))
            shared = len(path)
        remarks.clear()
    return [*lines, *(ValueLine(*remark, path, len(path)) for remark in remarks)]


def _written(text: str) -> Iterator[tuple[int, int, str]]:
    end = -1
    for written in text.split("\n"):
        start, end = end + 1, end + 1 + len(written)
        if written and not written.isspace():
            yield start, end, written


def _path(line: str, above: Keys) -> Keys:
    """Return the keys that the values of a line share; a line without values continues the one above.

    >>> _path("servers[0].host: db1; servers[0].port: 5432", ())
    ('servers', '[0]')
    """
    first = FIRST.match(line)
    if first is None:
        return above
    path: Keys = tuple(STEP.findall(first[1]))
    for other in OTHERS.findall(line, first.end()) if "; " in line else ():
        path = path[: _shared(path, tuple(STEP.findall(other)))]
    return path


def _shared(one: Keys, other: Keys) -> int:
    """Return how many steps at their start two paths share."""
    count = 0
    for step, same in zip(one, other, strict=False):
        if step != same:
            break
        count += 1
    return count


def _end(lines: list[ValueLine], first: int, max_chars: int) -> int:
    """Return the line that starts the next chunk: the last of those that share least with the line above."""
    start = lines[first].start
    limit = first + 1
    while limit < len(lines) and lines[limit].end - start <= max_chars:
        limit += 1
    if limit == len(lines):
        return limit
    late = (at for at in range(limit, first, -1) if lines[at - 1].end - start >= max_chars * EARLIEST)
    return min(late, key=lambda at: lines[at].shared, default=limit)

"""Texts that fall into parts, each on its own: slides, rows of a table, cells, turns of a talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from notewell.index.chunk import LONGEST_NAME, ChunkRules, Span, chunks_of, pack, trim
from notewell.types import Chunk, Note, Part, line_starts

# Rows are short, and each can be what is looked for.
SHORTEST = 20
BREAK = re.compile(r"\n[ \t\r]*\n\s*|\n")


def parse(note: Note) -> Note:
    """Return the note with its title: the one it has beside its text, or the file's name."""
    return replace(note, title=note.title[:LONGEST_NAME] or PurePosixPath(note.path).stem)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return a chunk for each part; a part that is too long is cut, at blank lines or lines where it has any."""
    return chunks_of(note, _pieces(note, rules))


def _pieces(note: Note, rules: ChunkRules) -> Iterator[tuple[tuple[str, ...], Span]]:
    for part, span in _spans(note):
        run = trim(note.text, span)
        if run.end - run.start >= SHORTEST or len(note.parts) == 1:
            headings = _headings(note, part)
            yield from ((headings, piece) for piece in pack(note.text, _lines(note.text, run), rules.max_chars))


def _spans(note: Note) -> Iterator[tuple[Part, Span]]:
    """Yield each part with the run of text it has; lines that head others belong to none."""
    starts = [*line_starts(note.text), len(note.text)]
    for part, after in pairwise((*note.parts, None)):
        if part is not None:
            last = _first_line(after) - 1 if after else len(starts) - 1
            yield part, Span(starts[part.line - 1], starts[last])


def _first_line(part: Part) -> int:
    """Return where a part begins, with the lines that head it if they stand right above it."""
    first = part.line
    for line in sorted(part.under, reverse=True):
        first = line if line == first - 1 else first
    return first


def _headings(note: Note, part: Part) -> tuple[str, ...]:
    starts = [*line_starts(note.text), len(note.text)]
    lines = (note.text[starts[line - 1] : starts[line]].strip()[:LONGEST_NAME] for line in part.under)
    return tuple(line for line in lines if line)


def _lines(text: str, run: Span) -> list[Span]:
    edges = [run.start, *(match.end() for match in BREAK.finditer(text, run.start, run.end)), run.end]
    return [Span(start, end) for start, end in pairwise(edges) if start < end]

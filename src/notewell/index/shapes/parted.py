"""Texts of separate parts: slides, rows of a table, cells of a notebook, turns of a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from notewell.index.chunk import LONGEST_NAME, ChunkRules, Piece, chunks_of, pack, trim
from notewell.index.shapes.sections import with_title as parse
from notewell.types.note import Chunk, Note, Part, Span

__all__ = ["chunk", "parse"]

# Rows are short, and each may be what someone searches for; only shorter parts join their neighbour.
SHORTEST = 20
MARKS = re.compile(r"#{1,6}\s+")
BREAK = re.compile(r"\n[ \t\r]*\n\s*|\n")


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return one chunk for each part; a part that is too long is cut at blank lines or lines."""
    pieces = (
        (headings, piece)
        for headings, run in _joined(_runs(note), rules.max_chars)
        for piece in pack(note.text, _lines(note.text, run), rules.max_chars)
    )
    return chunks_of(note, pieces)


def _joined(runs: Iterable[Piece], max_chars: int) -> Iterator[Piece]:
    """Yield the runs, short ones joined to a neighbour under the same headings."""
    held: Piece | None = None
    for headings, run in runs:
        if held and held[0] == headings and run.end - held[1].start <= max_chars and _is_short(held[1], run):
            held = (headings, Span(held[1].start, run.end))
            continue
        if held:
            yield held
        held = (headings, run)
    if held:
        yield held


def _is_short(*runs: Span) -> bool:
    return any(run.end - run.start < SHORTEST for run in runs)


def _runs(note: Note) -> Iterator[Piece]:
    """Yield the text before the first part, then each part under its headings, without blank ends."""
    starts = [*note.line_starts, len(note.text)]
    lines = len(starts) - 1
    edges = [*(_first_line(part) for part in note.parts), lines + 1]
    yield from _run(note, (), Span(0, starts[edges[0] - 1]))
    for part, (first, after) in zip(note.parts, pairwise(edges), strict=True):
        above = Span(starts[first - 1], starts[part.line - 1])
        body = Span(starts[part.line - 1], starts[max(part.line, after) - 1])
        headings = tuple(filter(None, (_name(note.text, starts, line) for line in part.under)))
        # Lines above a part become its headings, unless they are too long for that, or the part has no text.
        too_long = any(starts[line] - starts[line - 1] > LONGEST_NAME for line in range(first, part.line))
        if too_long or not note.text[body.start : body.end].strip():
            yield from _run(note, (), above)
        yield from _run(note, headings, body)


def _run(note: Note, headings: tuple[str, ...], span: Span) -> Iterator[Piece]:
    run = trim(note.text, span)
    if run.start < run.end:
        yield headings, run


def _first_line(part: Part) -> int:
    """Return the first line of a part, including its header lines if they are right above it."""
    first = part.line
    for line in sorted(part.under, reverse=True):
        first = line if line == first - 1 else first
    return first


def _name(text: str, starts: list[int], line: int) -> str:
    """Return a header line, without the `#` signs of a heading."""
    written = text[starts[line - 1] : min(starts[line], starts[line - 1] + LONGEST_NAME)].strip()
    return MARKS.sub("", written, count=1) if written.startswith("#") else written


def _lines(text: str, run: Span) -> list[Span]:
    edges = [run.start, *(match.end() for match in BREAK.finditer(text, run.start, run.end)), run.end]
    return [Span(start, end) for start, end in pairwise(edges) if start < end]

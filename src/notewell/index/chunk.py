"""Cutting text into chunks: sizes, packing blocks, and cutting a long run at the best break that fits."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from notewell.frozen import frozen
from notewell.index.dates import day_in_headings
from notewell.types.note import Chunk, Note, Part, Span, parts_of

# Every chunk carries its headings and title; a very long one would be stored a thousand times.
LONGEST_NAME = 200
WORD = re.compile(r"\S+")
# Breaks inside a run that is too long, the best first: lines, sentences, words.
BREAKS = (re.compile(r"\n"), re.compile(r"(?<=[.!?;:])\s+|(?<=[。！？])"), re.compile(r"\s+"))


@frozen
class ChunkRules:
    """How long chunks are. With `overlap_words`, long sections become overlapping windows of words."""

    max_chars: int = 2000
    min_chars: int = 30
    target_words: int = 600
    overlap_words: int = 0


# A run of text, under the headings above it, outermost first.
Piece = tuple[tuple[str, ...], Span]


class HasStart(Protocol):
    """Anything with a position in a text."""

    @property
    def start(self) -> int:
        """Return the offset at which it begins."""


Positioned = TypeVar("Positioned", bound=HasStart)


def within(items: list[Positioned], span: Span) -> list[Positioned]:
    """Return the items that begin in the span; they are in order."""
    first = bisect_left(items, span.start, key=lambda item: item.start)
    return items[first : bisect_left(items, span.end, lo=first, key=lambda item: item.start)]


def pack(text: str, blocks: Sequence[Span], max_chars: int) -> Iterator[Span]:
    """Yield runs of whole blocks of at most `max_chars`; only a block longer than that is cut.

    >>> [(run.start, run.end) for run in pack("a" * 9, [Span(0, 3), Span(3, 5), Span(5, 9)], 5)]
    [(0, 5), (5, 9)]
    """
    run: Span | None = None
    for block in blocks:
        if run and block.end - run.start <= max_chars:
            run = Span(run.start, block.end)
            continue
        if run:
            yield from cut(text, run, max_chars)
        run = block
    if run:
        yield from cut(text, run, max_chars)


def cut(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    """Yield runs of at most `max_chars` that together are the span, cut at the best break that fits.

    >>> [(run.start, run.end) for run in cut("one two. three four.", Span(0, 20), 12)]
    [(0, 9), (9, 20)]
    """
    start = span.start
    while span.end - start > max_chars:
        end = _break(text, start, start + max_chars)
        yield Span(start, end)
        start = end
    if start < span.end:
        yield Span(start, span.end)


def _break(text: str, start: int, limit: int) -> int:
    for pattern in BREAKS:
        # The last break in the second half: an earlier one would leave a scrap.
        ends = [match.end() for match in pattern.finditer(text, start + (limit - start) // 2, limit)]
        if ends:
            return ends[-1]
    return limit


def windows(text: str, span: Span, rules: ChunkRules) -> Iterator[Span]:
    """Yield windows of `target_words`, each beginning `overlap_words` before the last one's end.

    >>> [(run.start, run.end) for run in windows("a b c d e", Span(0, 9), ChunkRules(target_words=3, overlap_words=1))]
    [(0, 5), (4, 9)]
    """
    words = [match.span() for match in WORD.finditer(text, span.start, span.end)]
    step = max(1, rules.target_words - rules.overlap_words)
    for first in range(0, len(words), step):
        window = words[first : first + rules.target_words]
        yield Span(window[0][0], window[-1][1])
        if first + rules.target_words >= len(words):
            return


def trim(text: str, span: Span) -> Span:
    """Return the span without blank lines and spaces at its ends.

    >>> trim("\\n  a b \\n", Span(0, 8))
    Span(start=3, end=6)
    """
    inner = text[span.start : span.end]
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, max(start, span.end - (len(inner) - len(inner.rstrip()))))


def chunk_of(note: Note, headings: tuple[str, ...], span: Span) -> Chunk:
    """Return a run of the note's text as a chunk."""
    line, end_line = note.line_at(span.start), note.line_at(max(span.start, span.end - 1))
    return Chunk(
        path=note.path,
        text=note.text[span.start : span.end],
        line=line,
        end_line=end_line,
        start=note.source_offset(span.start),
        end=note.source_offset(span.end, ending=True),
        parts=tuple(Part(part.line, part.name) for part in parts_of(note.parts, line, end_line)),
        headings=headings,
        title=note.title,
        kind=note.kind,
        tags=note.tags,
        aliases=note.aliases,
        properties=note.properties,
        day=day_in_headings(headings),
    )


def chunks_of(note: Note, pieces: Iterable[Piece]) -> list[Chunk]:
    """Return a chunk for each piece, without blank ends; an empty note is a chunk without text."""
    trimmed = ((headings, trim(note.text, span)) for headings, span in pieces)
    chunks = [chunk_of(note, headings, span) for headings, span in trimmed if span.start < span.end]
    return chunks or [chunk_of(note, (), Span(0, 0))]

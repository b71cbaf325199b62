"""Other ways to cut a note, which replace ours while they are measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bench.tokens import token_starts
from notewell.index.chunk import ChunkRules, pack, trim
from notewell.index.shapes import markdown, sections
from notewell.types.note import Chunk, Note, Span

BLANK = re.compile(r"\n[ \t\r]*\n\s*")
SPACE = re.compile(r"\s")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# How far back a repeated sentence may begin.
LONGEST_SENTENCE = 300
# The modules whose functions another way of cutting replaces.
HOMES = {"chunk": markdown, "pack": sections}


@dataclass(frozen=True, slots=True)
class Cutter:
    """A way of cutting: our settings, and replacements for functions of the Markdown reader."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    instead: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Cut notes this way inside the block."""
        usual = {name: getattr(HOMES[name], name) for name in self.instead}
        try:
            for name, function in self.instead.items():
                setattr(HOMES[name], name, function)
            yield
        finally:
            for name, function in usual.items():
                setattr(HOMES[name], name, function)


def windows_of(tokens: int, overlap: int = 0) -> Cutter:
    """Return a cutter that makes chunks of a fixed number of tokens, wherever they end."""

    def chunk(note: Note, _: ChunkRules) -> list[Chunk]:
        starts = token_starts(note.text)
        edges = [*starts, len(note.text)]
        firsts = range(0, max(1, len(starts) - overlap), tokens - overlap)
        spans = (Span(edges[first], edges[min(first + tokens, len(starts))]) for first in firsts)
        return _chunks(note, spans)

    return Cutter(instead={"chunk": chunk})


def paragraphs_of(max_chars: int, overlap: int, min_chars: int) -> Cutter:
    """Return a cutter for plain text: merged paragraphs, each chunk starting with the end of the one before."""

    def chunk(note: Note, _: ChunkRules) -> list[Chunk]:
        edges = [0, *(match.end() for match in BLANK.finditer(note.text)), len(note.text)]
        blocks = [Span(start, end) for start, end in pairwise(edges)]
        runs: list[Span] = []
        for run in pack(note.text, blocks, max_chars - overlap):
            if runs and run.end - run.start < min_chars:
                runs[-1] = Span(runs[-1].start, run.end)
            else:
                runs.append(run)
        return _chunks(note, (Span(_word_before(note.text, run.start, overlap), run.end) for run in runs))

    return Cutter(instead={"chunk": chunk})


def sentence_before(max_chars: int) -> Cutter:
    """Return our cutter, with each chunk except a section's first starting with the last sentence of the one before."""

    def packed(text: str, blocks: Sequence[Span], most: int) -> Iterator[Span]:
        first = blocks[0].start
        for run in pack(text, blocks, most):
            yield Span(run.start if run.start == first else max(first, _sentence_before(text, run.start)), run.end)

    return Cutter({"chunk.max_chars": max_chars}, {"pack": packed})


def _sentence_before(text: str, at: int) -> int:
    earliest = max(0, at - LONGEST_SENTENCE)
    breaks = [match.end() for match in SENTENCE.finditer(text, earliest, at) if text[match.end() : at].strip()]
    return breaks[-1] if breaks else at


def _word_before(text: str, at: int, chars: int) -> int:
    """Return the start of the first whole word within some characters before a place."""
    if at <= chars:
        return 0
    space = SPACE.search(text, at - chars, at)
    return space.end() if space else at


def _chunks(note: Note, spans: Iterable[Span]) -> list[Chunk]:
    trimmed = (trim(note.text, span) for span in spans)
    return [
        Chunk(
            path=note.path,
            text=note.text[span.start : span.end],
            line=note.line_at(span.start),
            end_line=note.line_at(max(span.start, span.end - 1)),
            start=note.source_offset(span.start),
            end=note.source_offset(span.end, ending=True),
            title=note.title,
        )
        for span in trimmed
        if span.start < span.end
    ]

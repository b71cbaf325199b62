"""Source code: chunks of whole definitions, by functions and classes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from pathlib import PurePosixPath
from textwrap import shorten

from notewell.frozen import frozen
from notewell.index.chunk import ChunkRules, chunk_of, pack, trim, within
from notewell.index.shapes.definitions import DEEPEST, Definition, definitions
from notewell.index.shapes.languages import language_of
from notewell.types.note import Chunk, Note, Span

BLANK = re.compile(r"\n(?:[ \t\r]*\n)+")
# Shorter pieces, such as a closing brace, join their neighbour.
SCRAP = 20
# Every chunk carries its headings, so they must not become a page of names.
LONGEST_NAMES = 200


def parse(note: Note) -> Note:
    """Return the note with its title: the file's name, with its suffix."""
    return replace(note, title=PurePosixPath(note.path).name)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's chunks: neighbouring definitions together, a long one cut at those inside it.

    Only blank lines are lost. An empty file has one chunk without text, so that it is found by its name.
    """
    tree = _Tree.of(definitions(note.text, language_of(note.path)))
    pieces = _without_scraps(_pieces(note.text, tree, rules.max_chars), tree)
    return [chunk_of(note, tree.headings(piece), piece) for piece in pieces] or [chunk_of(note, (), Span(0, 0))]


@frozen
class _Tree:
    """The definitions of a file in order, all of them and by level."""

    all: list[Definition]
    levels: list[list[Definition]]

    @classmethod
    def of(cls, definitions: list[Definition]) -> _Tree:
        """Return the tree of definitions that are in order."""
        levels: list[list[Definition]] = [[] for _ in range(DEEPEST)]
        for definition in definitions:
            levels[definition.level].append(definition)
        return cls(definitions, levels)

    def headings(self, span: Span) -> tuple[str, ...]:
        """Return the names of the definitions around a span, outermost first, then a list of those that start in it.

        >>> tree = _Tree.of([Definition("A", 0, 0, 0, 9), Definition("b", 1, 2, 2, 4), Definition("c", 1, 5, 5, 9)])
        >>> tree.headings(Span(2, 9)), tree.headings(Span(5, 9))
        (('A', 'b, c'), ('A', 'c'))
        """
        touched = [definition for level in self.levels for definition in _touched(level, span)]
        around = [found for found in touched if found.start <= span.start and span.end <= found.end]
        inside = sorted((found for found in touched if found not in around), key=attrgetter("start"))
        names = shorten(", ".join(dict.fromkeys(found.name for found in inside)), LONGEST_NAMES, placeholder=" …")
        return tuple(filter(None, (*(found.name for found in around), names)))


@frozen
class _Part:
    """A run that stays whole if it fits; if it is too long, it is cut at the definitions of `level` inside it."""

    span: Span
    head: int
    level: int = DEEPEST


def _pieces(text: str, tree: _Tree, max_chars: int) -> Iterator[Span]:
    """Yield the runs that become chunks: parts that fit, and the pieces of longer ones."""
    todo = [_Part(Span(0, len(text)), 0, level=0)]
    while todo:
        part = todo.pop()
        span = _trim(text, part.span)
        if span.end - span.start <= max_chars:
            yield from [span] if span.start < span.end else []
        elif parts := _parts(part, tree, max_chars):
            todo += reversed(_packed(parts, max_chars))
        else:
            runs = (_trim(text, run) for run in pack(text, _blocks(text, span), max_chars))
            yield from (run for run in runs if run.start < run.end)


def _parts(part: _Part, tree: _Tree, max_chars: int) -> list[_Part]:
    """Return the definitions inside a part and the text between them, or nothing if there are none."""
    span = part.span
    if span.start < part.head and span.end - part.head <= max_chars:
        # Only its comments make it too long: cut between comments and code.
        return [_Part(Span(span.start, part.head), 0), _Part(Span(part.head, span.end), 0)]
    inner = within(tree.levels[part.level], span) if part.level < DEEPEST else []
    parts: list[_Part] = []
    at = span.start
    for definition in inner:
        parts.append(_Part(Span(at, definition.start), 0))
        parts.append(_Part(Span(definition.start, definition.end), definition.head, part.level + 1))
        at = definition.end
    return [*parts, _Part(Span(at, span.end), 0)] if inner else []


def _packed(parts: list[_Part], max_chars: int) -> list[_Part]:
    """Return the parts, neighbours joined while they fit."""
    packed: list[_Part] = []
    for part in parts:
        if packed and part.span.end - packed[-1].span.start <= max_chars:
            packed[-1] = _Part(Span(packed[-1].span.start, part.span.end), 0)
        else:
            packed.append(part)
    return packed


def _blocks(text: str, span: Span) -> list[Span]:
    """Return the runs between blank lines."""
    edges = [span.start, *(match.end() for match in BLANK.finditer(text, span.start, span.end)), span.end]
    return [Span(start, end) for start, end in pairwise(edges)]


def _without_scraps(pieces: Iterable[Span], tree: _Tree) -> list[Span]:
    """Return the pieces, short ones joined to the piece before, or after if they start a definition."""
    joined: list[Span] = []
    held: Span | None = None
    for piece in pieces:
        whole = Span(held.start, piece.end) if held else piece
        held = None
        if whole.end - whole.start >= SCRAP:
            joined.append(whole)
        elif joined and not within(tree.all, whole):
            joined[-1] = Span(joined[-1].start, whole.end)
        else:
            held = whole
    if held and joined:
        return [*joined[:-1], Span(joined[-1].start, held.end)]
    return [held] if held else joined


def _trim(text: str, span: Span) -> Span:
    """Return the span without blank lines at its ends; the first line keeps its indentation.

    >>> _trim("\\n  a b \\n", Span(0, 8))
    Span(start=1, end=6)
    """
    inner = trim(text, span)
    if inner.start == inner.end:
        return inner
    return Span(max(span.start, text.rfind("\n", span.start, inner.start) + 1), inner.end)


def _touched(level: list[Definition], span: Span) -> list[Definition]:
    """Return the definitions of a level that overlap the span."""
    first = bisect_right(level, span.start, key=attrgetter("end"))
    return level[first : bisect_left(level, span.end, lo=first, key=attrgetter("start"))]

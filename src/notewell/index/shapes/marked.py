"""Parts under headings that are written as in Markdown, `## Setup`: cells of a notebook, turns of a talk."""

from __future__ import annotations

from dataclasses import replace

from notewell.index.chunk import ChunkRules
from notewell.index.shapes import parted
from notewell.index.shapes.parted import parse
from notewell.types import Chunk, Note

__all__ = ["chunk", "parse"]


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return a chunk for each part, its headings without their marks."""
    return [replace(one, headings=tuple(map(_name, one.headings))) for one in parted.chunk(note, rules)]


def _name(heading: str) -> str:
    """Return a heading without its marks.

    >>> _name("## C#")
    'C#'
    """
    return heading.lstrip("#").strip() or heading

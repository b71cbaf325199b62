"""Documents that a reader wrote as Markdown: like Markdown, but without front matter."""

from __future__ import annotations

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.markdown import outline
from notewell.index.shapes.markdown import parse_body as parse
from notewell.index.shapes.sections import chunk_sections
from notewell.types.note import Chunk, Note

__all__ = ["chunk", "outline", "parse"]


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's chunks: its sections."""
    return chunk_sections(note, rules)

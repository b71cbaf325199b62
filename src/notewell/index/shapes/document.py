"""Documents that a reader turned into Markdown: as Markdown, but without front matter, and with bibliographies."""

from __future__ import annotations

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.markdown import outline
from notewell.index.shapes.markdown import parse_body as parse
from notewell.index.shapes.sections import chunk_sections
from notewell.types.note import Chunk, Note

__all__ = ["chunk", "outline", "parse"]


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's sections in chunks."""
    return chunk_sections(note, rules)

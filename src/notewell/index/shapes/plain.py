"""Plain text: paragraphs, merged into chunks that overlap a little."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from notewell.index.chunk import LONGEST_NAME, ChunkRules, Span, chunks_of, cut
from notewell.types import Chunk, Note


def parse(note: Note) -> Note:
    """Return the note with its title: the one it has beside its text, or the file's name."""
    return replace(note, title=note.title[:LONGEST_NAME] or PurePosixPath(note.path).stem)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's paragraphs in chunks."""
    return chunks_of(note, (((), run) for run in cut(note.text, Span(0, len(note.text)), rules.max_chars)))

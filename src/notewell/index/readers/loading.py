"""The reader and the shape of a format: modules, loaded with their libraries by the first file that needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from notewell.files.formats import TEXT, format_of
from notewell.index.chunk import ChunkRules
from notewell.index.readers.content import Content
from notewell.types.note import Chunk, Note


class Reader(Protocol):
    """Extracts the text of a file."""

    def extract(self, data: bytes) -> Content:
        """Return the file's text and parts, or raise `NoteError` with the reason why it has none."""


class Shape(Protocol):
    """Parses a text and cuts it into chunks."""

    def parse(self, note: Note) -> Note:
        """Return the note with its title, fields, links and outline."""

    def chunk(self, note: Note, rules: ChunkRules) -> list[Chunk]:
        """Return the note's chunks."""


def reader_of(name: str) -> Reader:
    """Return the reader of that name, or raise `ImportError` if a library it needs is not installed."""
    return cast(Reader, import_module(f"notewell.index.readers.{name}"))


def shape_of(path: str) -> Shape:
    """Return the shape of the file at a path."""
    return cast(Shape, import_module(f"notewell.index.shapes.{(format_of(path) or TEXT).shape}"))

"""The formats Notewell reads, a row each: its suffixes, the reader that extracts the text, and the shape that cuts it.

A new format is one row of `FORMATS` and one reader: a module in this folder with a function `extract(data) -> Content`.
It needs a new shape, a module in `index/shapes`, only if none of these fits: `markdown` and `document` (headings),
`plain` (paragraphs), `parted` (pages, rows or turns), `values` (keys), `code` (definitions).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol, cast

from notewell.index.chunk import ChunkRules
from notewell.index.readers.content import Content
from notewell.index.shapes.languages import SUFFIXES
from notewell.types.note import Chunk, Note


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file. A `sandboxed` reader runs in a process of its own, since it may hang or crash."""

    name: str
    suffixes: tuple[str, ...]
    reader: str
    shape: str
    sandboxed: bool = False
    extra: str = ""


# Any file can be read as text.
TEXT = Format("text", (".txt", ".text"), "text", "plain")
# A format's modules and their dependencies are loaded with the first file of that format.
FORMATS = (
    Format("Markdown", (".md", ".markdown"), "text", "markdown"),
    TEXT,
    Format("source code", SUFFIXES, "source", "code"),
    Format("Org", (".org",), "text", "org"),
    Format("reStructuredText", (".rst",), "text", "restructured"),
    Format("AsciiDoc", (".adoc", ".asciidoc"), "text", "asciidoc"),
    Format("CSV", (".csv", ".tsv"), "csv_rows", "parted", sandboxed=True),
    Format("PDF", (".pdf",), "pdf", "plain", sandboxed=True, extra="docs"),
    Format("Word", (".docx",), "docx", "document", sandboxed=True, extra="docs"),
    Format("PowerPoint", (".pptx",), "slides", "parted", sandboxed=True, extra="docs"),
    Format("HTML", (".html", ".htm", ".xhtml"), "html", "document", sandboxed=True, extra="docs"),
    Format("EPUB", (".epub",), "epub", "document", sandboxed=True, extra="docs"),
    Format("workbook", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook", "parted", sandboxed=True, extra="docs"),
    Format("JSON", (".json",), "json_values", "values", sandboxed=True),
    Format("JSON Lines", (".jsonl", ".ndjson"), "json_lines", "values", sandboxed=True),
    Format("YAML", (".yaml", ".yml"), "yaml_values", "values", sandboxed=True),
    Format("Jupyter notebook", (".ipynb",), "notebook", "parted", sandboxed=True),
)
BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}


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


def format_of(path: str) -> Format | None:
    """Return the format of a path by its suffix, or None if Notewell does not read it."""
    return BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def is_sandboxed(path: str) -> bool:
    """Tell whether the file at a path is read in the sandbox."""
    format = format_of(path)
    return format is not None and format.sandboxed


def reader_of(name: str) -> Reader:
    """Return the reader of that name, or raise `ImportError` if a library it needs is not installed."""
    return cast(Reader, import_module(f"notewell.index.readers.{name}"))


def shape_of(path: str) -> Shape:
    """Return the shape of the file at a path."""
    return cast(Shape, import_module(f"notewell.index.shapes.{(format_of(path) or TEXT).shape}"))

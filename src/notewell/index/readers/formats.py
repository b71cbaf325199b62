"""The formats Notewell reads, as data: by suffix, who makes text of the bytes, and which shape that text has."""

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
    """One kind of file. What is read `apart` is read in a process of its own, which may hang or crash."""

    name: str
    suffixes: tuple[str, ...]
    reader: str
    shape: str
    apart: bool = False
    extra: str = ""


# What any file can be taken for.
TEXT = Format("text", (".txt", ".text"), "text", "plain")
# A format's modules, and whatever they depend on, are loaded with the first file of that format.
FORMATS = (
    Format("Markdown", (".md", ".markdown"), "text", "markdown"),
    TEXT,
    Format("source code", SUFFIXES, "source", "code"),
    Format("Org", (".org",), "text", "org"),
    Format("reStructuredText", (".rst",), "text", "restructured"),
    Format("AsciiDoc", (".adoc", ".asciidoc"), "text", "asciidoc"),
    Format("CSV", (".csv", ".tsv"), "csv_rows", "parted", apart=True),
    Format("PDF", (".pdf",), "pdf", "plain", apart=True, extra="docs"),
    Format("Word", (".docx",), "docx", "document", apart=True, extra="docs"),
    Format("PowerPoint", (".pptx",), "slides", "parted", apart=True, extra="docs"),
    Format("HTML", (".html", ".htm", ".xhtml"), "html", "document", apart=True, extra="docs"),
    Format("EPUB", (".epub",), "epub", "document", apart=True, extra="docs"),
    Format("workbook", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook", "parted", apart=True, extra="docs"),
    Format("JSON", (".json",), "json_values", "values", apart=True),
    Format("JSON Lines", (".jsonl", ".ndjson"), "json_lines", "values", apart=True),
    Format("YAML", (".yaml", ".yml"), "yaml_values", "values", apart=True),
    Format("Jupyter notebook", (".ipynb",), "notebook", "parted", apart=True),
)
BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}


class Reader(Protocol):
    """How the bytes of a file become text."""

    def extract(self, data: bytes) -> Content:
        """Return the file's text and parts, or raise `NoteError` with the reason it has none."""


class Shape(Protocol):
    """How a text is cut."""

    def parse(self, note: Note) -> Note:
        """Return the note with what it says of itself: title, fields, links."""

    def chunk(self, note: Note, rules: ChunkRules) -> list[Chunk]:
        """Return the note's text in chunks."""


def format_of(path: str) -> Format | None:
    """Return the format of a path by its suffix, or nothing if it is none that is read."""
    return BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def is_apart(path: str) -> bool:
    """Tell whether such a file is read in a process apart."""
    format = format_of(path)
    return format is not None and format.apart


def reader_of(name: str) -> Reader:
    """Return the reader of that name; `ImportError`, if what it depends on is not installed."""
    return cast(Reader, import_module(f"notewell.index.readers.{name}"))


def shape_of(path: str) -> Shape:
    """Return the shape that the text of such a file has."""
    return cast(Shape, import_module(f"notewell.index.shapes.{(format_of(path) or TEXT).shape}"))

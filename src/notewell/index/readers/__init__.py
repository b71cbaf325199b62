"""The formats Notewell reads, as data: by suffix, who makes text of the bytes, and which shape that text has."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Protocol, cast

from notewell.errors import NoteError, NoteOutOfReach
from notewell.index.chunk import ChunkRules
from notewell.index.content import Content
from notewell.index.shapes.languages import SUFFIXES
from notewell.index.walk import Found, WalkRules
from notewell.types import Chunk, Note, Stamp


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file. What is read `apart` is read in a process of its own, which may hang or crash."""

    name: str
    suffixes: tuple[str, ...]
    reader: str
    shape: str
    apart: bool = False
    extra: str = ""


# A format's modules, and whatever they depend on, are loaded with the first file of that format.
FORMATS = (
    Format("Markdown", (".md", ".markdown"), "text", "markdown"),
    Format("text", (".txt", ".text"), "text", "plain"),
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
TEXT = FORMATS[1]
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


class Extractor(Protocol):
    """Who runs a reader: this process, or one apart from it."""

    def extract(self, format: Format, data: bytes) -> Content:
        """Return what the format's reader makes of the bytes, or raise `NoteError`."""


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
    format = BY_SUFFIX[PurePosixPath(path).suffix.lower()]
    return cast(Shape, import_module(f"notewell.index.shapes.{format.shape}"))


def load(root: Path, found: Found, rules: WalkRules) -> tuple[bytes, Stamp]:
    """Return a file's bytes, and its stamp with their digest."""
    if found.flaw:
        raise (NoteOutOfReach if found.closed else NoteError)(found.flaw, "Rename it, or check its permissions")
    limit, setting = (
        (rules.max_document_bytes, "index.max_document_bytes")
        if is_apart(found.path)
        else (rules.max_bytes, "index.max_bytes")
    )
    if found.stamp.size > limit:
        # Nothing was read, so trying again costs nothing, and the limit may be another then.
        raise NoteOutOfReach(f"{found.stamp.size:,} bytes, over the limit of {limit:,}", f"Raise {setting} to read it")
    try:
        data = _bytes_of(root / found.path, limit)
    except PermissionError as error:
        raise NoteOutOfReach("no permission to read it", "Check the file's permissions") from error
    except OSError as error:
        raise NoteOutOfReach(f"cannot be read: {error.strerror or error}", "Check the file") from error
    return data, found.stamp._replace(digest=hashlib.blake2b(data, digest_size=16).hexdigest())


def _bytes_of(file: Path, limit: int) -> bytes:
    """Return a file's bytes; what is no file any more since it was found, or has grown past the limit, is refused."""
    # A pipe in its place would be waited for, for ever.
    opened = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise NoteOutOfReach("no longer a file", "Check what it is")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise NoteOutOfReach(f"grew past the limit of {limit:,} bytes while it was read", "Index it again")
    return data


def read(path: str, data: bytes, stamp: Stamp, extractor: Extractor) -> Note:
    """Return a file's bytes as a note: its text, nothing taken out yet."""
    format = BY_SUFFIX[PurePosixPath(path).suffix.lower()]
    content = extractor.extract(format, data)
    return Note(path, content.text, stamp, content.title, parts=content.parts, warnings=content.warnings)

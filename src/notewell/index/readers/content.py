"""What a reader returns: text, its parts and its title, within limits that no harmful file can exceed."""

from __future__ import annotations

from dataclasses import replace

from notewell.errors import NoteError
from notewell.frozen import frozen
from notewell.types.note import Part


@frozen
class Content:
    """What a reader returns for a file: its text, where its parts start, a title if the file has one, and warnings."""

    text: str
    parts: tuple[Part, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()


# Characters of text that one file may have, a hundred times a long book.
MOST_TEXT = 32_000_000
# Parts of one file, such as pages, slides, cells or turns.
MOST_PARTS = 200_000
# Bytes that a zip file may unpack to, all its members together.
MOST_UNPACKED = 512 << 20
# Files that a zip file may contain.
MOST_MEMBERS = 50_000
# Columns of a sheet that are read.
MOST_COLUMNS = 1_000
# Bytes of memory that the sandbox process may use: six times the most that a file unpacks to, which leaves room for a
# library's own structures, and less than a small computer has.
MOST_MEMORY = 3 << 30
# Pages of a PDF, slides or chapters that are read.
MOST_PAGES = 5_000
# How deeply values may be nested.
DEEPEST = 100
# Characters in a cell; a table with longer cells is only the layout of a page.
LONGEST_CELL = 1_000
# Columns or rows that one cell may span.
MOST_SPAN = 100


def within_limits(content: Content) -> Content:
    """Return the content with valid Unicode, or raise `NoteError` if it is too much."""
    if len(content.text) > MOST_TEXT or len(content.parts) > MOST_PARTS:
        raise NoteError(
            f"too much text: {len(content.text):,} characters in {len(content.parts):,} parts",
            "Split it, or exclude it with index.exclude",
        )
    warnings = tuple(map(_whole, content.warnings))
    return replace(content, text=_whole(content.text), title=_whole(content.title), warnings=warnings)


def password_error() -> NoteError:
    """Return the error for a file that is protected by a password."""
    return NoteError("protected by a password", "Save it without a password")


def no_text_error(where: str) -> NoteError:
    """Return the error for a file without text, such as `no text in it`."""
    return NoteError(f"no text {where}", "Exclude it with index.exclude if it is not a note")


def not_text_error(why: str) -> NoteError:
    """Return the error for bytes that are not text, such as `not text: contains zero bytes`."""
    return NoteError(f"not text: {why}", "Exclude it with index.exclude if it is not a note")


def not_json_error(line: int) -> NoteError:
    """Return the error for a file that is not JSON."""
    return NoteError(f"not JSON at line {line:,}", "Repair it, or exclude it with index.exclude")


def _whole(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair, as in damaged files, cannot be encoded.
        return text.encode("utf-8", "replace").decode("utf-8")
    return text

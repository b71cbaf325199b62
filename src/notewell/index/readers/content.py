"""What a reader returns: text, its parts and its title, within limits that no harmful file can exceed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from notewell.errors import NoteError
from notewell.index.readers.writing import one_line
from notewell.types.note import Part


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader makes of a file's bytes: text, the parts it falls into, and the title it has beside its text."""

    text: str
    parts: tuple[Part, ...] = ()
    title: str = ""
    warnings: tuple[str, ...] = ()


# Characters of text that one file may become, a hundred times a long book.
MOST_TEXT = 32_000_000
# Pages, slides, cells, turns: as many as anybody would look at.
MOST_PARTS = 200_000
# Bytes that a packed file may unpack to, of all its members together.
MOST_UNPACKED = 512 << 20
# Files that a packed file may hold.
MOST_MEMBERS = 50_000
# Columns of a sheet: the first so many are read.
MOST_COLUMNS = 1_000
# Bytes of memory that the process apart may take: six times the most that a file unpacks to, so that there is room for
# what a library makes of it, and less than a small computer has.
MOST_MEMORY = 3 << 30
# Pages of a PDF, slides, chapters: the first so many are read.
MOST_PAGES = 5_000
# How deep values may stand in one another.
DEEPEST = 100
# Characters in a cell: a table that has longer ones only puts a page in order.
LONGEST_CELL = 1_000
# Columns, or rows, that one cell may reach over.
MOST_SPAN = 100


def limited(content: Content) -> Content:
    """Return the content, or refuse what is more than anybody would look at."""
    if len(content.text) > MOST_TEXT or len(content.parts) > MOST_PARTS:
        raise NoteError(
            f"more text than anybody reads: {len(content.text):,} characters in {len(content.parts):,} parts",
            "Split it, or exclude it by index.exclude",
        )
    warnings = tuple(map(_whole, content.warnings))
    return replace(content, text=_whole(content.text), title=_whole(content.title), warnings=warnings)


def locked() -> NoteError:
    """Return what is told of a file under a password."""
    return NoteError("protected by a password", "Save it without one")


def no_text(where: str) -> NoteError:
    """Return what is told of a file without text, such as `no text in it`."""
    return NoteError(f"no text {where}", "Exclude it by index.exclude if it is no note")


def not_text(why: str) -> NoteError:
    """Return what is told of bytes that are no text, such as `not text: it holds zero bytes`."""
    return NoteError(f"not text: {why}", "Exclude it by index.exclude if it is no note")


def not_json(line: int) -> NoteError:
    """Return what is told of a file that is not JSON."""
    return NoteError(f"not JSON at line {line:,}", "Mend it, or exclude it by index.exclude")


def _whole(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Half a character, as damaged files have, cannot be written anywhere.
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


# Titles that programs give to files whose authors gave them none.
NO_TITLE = re.compile(
    r"(?i)untitled.*|unbenannt.*|[^a-z\u0080-\uffff]*"
    r"|.*\.(?:docx?|docm|dotx?|pptx?|pptm|xls[bmx]?|od[pst]|rtf|pdf|e?ps|dvi|tex|indd|qxd|pub|wp[ds]|txt|md|html?|epub)"
    r"|(?:word |powerpoint[ -]?)?(?:document|dokument|presentation|präsentation|slide|title) ?\d*"
)
PROGRAM = re.compile(r"(?i)^microsoft (?:word|powerpoint|excel|office word) - ")


def sensible(title: str) -> str:
    """Return a title if a person gave it, or nothing.

    >>> sensible("Microsoft Word - Bees"), sensible("Document1"), sensible("final.docx"), sensible("Learning Vue.js")
    ('Bees', '', '', 'Learning Vue.js')
    """
    title = PROGRAM.sub("", one_line(title))
    return "" if NO_TITLE.fullmatch(title) else title


def joined(named: Iterable[tuple[str, str]], title: str = "", warnings: tuple[str, ...] = ()) -> Content:
    r"""Return named texts as one, a blank line between them; those without text have no part.

    >>> joined([("page 1", "one"), ("page 2", " "), ("page 3", "two\nthree")]).text
    'one\n\ntwo\nthree\n'
    """
    parts: list[Part] = []
    lines: list[str] = []
    for name, text in named:
        if stripped := text.strip("\n").rstrip():
            lines += [""] if lines else []
            parts.append(Part(len(lines) + 1, name))
            lines += stripped.split("\n")
    return Content("\n".join([*lines, ""]) if lines else "", tuple(parts), title, warnings)

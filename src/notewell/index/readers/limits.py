"""What protects from files made to harm, or made by mistake: no reader gives out or unpacks more than this."""

from __future__ import annotations

from dataclasses import replace

from notewell.errors import NoteError
from notewell.types import Content

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
# Bytes of memory that the process apart may take.
MOST_MEMORY = 3 << 30
# Pages of a PDF, slides, chapters: the first so many are read.
MOST_PAGES = 5_000
# How deep values may stand in one another.
DEEPEST = 100


def limited(content: Content) -> Content:
    """Return the content, or refuse what is more than anybody would look at."""
    if len(content.text) > MOST_TEXT or len(content.parts) > MOST_PARTS:
        raise NoteError(
            f"more text than anybody reads: {len(content.text):,} characters in {len(content.parts):,} parts",
            "Split it, or exclude it by index.exclude",
        )
    warnings = tuple(map(_whole, content.warnings))
    return replace(content, text=_whole(content.text), title=_whole(content.title), warnings=warnings)


def _whole(text: str) -> str:
    # Half a character, as damaged files have, cannot be written anywhere.
    return text.encode("utf-8", "replace").decode("utf-8")

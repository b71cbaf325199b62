"""Source code: plain text, unless it is minified."""

from __future__ import annotations

from notewell.errors import NoteError
from notewell.index.readers import text
from notewell.index.readers.content import Content

# Nobody writes a longer line of code, though a table of data may have a few.
LONGEST_LINE = 5000


def extract(data: bytes) -> Content:
    """Return the file's text, or raise `NoteError` if it is minified."""
    content = text.extract(data)
    if is_minified(content.text):
        raise NoteError("it is minified", "Index the source it was made from")
    return content


def is_minified(text: str) -> bool:
    """Tell whether most of a text is on lines too long to be written by hand.

    >>> is_minified("a();" * 2000), is_minified("a();\\n" * 2000)
    (True, False)
    """
    return 2 * sum(len(line) for line in text.split("\n") if len(line) > LONGEST_LINE) > len(text)

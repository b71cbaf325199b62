"""Source code as people write it: text, but not what a tool made of it."""

from __future__ import annotations

from notewell.errors import NoteError
from notewell.index.readers import text
from notewell.index.readers.content import Content

# Nobody writes or reads such a line; a table of data may have a few.
LONGEST_LINE = 5000


def extract(data: bytes) -> Content:
    """Return the file's text, or say why it is no source."""
    content = text.extract(data)
    if is_minified(content.text):
        raise NoteError("it is minified", "Index the source it was made from")
    return content


def is_minified(text: str) -> bool:
    """Tell whether most of a text stands on lines that nobody wrote.

    >>> is_minified("a();" * 2000), is_minified("a();\\n" * 2000)
    (True, False)
    """
    return 2 * sum(len(line) for line in text.split("\n") if len(line) > LONGEST_LINE) > len(text)

"""What excerpts do not show: comments of Obsidian and HTML, and the ids of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SIGNS = ("%%", "<!--", "^")
# Code comes first: a comment in an example is part of it. Of a comment, this is the sign that opens it.
APART = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}(?!`)|~{3,}(?!~))[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)|`[^`\n]+`"
    r"|(?P<comment>%%|<!--)|(?P<id>(?<!\S)\^[a-zA-Z0-9-]+[ \t]*$)",
    re.DOTALL | re.MULTILINE,
)
CLOSED_BY = {"%%": "%%", "<!--": "-->"}
# Formats in which these signs mean what they mean in Markdown.
MARKDOWN = (".md", ".markdown", ".canvas")

Span = tuple[int, int]


def hidden_spans(text: str, path: str) -> list[Span]:
    """Return the spans of a text that excerpts leave out.

    >>> hidden_spans("Bees %%ask Ann%% hum. ^b1", "a.md"), hidden_spans("`%%a%%`", "a.md")
    ([(4, 16), (21, 25)], [])
    """
    if not path.lower().endswith(MARKDOWN) or not any(sign in text for sign in SIGNS):
        return []
    return [(_before_spaces(text, start), end) for start, end in _signs(text)]


def _signs(text: str) -> Iterator[Span]:
    """Yield the spans of comments and ids; each part of the text is looked at once, however many signs it has."""
    unclosed, place = set[str](), 0
    while match := APART.search(text, place):
        place, sign = match.end(), match["comment"]
        if match["id"]:
            yield match.span()
        elif sign and sign not in unclosed:
            if (end := text.find(CLOSED_BY[sign], place)) < 0:
                unclosed.add(sign)
            else:
                place = end + len(CLOSED_BY[sign])
                yield match.start(), place


def _before_spaces(text: str, place: int) -> int:
    while place and text[place - 1] in " \t":
        place -= 1
    return place


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Return a text with spaces in place of these spans; lines and offsets stay.

    >>> blanked("Bees %%ask\\nAnn%% hum.", [(4, 16)])
    'Bees      \\n      hum.'
    """
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text

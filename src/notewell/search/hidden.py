"""What excerpts do not show: comments of Obsidian and HTML, and the ids of blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIGNS = ("%%", "<!--", "^")
# Code comes first: a comment in an example is part of it.
APART = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)|`[^`\n]+`"
    r"|(?P<hidden>[ \t]*%%.*?%%|[ \t]*<!--.*?-->|(?:^|[ \t]+)\^[a-zA-Z0-9-]+[ \t]*$)",
    re.DOTALL | re.MULTILINE,
)
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
    return [match.span("hidden") for match in APART.finditer(text) if match["hidden"]]


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Return a text with spaces in place of these spans; lines and offsets stay.

    >>> blanked("Bees %%ask\\nAnn%% hum.", [(4, 16)])
    'Bees      \\n      hum.'
    """
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text

"""Masking the parts of a text that contain no links: code, comments, formulas, escaped brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable

# The part that begins first wins: a link may have code in its text. Each part ends at the next of its delimiters, so
# that no text takes quadratic time. A backslash escapes the next character: `\$` begins no formula. Nor does money: a
# closing `$` has no space before it and no digit after it, and an inline formula does not span sentences. Every part
# begins with a fixed character, which makes the search many times faster.
APART = re.compile(
    r"\\[^\n]"
    r"|\[\[[^\[\]\n]{1,1500}\]\]|\[[^\[\]\n]{0,500}\](?=\()"
    r"|`(?<!``)(?P<fence>`{0,19}+)[^\n]{0,1000}?[^`\n]`(?P=fence)(?!`)"
    r"|%%[^%]*(?:%[^%]+)*%%|<!--.*?-->"
    r"|\$\$[^$]+\$\$|\$(?![\s$])[^$\n]{1,200}(?<!\s)\$(?!\d)",
    re.DOTALL,
)
# A fence in a quote or a callout, up to its end or that of the quote.
QUOTED_FENCE = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?>[> \t]*(?:[-*+][ \t]+)?(?P<marks>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*"
    r"(?>(?:\n[ \t]*>(?![> \t]*(?P=marks)[`~]*[ \t]*$)[^\n]*)*)(?:\n[ \t]*>[> \t]*(?P=marks)[^\n]*)?",
    re.MULTILINE,
)
SIGNS = re.compile(r"[`\\$]|%%|<!--")
# Below these, indented lines are not code: list items, footnotes, definitions, boxes, columns and tabs of websites,
# HTML tags. Mistaking code for text costs less than losing links.
HOLDS_INDENTED = re.compile(r"(?:[-*+:]|\d{1,9}[.)]|!!!|\?\?\?\+?|===)[ \t]|\[\^|:::|<|\{%")
INDENT = ("    ", "\t")


def blank_unlinked(text: str, fences: Iterable[tuple[int, int]]) -> str:
    """Return the text with code, comments and formulas blanked out; all other characters keep their offsets.

    >>> blank_unlinked("`[[a]]` [[b]] %%[[c]]%%", ())
    '        [[b]]          '
    """
    if not SIGNS.search(text) and "~~~" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end in fences:
        # The last line end stays, because the next line begins after it.
        parts += text[at:start], " " * (end - start - 1), text[end - 1]
        at = end
    text = QUOTED_FENCE.sub(_blank_lines, "".join((*parts, text[at:])))
    # A comment that never closes is text: one typo must not swallow the rest of a note.
    closed = text.rfind("-->") + 1
    return APART.sub(_blank, text[:closed] + text[closed:].replace("<!--", "    "))


def _blank_lines(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    # An escaped bracket opens no link; other escapes, and links, are kept.
    kept = found[0] == "[" or (found[0] == "\\" and found[1] not in "[]")
    return found if kept else " " * len(found)


class IndentedCode:
    """The indented code of one text; offsets must be asked for in ascending order."""

    def __init__(self, text: str, body: int) -> None:
        self._text = text
        self._body = body
        # By the offset of a line: whether it is code, and if not, whether code can follow it after a blank line.
        self._known: dict[int, tuple[bool, bool]] = {}

    def holds(self, offset: int) -> bool:
        """Return whether an offset is in indented code: after a blank line, and not in a list or the like."""
        start = self._line_start(offset)
        if not self._text.startswith(INDENT, start):
            return False
        held = _holds_indented(self._text[start:offset])
        self._known[start] = (False, False) if held else self._state(start)
        return self._known[start][0]

    def _state(self, start: int) -> tuple[bool, bool]:
        blank = False
        while start > self._body:
            start = self._line_start(start - 1)
            if start in self._known:
                code, possible = self._known[start]
                return code or (blank and possible), possible
            line = self._text[start : self._text.index("\n", start)]
            if not line.strip():
                blank = True
            elif _holds_indented(line):
                return False, False
            elif not line.startswith(INDENT):
                return blank, True
        return True, True

    def _line_start(self, offset: int) -> int:
        return max(self._body, self._text.rfind("\n", self._body, offset) + 1)


def _holds_indented(line: str) -> bool:
    return HOLDS_INDENTED.match(line.lstrip()) is not None

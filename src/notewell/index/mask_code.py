"""Text in which nothing is a link: code, comments, formulas, escaped brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What begins first counts: a link may have code in its text. Each part ends where the next of its signs stands, so that
# no text, however odd, is gone through again and again. A backslash takes its next character with it: `\$` begins no
# formula. Money is none either: a closing sign has no blank before it and no digit behind it, and no formula in a line
# goes on for sentences. Every part begins with a sign of its own, for which Python looks many times faster.
APART = re.compile(
    r"\\[^\n]"
    r"|\[\[[^\[\]\n]{1,1500}\]\]|\[[^\[\]\n]{0,500}\](?=\()"
    r"|`(?<!``)(?P<fence>`{0,19}+)[^\n]{0,1000}?[^`\n]`(?P=fence)(?!`)"
    r"|%%[^%]*(?:%[^%]+)*%%|<!--.*?-->"
    r"|\$\$[^$]+\$\$|\$(?![\s$])[^$\n]{1,200}(?<!\s)\$(?!\d)",
    re.DOTALL,
)
SIGNS = re.compile(r"[`\\$]|%%|<!--")
# Lines below these are indented without being code: items of lists, footnotes, definitions, boxes, columns and tabs of
# sites, tags of HTML. Code that is taken for text costs less than links that are lost.
HOLDS_INDENTED = re.compile(r"(?:[-*+:]|\d{1,9}[.)]|!!!|\?\?\?\+?|===)[ \t]|\[\^|:::|<|\{%")
INDENT = ("    ", "\t")


def blank_unlinked(text: str, fences: Iterable[tuple[int, int]]) -> str:
    """Return the text with all that holds no links blanked out, every other character in its place.

    >>> blank_unlinked("`[[a]]` [[b]] %%[[c]]%%", ())
    '        [[b]]          '
    """
    if not SIGNS.search(text) and "~~~" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end in fences:
        # The end of its last line stays: what follows begins a line.
        parts += text[at:start], " " * (end - start - 1), text[end - 1]
        at = end
    text = "".join((*parts, text[at:]))
    # A comment that never closes is text, and not looked for: one slip does not swallow the rest of a note.
    closed = text.rfind("-->") + 1
    return APART.sub(_blank, text[:closed] + text[closed:].replace("<!--", "    "))


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    # An escaped bracket is none; what else is escaped, and links, are kept.
    kept = found[0] == "[" or (found[0] == "\\" and found[1] not in "[]")
    return found if kept else " " * len(found)


class IndentedCode:
    """Code that is indented, in one text; links are asked for in their order."""

    def __init__(self, text: str, body: int) -> None:
        self._text = text
        self._body = body
        # By the offset of a line: whether it is code, and if not, whether what goes on below a blank line can be.
        self._known: dict[int, tuple[bool, bool]] = {}

    def holds(self, offset: int) -> bool:
        """Tell whether a place is in a block of indented lines, below a blank one, that nothing above has indented."""
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

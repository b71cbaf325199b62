"""Texts put together of named parts, such as pages, and titles that a person gave."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notewell.index.content import Content
from notewell.index.readers.lines import one_line
from notewell.types.note import Part

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

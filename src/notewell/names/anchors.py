"""Anchors, which a link can point at inside a note: headings, blocks, pages and HTML ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from notewell.names.suggest import SHOWN, suggest
from notewell.patterns import lazy_pattern
from notewell.terms import fold_case, plain_heading
from notewell.types.note import Chunk

HEADING = lazy_pattern(r"^[ \t>]{0,8}#{1,6}[ \t]+(.+?)[ \t\r#]*$", re.MULTILINE)
UNDERLINED = lazy_pattern(r"^[ >]{0,8}(\S[^\n]*)\n[ >]{0,8}(?:=+|-{2,})[ \t\r]*$", re.MULTILINE)
# After an embed, it needs no space before it.
BLOCK = lazy_pattern(r"(?:^|\s|\]\])\^([\w-]+)[ \t\r]*$", re.MULTILINE)
NAMED = lazy_pattern(r"<[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s<>]+)|\{:?\s*#([\w.:-]+)[^{}\n]{0,100}\}")
LINKED = lazy_pattern(r"\[([^\[\]\n]{1,500})\]\([^()\n]{0,1000}\)")
# Sites number headings with the same text.
NUMBER = lazy_pattern(r"-\d{1,3}$")
# Anchors that name no heading: the top of a page, text fragments of browsers, and tabs of a site (`tab/linux`).
EVERYWHERE = lazy_pattern(r"(?:top)?$|:~:|[^/]*/", re.IGNORECASE)
# Suggestions for one anchor in a list of broken links.
SUGGESTED = 2
# Comparing takes long: a note with more headings gets no suggestions.
MOST_HEADINGS = 300
NO_HEADING = "no such heading"
NO_BLOCK = "no such block"


class Anchors(NamedTuple):
    """The headings of a note as written, and its anchors without case, spaces and punctuation."""

    headings: tuple[str, ...]
    plain: frozenset[str]
    blocks: frozenset[str]

    @classmethod
    def of(cls, chunks: Sequence[Chunk], text: str = "") -> Anchors:
        """Return the anchors of a note's chunks, and of its whole `text`, which has lines that are in no chunk."""
        headings: dict[str, None] = {}
        names: set[str] = set()
        blocks: set[str] = set()
        for chunk in chunks:
            headings.update(dict.fromkeys(chunk.headings))
            names.update(part.name for part in chunk.parts)
        # Looking for one character first is many times faster than trying a pattern everywhere.
        for each in (*(chunk.text for chunk in chunks), text):
            underlined = UNDERLINED.findall(each) if "==" in each or "--" in each else ()
            headings.update(dict.fromkeys((*(HEADING.findall(each) if "#" in each else ()), *underlined)))
            names.update(one or other for one, other in (NAMED.findall(each) if "<" in each or "{" in each else ()))
            blocks.update(fold_case(block) for block in (BLOCK.findall(each) if "^" in each else ()))
        return cls(tuple(headings), frozenset(map(plain_heading, (*headings, *names))), frozenset(blocks))

    def problem(self, anchor: str) -> str:
        """Return what is wrong with an anchor, or nothing if the note has it."""
        heading, sign, block = anchor.rpartition("^")
        if sign and not heading.strip("#^ "):
            return "" if fold_case(block.strip()) in self.blocks else NO_BLOCK
        # A heading may contain `#`.
        found = self._has(anchor) or all(map(self._has, anchor.split("#")))
        return "" if found else NO_HEADING

    def near(self, anchor: str) -> tuple[str, ...]:
        """Return the headings that are most like an anchor."""
        if len(self.headings) > MOST_HEADINGS:
            return ()
        near = suggest(anchor, self.headings, limit=SUGGESTED, key=plain_heading)
        return tuple(LINKED.sub(r"\1", heading) for heading in near)

    def _has(self, name: str) -> bool:
        if EVERYWHERE.match(name.strip()):
            return True
        return bool({plain_heading(name), plain_heading(NUMBER.sub("", name))} & self.plain)


def suggest_headings(anchor: str, headings: Iterable[str]) -> list[str]:
    """Return the headings that are most like the last heading of an anchor, as written.

    >>> suggest_headings("Garden#hony", ["Honey", "Wax"])
    ['Honey']
    """
    return suggest(anchor.rpartition("#")[2], headings, limit=SHOWN, key=plain_heading)

"""What a link can point at inside a note: headings, blocks, pages, and places that HTML names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from notewell.names.paths import fold
from notewell.terms import plain_heading
from notewell.types.note import Chunk

HEADING = re.compile(r"^[ \t>]{0,8}#{1,6}[ \t]+(.+?)[ \t\r#]*$", re.MULTILINE)
UNDERLINED = re.compile(r"^[ >]{0,8}(\S[^\n]*)\n[ >]{0,8}(?:=+|-{2,})[ \t\r]*$", re.MULTILINE)
# Behind an embed, no blank is needed before it.
BLOCK = re.compile(r"(?:^|\s|\]\])\^([\w-]+)[ \t\r]*$", re.MULTILINE)
NAMED = re.compile(r"<[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s<>]+)|\{:?\s*#([\w.:-]+)[^{}\n]{0,100}\}")
LINKED = re.compile(r"\[([^\[\]\n]{1,500})\]\([^()\n]{0,1000}\)")
# Sites number headings that are the same.
NUMBER = re.compile(r"-\d{1,3}$")
# Anchors that name no heading: a page's top, browsers' own way to point at words, and tabs of a site (`tab/linux`).
EVERYWHERE = re.compile(r"(?:top)?$|:~:|[^/]*/", re.IGNORECASE)
NEAR = 2
# To compare takes long: a note with more headings than anyone reads has no hints.
MOST_HEADINGS = 300
# How it is told that a note has no such anchor.
NO_HEADING = "no such heading"
NO_BLOCK = "no such block"


@dataclass(frozen=True, slots=True)
class Anchors:
    """The headings of a note as written, and all that a link can point at, without case, spaces and signs."""

    headings: tuple[str, ...]
    plain: frozenset[str]
    blocks: frozenset[str]

    @classmethod
    def of(cls, chunks: Sequence[Chunk], text: str = "") -> Anchors:
        """Return the anchors of a note's chunks, and of its whole `text`, where what is in no chunk stands, too."""
        headings: dict[str, None] = {}
        names: set[str] = set()
        blocks: set[str] = set()
        for chunk in chunks:
            headings.update(dict.fromkeys(chunk.headings))
            names.update(part.name for part in chunk.parts)
        # To look for a sign first is many times faster than to try a pattern at every place.
        for each in (*(chunk.text for chunk in chunks), text):
            underlined = UNDERLINED.findall(each) if "==" in each or "--" in each else ()
            headings.update(dict.fromkeys((*(HEADING.findall(each) if "#" in each else ()), *underlined)))
            names.update(one or other for one, other in (NAMED.findall(each) if "<" in each or "{" in each else ()))
            blocks.update(fold(block) for block in (BLOCK.findall(each) if "^" in each else ()))
        return cls(tuple(headings), frozenset(map(plain_heading, (*headings, *names))), frozenset(blocks))

    def problem(self, anchor: str) -> str:
        """Return what is wrong with an anchor; nothing, if the note has it."""
        heading, sign, block = anchor.rpartition("^")
        if sign and not heading.strip("#^ "):
            return "" if fold(block.strip()) in self.blocks else NO_BLOCK
        # A heading may have the sign in it.
        found = self._has(anchor) or all(map(self._has, anchor.split("#")))
        return "" if found else NO_HEADING

    def near(self, anchor: str) -> tuple[str, ...]:
        """Return the headings that are most like an anchor."""
        if len(self.headings) > MOST_HEADINGS:
            return ()
        written = {plain_heading(heading): heading for heading in self.headings}
        return tuple(
            LINKED.sub(r"\1", written[each]) for each in get_close_matches(plain_heading(anchor), written, NEAR)
        )

    def _has(self, name: str) -> bool:
        if EVERYWHERE.match(name.strip()):
            return True
        return bool({plain_heading(name), plain_heading(NUMBER.sub("", name))} & self.plain)

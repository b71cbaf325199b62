"""AsciiDoc: headings start with equals signs or are underlined; blocks are between two equal lines."""

from __future__ import annotations

import re
from dataclasses import replace

from notewell.index.chunk import LONGEST_NAME
from notewell.index.shapes.sections import chunk_sections as chunk
from notewell.index.shapes.sections import file_links, matches_outside, top_heading, with_title
from notewell.types.note import Heading, Note, Outline, Span

__all__ = ["chunk", "outline", "parse"]

LANDMARK = re.compile(
    r"^(?:(?P<marks>={1,6}|\#{1,6})[ \t]+(?P<name>\S[^\n]*)|(?P<rule>([-.+/_=*~^])\4{3,}|```[^\n`]*+|\|===)[ \t\r]*)$",
    re.MULTILINE,
)
UNDERLINES = "=-~^+"
# By how many characters an underline may differ from its title.
SLACK = 2
# Blocks without headings: listings, literals, comments, passthroughs, tables.
FENCES = ("-", ".", "/", "+", "`", "|")
# Lines that may precede the title: comments, anchors, document attributes.
PREAMBLE = re.compile(r"(?:[ \t\r]*\n|//[^\n]*\n|\[\[[^\n]*\n|:[\w!-]+:[^\n]*\n)*")
LINK = re.compile(
    r"\b(?:xref|link|include):{1,2}(?P<path>[^\s\[\]#<>]{1,500})(?:#(?P<anchor>[^\s\[\]]{0,200}))?\[(?P<text>[^\[\]\n]{0,300})\]"
)


def parse(note: Note) -> Note:
    """Return the note with its title and its links to files."""
    found = outline(note.text)
    links = file_links(note, matches_outside(LINK.finditer(note.text), found.blocks))
    return replace(with_title(note, found.title), links=links, outline=found)


def outline(text: str) -> Outline:
    """Return the title, the headings and the blocks of a text."""
    headings: list[Heading] = []
    blocks: list[Span] = []
    inside: list[Heading] = []
    opened: re.Match[str] | None = None
    for mark in LANDMARK.finditer(text):
        if opened is not None and mark["rule"] and _closes(opened, mark):
            blocks.append(Span(opened.start(), min(mark.end() + 1, len(text))))
            opened = None
            inside.clear()
        elif heading := _heading(text, mark):
            (headings if opened is None else inside).append(heading)
        elif opened is None and mark["rule"] and mark["rule"][0] in FENCES:
            opened = mark
    # An unclosed block is plain text, so that one slip does not swallow the rest of a note.
    headings += inside
    return Outline(top_heading(text, headings, title_offset(text)), headings, blocks)


def title_offset(text: str) -> int:
    """Return the offset of the title, behind the lines that may precede it."""
    found = PREAMBLE.match(text)
    return found.end() if found else 0


def _closes(opened: re.Match[str], mark: re.Match[str]) -> bool:
    return mark["rule"] == (opened["rule"] if opened["rule"][0] != "`" else "```")


def _heading(text: str, mark: re.Match[str]) -> Heading | None:
    below = min(mark.end() + 1, len(text))
    if mark["marks"]:
        name = mark["name"].strip().removesuffix(mark["marks"]).strip()
        return Heading(len(mark["marks"]), name[:LONGEST_NAME], mark.start(), below)
    start = text.rfind("\n", 0, max(0, mark.start() - 1)) + 1
    name = text[start : mark.start()].strip()
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip()
    fits = name[:1].isalnum() and abs(len(name) - len(mark["rule"])) <= SLACK
    if mark["rule"][0] not in UNDERLINES or not fits or above:
        return None
    return Heading(UNDERLINES.index(mark["rule"][0]) + 1, name[:LONGEST_NAME], start, below)

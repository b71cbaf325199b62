"""reStructuredText: headings are underlined, some also overlined; literal blocks are indented."""

from __future__ import annotations

import re
from dataclasses import replace

from notewell.index.chunk import LONGEST_NAME
from notewell.index.shapes.sections import chunk_sections as chunk
from notewell.index.shapes.sections import file_links, matches_outside, top_heading, with_title
from notewell.types.note import Heading, Note, Outline, Span

__all__ = ["chunk", "outline", "parse"]

RULE = re.compile(r"^([!-/:-@\[-`{-~])\1+[ \t\r]*$", re.MULTILINE)
# The start of a literal block and of a comment, not underlines.
NO_RULES = ("::", "..")
# An underline shorter than its title is a slip, and still counts from this length on.
LONG_ENOUGH = 4
LITERAL = re.compile(
    r"(?:^\.\. (?:code|code-block|sourcecode|parsed-literal|highlight)::[^\n]*|::[ \t\r]*)\n"
    r"(?P<block>(?:[ \t]+\S[^\n]*(?:\n|\Z)|[ \t\r]*\n)+)",
    re.MULTILINE,
)
DOC = re.compile(r":doc:`(?:(?P<text>[^`<>\n]{0,300})<)?(?P<path>[^`<>\n]{1,500})>?`")
FILE = re.compile(r"(?<![:`\w])`(?P<text>[^`<>\n]{1,300})<(?P<path>[^`<>\s]{1,500})>`__?")


def parse(note: Note) -> Note:
    """Return the note with its title and its links to files."""
    found = outline(note.text)
    matches = sorted((*DOC.finditer(note.text), *FILE.finditer(note.text)), key=lambda match: match.start())
    links = file_links(note, matches_outside(matches, found.blocks))
    return replace(with_title(note, found.title), links=links, outline=found)


def outline(text: str) -> Outline:
    """Return the title, headings and literal blocks of a text; heading levels are numbered as they first appear."""
    literal = (match for match in LITERAL.finditer(text) if match["block"].strip())
    blocks = [Span(match.start("block"), match.end("block")) for match in literal]
    levels: dict[tuple[str, bool], int] = {}
    headings: list[Heading] = []
    past = 0
    for rule in matches_outside(RULE.finditer(text), blocks):
        if rule.start() >= past and (titled_by := _title(text, rule, past)):
            name, start, is_over = titled_by
            level = levels.setdefault((rule[1], is_over), len(levels) + 1)
            past = min(rule.end() + 1, len(text))
            headings.append(Heading(level, name[:LONGEST_NAME], start, past))
    return Outline(top_heading(text, headings), headings, blocks)


def _title(text: str, rule: re.Match[str], past: int) -> tuple[str, int, bool] | None:
    """Return the title above an underline, where it starts, and whether it is also overlined; or None."""
    line, start = _line_above(text, rule.start(), past)
    name = line.strip()
    signs = rule.group().strip()
    if not name or signs in NO_RULES or RULE.match(line) or len(signs) < min(len(name), LONG_ENOUGH):
        return None
    above, over = _line_above(text, start, past)
    if above.strip() == signs:
        return name, over, True
    # After a paragraph the line belongs to it; indented, it is a quotation.
    return None if above.strip() or line[0].isspace() else (name, start, False)


def _line_above(text: str, at: int, past: int) -> tuple[str, int]:
    """Return the line before the one at `at`, and where it starts; an empty line if it would start before `past`."""
    if at <= past:
        return "", at
    start = max(past, text.rfind("\n", past, at - 1) + 1)
    return text[start : at - 1], start

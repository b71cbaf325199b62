"""Org: headings by stars, blocks between `#+begin_` and `#+end_`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from notewell.index.chunk import LONGEST_NAME, ChunkRules, Span
from notewell.index.shapes.outlined import Outline, file_links, outside, titled
from notewell.index.shapes.sections import Heading, chunk_sections
from notewell.types import Chunk, Note

HEADING = re.compile(r"^(\*{1,20})[ \t]+(\S[^\n]*)$", re.MULTILINE)
MARK = re.compile(r"^[ \t]*#\+(?:(?P<side>begin|end)_(?P<kind>\w+)|(?P<key>\w+):(?P<value>[^\n]*))", re.M | re.I)
# Where a file defines its own words for what is to do and what is done, these are taken as well.
STATES = frozenset({"todo", "done", "next", "waiting", "wait", "hold", "started", "someday", "cancelled", "canceled"})
STATE_KEYS = ("todo", "seq_todo", "typ_todo")
PRIORITY = re.compile(r"\[#\w{1,2}\][ \t]*")
TAGS = re.compile(r"(?:^|[ \t]):[\w@#%:]+:$")
LINK = re.compile(
    r"\[\[(?:file:|(?=\.{1,2}/))(?P<path>[^\[\]\n]{1,500}?)(?:::(?P<anchor>[^\[\]\n]{0,500}))?\]"
    r"(?:\[(?P<text>[^\[\]\n]{0,500})\])?\]"
)


def parse(note: Note) -> Note:
    """Return the note with its title, its tags, and its links to files."""
    fields = dict(reversed(keywords(note.text)))
    tags = [tag for tag in fields.get("filetags", "").replace(":", " ").split() if tag]
    links = file_links(note, outside(LINK.finditer(note.text), outline(note.text).blocks))
    return replace(titled(note, outline(note.text).title), fields={"tags": tags} if tags else {}, links=links)


def chunk(note: Note, rules: ChunkRules) -> list[Chunk]:
    """Return the note's sections in chunks."""
    found = outline(note.text)
    return chunk_sections(note, found.headings, found.blocks, rules)


@lru_cache(maxsize=4)
def outline(text: str) -> Outline:
    """Return the title, the headings and the blocks of a text."""
    written = keywords(text)
    own = {word.split("(")[0].lower() for key, value in written if key in STATE_KEYS for word in value.split()}
    found = blocks(text)
    headings = [
        Heading(len(match[1]), _name(match[2], STATES | own), match.start(), min(match.end() + 1, len(text)))
        for match in outside(HEADING.finditer(text), found)
    ]
    return Outline(next((value for key, value in written if key == "title"), ""), headings, found)


def keywords(text: str) -> list[tuple[str, str]]:
    """Return what lines such as `#+title: Rye` say, in order.

    >>> keywords("#+TITLE: Rye\\n#+filetags: :bread:")
    [('title', 'Rye'), ('filetags', ':bread:')]
    """
    return [(match["key"].lower(), match["value"].strip()) for match in MARK.finditer(text) if match["key"]]


def blocks(text: str) -> list[Span]:
    """Return the blocks of a text; one that never ends is none."""
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for mark in MARK.finditer(text):
        if opened is None:
            opened = mark if (mark["side"] or "").lower() == "begin" else None
        elif (mark["side"] or "").lower() == "end" and mark["kind"].lower() == opened["kind"].lower():
            end = text.find("\n", mark.end())
            found.append(Span(opened.start(), len(text) if end < 0 else end + 1))
            opened = None
    return found


def _name(written: str, states: frozenset[str]) -> str:
    """Return a heading without its state, its priority and its tags."""
    state, _, rest = written.strip().partition(" ")
    name = rest.strip() if state.isupper() and state.lower() in states else written.strip()
    return TAGS.sub("", PRIORITY.sub("", name, count=1)).strip()[:LONGEST_NAME]

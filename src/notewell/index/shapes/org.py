"""Org: headings start with stars, blocks are between `#+begin_` and `#+end_`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from notewell.index.chunk import LONGEST_NAME
from notewell.index.shapes.sections import chunk_sections as chunk
from notewell.index.shapes.sections import file_links, matches_outside, with_title
from notewell.types.note import Heading, Note, Outline, Span

__all__ = ["chunk", "outline", "parse"]

HEADING = re.compile(r"^(\*{1,20})[ \t]+(\S[^\n]*)$", re.MULTILINE)
MARK = re.compile(r"^[ \t]*#\+(?:(?P<side>begin|end)_(?P<kind>\w+)|(?P<key>\w+):(?P<value>[^\n]*))", re.M | re.I)
# Task states; a file may define more of its own.
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
    found = outline(note.text)
    links = file_links(note, matches_outside(LINK.finditer(note.text), found.blocks))
    return replace(with_title(note, found.title), fields={"tags": tags} if tags else {}, links=links, outline=found)


def outline(text: str) -> Outline:
    """Return the title, the headings and the blocks of a text."""
    written = keywords(text)
    own = {word.split("(")[0].lower() for key, value in written if key in STATE_KEYS for word in value.split()}
    found, states = blocks(text), STATES | own
    headings = [
        Heading(len(match[1]), _name(match[2], states), match.start(), min(match.end() + 1, len(text)))
        for match in matches_outside(HEADING.finditer(text), found)
    ]
    return Outline(next((value for key, value in written if key == "title"), ""), headings, found)


def keywords(text: str) -> list[tuple[str, str]]:
    """Return the keys and values of lines such as `#+title: Rye`, in order.

    >>> keywords("#+TITLE: Rye\\n#+filetags: :bread:")
    [('title', 'Rye'), ('filetags', ':bread:')]
    """
    return [(match["key"].lower(), match["value"].strip()) for match in MARK.finditer(text) if match["key"]]


def blocks(text: str) -> list[Span]:
    """Return the outermost blocks of a text; an unclosed one is plain text."""
    found: list[Span] = []
    opened: list[re.Match[str]] = []
    kinds: Counter[str] = Counter()
    for mark in MARK.finditer(text):
        side, kind = (mark["side"] or "").lower(), (mark["kind"] or "").lower()
        if side == "begin":
            opened.append(mark)
            kinds[kind] += 1
        elif side == "end" and kinds[kind]:
            # Blocks opened inside and not closed by now are never closed.
            while (begin := opened.pop())["kind"].lower() != kind:
                kinds[begin["kind"].lower()] -= 1
            kinds[kind] -= 1
            while found and found[-1].start > begin.start():
                found.pop()
            end = text.find("\n", mark.end())
            found.append(Span(begin.start(), len(text) if end < 0 else end + 1))
    return found


def _name(written: str, states: frozenset[str]) -> str:
    """Return a heading without its state, its priority and its tags."""
    state, _, rest = written.strip().partition(" ")
    name = rest.strip() if state.isupper() and state.lower() in states else written.strip()
    return TAGS.sub("", PRIORITY.sub("", name, count=1)).strip()[:LONGEST_NAME]

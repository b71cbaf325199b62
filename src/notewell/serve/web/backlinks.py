"""Links that lead to a note, each with the sentence it is in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notewell.files.control_chars import escaped
from notewell.frozen import frozen
from notewell.graph.link_report import NoteLink
from notewell.index.links import MARKDOWN, WIKI
from notewell.search.sentences import Unit, find_sentences
from notewell.serve.web.obsidian import label_in, label_of
from notewell.store import Snapshot
from notewell.types.note import Chunk

# More than anyone reads beside a note; the number of all is given too.
MOST = 50
# Characters of a sentence.
LONGEST = 280
# Lines of a paragraph above and below a link, for sentences over several lines.
AROUND = 3
MARKUP = re.compile(r"^[ \t>]*(?:#{1,6} |[-*+] (?:\[.\] )?|\d{1,9}[.)] )?|\*\*|__|==|`|(?<=\s)\^[\w-]+$", re.MULTILINE)


@frozen
class Backlink:
    """A link of another note, with the sentence around it."""

    path: str
    """The note that links here."""
    title: str
    """Its title."""
    line: int
    """The line of the link."""
    text: str
    """The sentence it is in, without markup."""
    label: str
    """What the link shows in that sentence."""


def backlinks_of(snapshot: Snapshot, links: Sequence[NoteLink]) -> tuple[Backlink, ...]:
    """Return the first of these links, with their sentences."""
    few = links[:MOST]
    chunks = {path: _chunks(snapshot, path) for path in dict.fromkeys(link.path for link in few)}
    return tuple(_backlink(link, chunks[link.path]) for link in few)


def _chunks(snapshot: Snapshot, path: str) -> Sequence[Chunk]:
    return list(snapshot.chunks(snapshot.chunks_of(path)).values())


def _backlink(link: NoteLink, chunks: Sequence[Chunk]) -> Backlink:
    label = link.text or label_of(link.target, link.anchor)
    around = next((chunk for chunk in chunks if chunk.line <= link.line <= chunk.end_line), None)
    text = sentence_around(around.text, link.line - around.line, link.written) if around else label
    title = chunks[0].title if chunks else link.path
    return Backlink(link.path, escaped(title), link.line, escaped(text), escaped(label))


def sentence_around(text: str, row: int, written: str) -> str:
    """Return the sentence of a text that has a link in row `row`, without markup.

    >>> sentence_around("- It rains. See the *wet*\\n  [[Garden|lawn]] there. Yes.", 1, "[[Garden|lawn]]")
    'See the *wet* lawn there.'
    """
    lines = text.split("\n")
    first, last = row, row
    while first > max(0, row - AROUND) and lines[first - 1].strip() and not _begins(lines[first]):
        first -= 1
    while last + 1 < min(len(lines), row + AROUND) and lines[last + 1].strip() and not _begins(lines[last + 1]):
        last += 1
    block = "\n".join(lines[first : last + 1])
    at = max(0, block.find(written))
    units = find_sentences(block, Unit(0, len(block)))
    unit = next((unit for unit in units if unit.start <= at < unit.end), Unit(0, len(block)))
    return _shortened(block[unit.start : unit.end], at - unit.start)


def _begins(line: str) -> bool:
    """Tell whether a line begins a list item, a heading, a row or a quote."""
    return line.lstrip()[:1] in tuple("-*+#|>") or line.lstrip()[:1].isdigit()


def _shortened(sentence: str, at: int) -> str:
    """Return a sentence without markup, cut around the link at an offset if it is long."""
    start = max(0, at - LONGEST // 2) if len(sentence) > 2 * LONGEST else 0
    plain = " ".join(MARKUP.sub("", MARKDOWN.sub(r"\2", WIKI.sub(label_in, sentence[start:]))).split())
    plain = " · ".join(part.strip() for part in plain.split("|") if part.strip()) if plain.startswith("|") else plain
    return f"{'…' if start else ''}{plain[:LONGEST]}{'…' if len(plain) > LONGEST else ''}"

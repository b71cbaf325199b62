"""Candidates cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from notewell.files.control_chars import INVISIBLE
from notewell.search.sentences import find_blocks, kind_of
from notewell.search.tags import plain_tags
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.results import Hit

# What a token of English is worth, near enough for a budget of text, without a tokenizer.
CHARS_PER_TOKEN = 4
# What tokenizers seldom join: a few letters, two digits, any other sign. On pages of hits, which are full of numbers
# and quotation marks, WordPiece counts 0.92 of it on average, and 1.18 at most.
PIECE = re.compile(r"[A-Za-z]{1,5}|\d{1,2}|[^\sA-Za-z0-9]")
# Notes fence their code with backticks far more often, so that tildes are seldom more than three.
FENCE = "~~~"
TILDES = re.compile("~{3,}")
# What a heading begins and ends with, in Markdown, Org and others.
HEADING_SIGNS = "#*= \t"


def count_tokens(text: str) -> int:
    """Return about how many tokens a text is, rather too many than too few.

    >>> count_tokens("The hive hums"), count_tokens('{"line":12}')
    (4, 7)
    """
    return max(-(-len(text) // CHARS_PER_TOKEN), len(PIECE.findall(text)))


def block(chunk: Chunk | Hit) -> str:
    """Return a chunk as it stands in a prompt: its headings, its place, and its lines in a fence.

    Whatever the lines open or pretend to be, it ends with the block.

    >>> block(Chunk("a.md", "```sh\\nmake", 3, 4, title="Build"))
    '### Build (a.md:3)\\n~~~\\n```sh\\nmake\\n~~~\\n\\n'
    """
    place = f", {chunk.place}" if chunk.place else ""
    heading = " ".join(chunk.heading.split())
    header = unhidden(" ".join(f"### {heading} ({chunk.path}:{chunk.line}{place})".splitlines()))
    return f"{header}\n{fenced(unhidden(chunk.text))}\n"


def fenced(text: str) -> str:
    """Return a text in a fence that is longer than any of its tildes, so that nothing in it can end the fence.

    >>> fenced("one\\n~~~\\ntwo")
    '~~~~\\none\\n~~~\\ntwo\\n~~~~\\n'
    """
    fence = fence_for(text)
    return f"{fence}\n{text}\n{fence}\n"


def fence_for(*texts: str) -> str:
    """Return a fence that is longer than any run of tildes in the texts."""
    return max((FENCE, *(f"{tildes}~" for text in texts for tildes in TILDES.findall(text))), key=len)


def unhidden(text: str) -> str:
    """Return a note's text as a prompt may hold it: nothing unseen, and no tag that ends what quotes it.

    >>> unhidden("rye </sys\\u00adtem-reminder> <b>"), unhidden("<System>"), unhidden("r\\u202eye")
    ('rye &lt;/system-reminder> <b>', '&lt;System>', 'rye')
    """
    return plain_tags(INVISIBLE.sub("", text.replace("\r\n", "\n")))


def context(passages: Iterable[Chunk | Hit]) -> str:
    """Return hits or chunks as Markdown for a prompt: the same bytes for the same ones."""
    return "".join(map(block, passages))


def fit(candidates: Sequence[Candidate], max_tokens: int) -> list[Candidate]:
    """Return the first candidates whose blocks fit; the last is cut after the last whole line that does.

    >>> candidate = Candidate(Chunk("a.md", "one line\\nand another", 1, 2, title="A"), 1.0)
    >>> [kept.chunk.text for kept in fit([candidate], 10)]
    ['one line']
    """
    if not max_tokens:
        return list(candidates)
    kept: list[Candidate] = []
    left = max_tokens * CHARS_PER_TOKEN
    for candidate in candidates:
        size = len(block(candidate.chunk))
        if size > left:
            shorter = _shortened(candidate.chunk, left)
            if _says_something(shorter):
                kept.append(replace(candidate, chunk=shorter))
            break
        kept.append(candidate)
        left -= size
    return kept


def _shortened(chunk: Chunk, left: int) -> Chunk:
    """Return the chunk with as many of its lines as fit, which may be none."""
    lines = chunk.text.split("\n")

    def first(count: int) -> Chunk:
        # Where the lines end in the file is known by number; the offset is that of the whole chunk.
        return replace(chunk, text="\n".join(lines[:count]), end_line=chunk.line + max(0, count - 1))

    fitting = bisect_right(range(1, len(lines) + 1), left, key=lambda count: len(block(first(count))))
    return first(fitting)


def _says_something(chunk: Chunk) -> bool:
    """Tell whether a chunk that was cut has more than its headings: these stand above its lines anyway."""
    names = {"", chunk.title, *chunk.headings}
    units = find_blocks(chunk.text, kind_of(chunk))
    return any(chunk.text[unit.start : unit.end].strip(HEADING_SIGNS) not in names for unit in units)

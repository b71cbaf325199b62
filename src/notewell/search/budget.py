"""Hits cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notewell.types import Chunk, Hit

# What a token of English is worth, near enough for a budget, without a tokenizer.
CHARS_PER_TOKEN = 4
# Code begins and ends with such a line, also in a list or a quote.
FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


def block(chunk: Chunk) -> str:
    """Return a chunk as it stands in a prompt: its headings, its place, its lines.

    A fence that its lines leave open is closed: it would take in the blocks that follow.

    >>> block(Chunk("a.md", "```sh\\nmake", 3, 4, title="Build"))
    '### Build (a.md:3)\\n\\n```sh\\nmake\\n```\\n\\n'
    """
    place = f", {chunk.place}" if chunk.place else ""
    heading = " ".join(chunk.heading.split())
    fence = open_fence(chunk.text)
    closed = f"{chunk.text.rstrip()}\n{fence}" if fence else chunk.text
    return f"### {heading} ({chunk.path}:{chunk.line}{place})\n\n{closed}\n\n"


def open_fence(text: str) -> str:
    """Return the fence that a text opens and does not close, or nothing.

    >>> open_fence("````md\\n```\\n"), open_fence("~~~\\na\\n~~~"), open_fence("```a``` is code")
    ('````', '', '')
    """
    fence = ""
    for mark, rest in FENCE.findall(text):
        if not fence:
            # Backticks that are closed in the same line are code in a sentence.
            fence = "" if mark[0] == "`" and "`" in rest else mark
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
    return fence


def context(hits: Sequence[Hit]) -> str:
    """Return hits as a block of Markdown for a prompt: the same bytes for the same hits."""
    return "".join(block(hit.chunk) for hit in hits)


def fit(hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """Return the first hits whose blocks fit; the last is cut after the last whole line that does.

    >>> hit = Hit(Chunk("a.md", "one line\\nand another", 1, 2, title="A"), 1.0)
    >>> [kept.chunk.text for kept in fit([hit], 8)]
    ['one line']
    """
    if not max_tokens:
        return list(hits)
    kept: list[Hit] = []
    left = max_tokens * CHARS_PER_TOKEN
    for hit in hits:
        size = len(block(hit.chunk))
        if size > left:
            shorter = _shortened(hit.chunk, left)
            if shorter.text.strip():
                kept.append(replace(hit, chunk=shorter))
            break
        kept.append(hit)
        left -= size
    return kept


def _shortened(chunk: Chunk, left: int) -> Chunk:
    """Return the chunk with as many of its lines as fit, which may be none."""
    shorter = chunk
    while shorter.text and (over := len(block(shorter)) - left) > 0:
        # What is too much goes, and the rest of its line; a fence that is then open takes a line more.
        text = shorter.text[: max(0, len(shorter.text) - over) + 1].rpartition("\n")[0]
        # Where the lines end in the file is known by number; the offset is that of the whole chunk.
        shorter = replace(chunk, text=text, end_line=chunk.line + text.count("\n"))
    return shorter

"""Hits cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.types import Chunk, Hit

# What a token of English is worth, near enough for a budget, without a tokenizer.
CHARS_PER_TOKEN = 4


def block(chunk: Chunk) -> str:
    """Return a chunk as it stands in a prompt: its headings, its place, its lines."""
    place = f", {chunk.place}" if chunk.place else ""
    return f"### {chunk.heading} ({chunk.path}:{chunk.line}{place})\n\n{chunk.text}\n\n"


def context(hits: Sequence[Hit]) -> str:
    """Return hits as a block of Markdown for a prompt: the same bytes for the same hits."""
    return "".join(block(hit.chunk) for hit in hits)


def fit(hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """Return the first hits whose blocks fit; the last is cut after the last whole line that does.

    >>> hit = Hit(Chunk("a.md", "one line\\nand another", 1, 2, title="A"), 1.0, {})
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
            room = len(hit.chunk.text) - (size - left)
            text = hit.chunk.text[: room + 1].rpartition("\n")[0] if room > 0 else ""
            if text.strip():
                kept.append(replace(hit, chunk=_shortened(hit.chunk, text)))
            break
        kept.append(hit)
        left -= size
    return kept


def _shortened(chunk: Chunk, text: str) -> Chunk:
    # Where the lines end in the file is known by number; the offset is that of the whole chunk.
    return replace(chunk, text=text, end_line=chunk.line + text.count("\n"))

"""Hits cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from notewell.types import Chunk, Hit

# What a token of English is worth, near enough for a budget, without a tokenizer.
CHARS_PER_TOKEN = 4


def fit(hits: Sequence[Hit], max_tokens: int, *, frame: Callable[[Chunk], str] = lambda chunk: "") -> list[Hit]:
    """Return the first hits whose text, each with its `frame`, fits; the last is cut after a whole line.

    >>> hit = Hit(Chunk("a.md", "one line\\nand another", 1, 2), 1.0, {})
    >>> [kept.chunk.text for kept in fit([hit], 4)]
    ['one line']
    """
    if not max_tokens:
        return list(hits)
    kept: list[Hit] = []
    left = max_tokens * CHARS_PER_TOKEN
    for hit in hits:
        left -= len(frame(hit.chunk))
        text = hit.chunk.text
        if len(text) <= left:
            kept.append(hit)
            left -= len(text)
            continue
        text = text[: left + 1].rpartition("\n")[0] if left > 0 else ""
        if text.strip():
            kept.append(replace(hit, chunk=_shortened(hit.chunk, text)))
        break
    return kept


def frame(chunk: Chunk) -> str:
    """Return what stands around a chunk in a context block: its heading, its place, and blank lines."""
    return f"### {chunk.heading} ({chunk.path}:{chunk.line})\n\n\n\n"


def context(hits: Sequence[Hit]) -> str:
    """Return hits as a block of Markdown for a prompt: the same bytes for the same hits."""
    return "".join(f"{frame(hit.chunk)[:-2]}{hit.chunk.text}\n\n" for hit in hits)


def _shortened(chunk: Chunk, text: str) -> Chunk:
    return replace(chunk, text=text, end_line=chunk.line + text.count("\n"), end=chunk.start + len(text))

"""Hits cut to a budget of tokens, so that a page of them fits into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.types import Hit

# What a token of English is worth, near enough for a budget, without a tokenizer.
CHARS_PER_TOKEN = 4


def fit(hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """Return the first hits whose text fits; the last is cut after the last whole line that does.

    >>> from notewell.types import Chunk
    >>> hit = Hit(Chunk("a.md", "one line\\nand another", 1, 2), 1.0, {})
    >>> [kept.chunk.text for kept in fit([hit], 4)]
    ['one line']
    """
    if not max_tokens:
        return list(hits)
    kept: list[Hit] = []
    left = max_tokens * CHARS_PER_TOKEN
    for hit in hits:
        text = hit.chunk.text
        if len(text) > left:
            text = text[:left].rpartition("\n")[0].rstrip()
        if text:
            lines = text.count("\n")
            chunk = replace(hit.chunk, text=text, end_line=hit.chunk.line + lines, end=hit.chunk.start + len(text))
            kept.append(hit if text == hit.chunk.text else replace(hit, chunk=chunk))
        if text != hit.chunk.text:
            break
        left -= len(text)
    return kept

"""Tokens of a text by the static model's tokenizer: their number and their places."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache

from tokenizers import Tokenizer

from notewell.embed import DEFAULT_MODEL
from notewell.types.note import Span


@lru_cache(maxsize=16)
def token_starts(text: str) -> list[int]:
    """Return where each token of a text begins."""
    return [start for start, _ in _tokenizer().encode(text, add_special_tokens=False).offsets]


def tokens_in(text: str, span: Span) -> int:
    """Return how many tokens begin in a span of a text."""
    starts = token_starts(text)
    return bisect_left(starts, span.end) - bisect_left(starts, span.start)


def first_tokens(text: str, span: Span, tokens: int) -> Span:
    """Return the beginning of a span, up to a number of tokens."""
    starts = token_starts(text)
    end = bisect_left(starts, span.start) + tokens
    return Span(span.start, min(span.end, starts[end])) if end < len(starts) else span


@cache
def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(DEFAULT_MODEL / "tokenizer.json"))
    tokenizer.no_truncation()
    return tokenizer

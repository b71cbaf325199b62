"""Long runs of the characters that tokens are made of: where a token may be that no name announces."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Shorter ones are words, names and numbers.
_SHORTEST = 16
_IN_RUN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=~%|")
_AS_SIGNS = bytes(ord("x" if code in _IN_RUN else " ") for code in range(256))
_TWO_DIGITS = re.compile(r"\d\D*+\d")


def long_runs(text: str) -> Iterator[int]:
    """Yield where each long run with two digits begins.

    >>> list(long_runs("see 0123456789abcdef and 0123"))
    [4]
    """
    # One byte for each character, so that offsets agree.
    signs = text.encode("latin-1", "replace").translate(_AS_SIGNS) + b" "
    at = signs.find(b"x" * _SHORTEST)
    while at >= 0:
        end = signs.find(b" ", at)
        if _TWO_DIGITS.search(text, at, end):
            yield at
        at = signs.find(b"x" * _SHORTEST, end)

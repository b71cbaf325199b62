"""How wide a text is on a terminal, and lines that fit into its window."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO
from unicodedata import category, east_asian_width

import click

# Lines below a list item's first begin below its text.
HANGING = re.compile(r"\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)*(?:\[.\]\s+)?")
# A colour code, or a character with the accents that follow it.
SIGN = re.compile(r"\x1b\[[\d;]*m|[^\x1b][\u0300-\u036f\u200d\ufe0f]*")
# No line begins with one of these.
CLOSING = "、。，．：；！？）」』】》〉・ー"


def width_of(text: str) -> int:
    """Return how many columns a text takes on a terminal: wide characters take two, combining ones none.

    >>> width_of("bees"), width_of("蜂🐝"), width_of("u\u0308ber")
    (4, 4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if _combines(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def _combines(character: str) -> bool:
    """Tell whether a character is shown together with the one before it: an accent, or part of an emoji."""
    return category(character) in ("Mn", "Me", "Cf")


def columns_of(stream: TextIO, otherwise: int = 80) -> int:
    """Return the width of the window that a stream writes to; a command in the daemon knows that of its client."""
    with suppress(OSError, ValueError):
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(stream.fileno()).columns or otherwise
    return otherwise


def wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces that fit, cut between words, or anywhere in a script without spaces.

    A word that is too long, such as an address, is left to the terminal, so that it can be copied whole.

    >>> list(wrapped("- rye needs more water", 12))
    ['- rye needs', '  more water']
    >>> list(wrapped("蜂の巣が夏に鳴る。", 10))
    ['蜂の巣が夏', 'に鳴る。']
    """
    hanging = HANGING.match(click.unstyle(line))
    indent = min(hanging.end() if hanging else 0, width // 2)
    held, space, begin = "", "", ""
    for piece in _pieces(line, width - indent):
        if piece.isspace():
            space = piece
        elif held and width_of(click.unstyle(begin + held + space + piece)) > width:
            yield begin + held
            held, space, begin = piece, "", " " * indent
        else:
            held, space = held + space + piece, ""
    yield begin + held


def _pieces(line: str, width: int) -> Iterator[str]:
    """Yield the parts of a line that stay whole: words, spaces, and the signs of words that are too wide."""
    for word in re.findall(r" +|[^ ]+", line):
        if word.isascii() or width_of(click.unstyle(word)) <= width:
            yield word
        else:
            yield from _signs(word)


def _signs(word: str) -> Iterator[str]:
    """Yield the wide signs of a word, and what is between them; a closing sign stays with the one before."""
    held, after_wide = "", False
    for sign in SIGN.findall(word):
        is_wide = width_of(sign) == 2
        if held and (is_wide or after_wide) and sign not in CLOSING and not sign.startswith("\x1b"):
            yield held
            held = ""
        held += sign
        after_wide = is_wide
    yield held

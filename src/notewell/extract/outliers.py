"""Which lines of a log are unlike the others: what a list of words for errors does not know is mostly among them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import isqrt

# Of each form so many lines stay, the first ones: none that occurs no more often loses a line.
OF_EACH = 3
# Longer lines are told apart by their beginning.
LONGEST = 2_000
# A word of letters, whatever stands around it; others are numbers, paths and names of things.
WORD = re.compile(r"[\"'`‘“(\[{<]*[^\W\d_]+(?:['’][^\W\d_]+)*[\"'`’”)\]}>.,;:!?]*")
SIGNS = re.compile(r"[\W_]+")
AGAIN = re.compile(r"(.)\1+")
# What stands in a form for a number, a path or the like, and for a word that few lines have.
THING, RARE = "#", "*"


def unusual_lines(lines: Sequence[str]) -> list[int]:
    """Return the places of the lines of which there are no more than a few of the same form before, the rarest first.

    A form is a line without its numbers, paths and names. A name is a word that few lines have; a line of nothing but
    such words is like no other.

    >>> unusual_lines([*(f"test rye_{n} ... ok" for n in range(9)), "test oat ... slow"])
    [9, 0, 1, 2]
    """
    told = [_tokens(line) for line in lines]
    held = Counter(token for tokens in told for token in set(tokens))
    first = Counter(tokens[0] for tokens in told if tokens)
    # The more lines, the more often a name that is no part of any form turns up.
    often = max(OF_EACH, isqrt(len(lines)))
    fixed = {token for token, times in held.items() if times >= often}
    begins = {token for token, times in first.items() if times >= OF_EACH} | fixed
    forms = [_form(tokens, fixed, begins) for tokens in told]
    times, seen = Counter(forms), Counter[str]()
    found: list[int] = []
    for place, form in enumerate(forms):
        seen[form] += 1
        # Words that few lines have make no form.
        if form and (seen[form] <= OF_EACH or (RARE in form and not form.strip(f"{RARE}{THING} "))):
            found.append(place)
    return sorted(found, key=lambda place: times[forms[place]])


def _tokens(line: str) -> list[str]:
    return [_token(word) for word in line[:LONGEST].replace("=", " = ").split()]


def _token(word: str) -> str:
    if WORD.fullmatch(word):
        return word
    # A row of dots is one, however long.
    return AGAIN.sub(r"\1", word) if SIGNS.fullmatch(word) else THING


def _form(tokens: Sequence[str], fixed: set[str], begins: set[str]) -> str:
    kept = [
        token if token == THING or token in (fixed if place else begins) else RARE for place, token in enumerate(tokens)
    ]
    return " ".join(kept)

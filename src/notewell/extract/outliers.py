"""The lines of a log that are unlike the others, which include most errors that no list of words knows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import isqrt

# The first lines of each form are outliers: a form that occurs no more often than this loses no line.
PER_FORM = 3
# Longer lines are compared by their beginning.
LONGEST = 2_000
# A word of letters, with quotes, brackets and punctuation; anything else is a number, a path or a name.
WORD = re.compile(r"[\"'`‘“(\[{<]*[^\W\d_]+(?:['’][^\W\d_]+)*[\"'`’”)\]}>.,;:!?]*")
PUNCTUATION = re.compile(r"[\W_]+")
REPEATED = re.compile(r"(.)\1+")
# In a form, these stand for a number, path or name, and for a word that few lines have.
THING, RARE = "#", "*"


def outliers(lines: Sequence[str]) -> list[int]:
    """Return the places of the first few lines of each form, the rarest form first.

    A form is a line without its numbers, paths and names. A name is a word that few lines have; a line of names alone
    is like no other.

    >>> outliers([*(f"test rye_{n} ... ok" for n in range(9)), "test oat ... slow"])
    [9, 0, 1, 2]
    """
    tokens = [_tokens(line) for line in lines]
    lines_with = Counter(token for line in tokens for token in set(line))
    lines_beginning = Counter(line[0] for line in tokens if line)
    # The more lines there are, the more often a mere name turns up.
    often = max(PER_FORM, isqrt(len(lines)))
    fixed = {token for token, times in lines_with.items() if times >= often}
    beginnings = {token for token, times in lines_beginning.items() if times >= PER_FORM} | fixed
    forms = [_form(line, fixed, beginnings) for line in tokens]
    total, seen = Counter(forms), Counter[str]()
    found: list[int] = []
    for place, form in enumerate(forms):
        seen[form] += 1
        is_names_only = RARE in form and not form.strip(f"{RARE}{THING} ")
        if form and (seen[form] <= PER_FORM or is_names_only):
            found.append(place)
    return sorted(found, key=lambda place: total[forms[place]])


def _tokens(line: str) -> list[str]:
    return [_token(word) for word in line[:LONGEST].replace("=", " = ").split()]


def _token(word: str) -> str:
    if WORD.fullmatch(word):
        return word
    # A row of dots is one token, however long.
    return REPEATED.sub(r"\1", word) if PUNCTUATION.fullmatch(word) else THING


def _form(tokens: Sequence[str], fixed: set[str], beginnings: set[str]) -> str:
    parts = [
        token if token == THING or token in (fixed if place else beginnings) else RARE
        for place, token in enumerate(tokens)
    ]
    return " ".join(parts)

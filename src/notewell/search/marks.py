"""Marks: where the terms of a plan are in the texts of a page, found for all texts at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from notewell.terms import ACCENT, RANGES, TOKEN, prefix_term, token_terms

# Letters, digits and bytes beyond ASCII stay; any other byte becomes a space.
SPACES = bytes(byte if byte > 127 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
# Characters beyond ASCII that are not letters or digits.
SIGN = re.compile(r"[^\w\x00-\x7f]")
# Names such as C++: the signs belong to the word. From the sign on, as few texts have one and all have letters.
SIGNED = re.compile(r"[#+](?:(?<=[A-Za-z]#)|(?<=[A-Za-z]\+)\+)")
# Words whose terms are cached; about 6 MB.
MOST_FORMS = 25_000
NONE: frozenset[str] = frozenset()


class Mark(NamedTuple):
    """The span of a word that has wanted terms, and which terms."""

    start: int
    end: int
    terms: frozenset[str]


def find_marks(texts: Sequence[str], terms: frozenset[str]) -> list[list[Mark]]:
    """Return the marks of each text, in order.

    >>> find_marks(["The loaves rise.", "A loaf"], frozenset(["loav", "rise"]))[0][1]
    Mark(start=11, end=15, terms=frozenset({'rise'}))
    """
    spaced = [_spaced(text) for text in texts]
    tokens = [set(only.split() if only else TOKEN.findall(text)) for only, text in zip(spaced, texts, strict=True)]
    # Texts of a page repeat each other's words: each is looked up once.
    matching = _matching(set().union(*tokens), terms)
    return [
        _places(f" {only} ", matching.keys() & words, matching) if only else _unspaced(text, matching)
        for text, only, words in zip(texts, spaced, tokens, strict=True)
    ]


def _spaced(text: str) -> str:
    """Return a text with a space for every character outside of words; nothing if words cannot be told by spaces.

    Finding words between spaces takes a third of the time of matching them.
    """
    if SIGNED.search(text):
        return ""
    if not text.isascii():
        # Scripts without spaces begin above all others that notes usually have.
        if max(text) >= RANGES[0][0] or ACCENT.search(text):
            return ""
        text = SIGN.sub(" ", text)
    return text.encode().translate(SPACES).decode()


def _matching(tokens: set[str], wanted: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the tokens that have wanted terms, with these terms."""
    matching: dict[str, frozenset[str]] = {}
    forms = _forms.add(tokens)
    for term in wanted:
        if term.endswith("*"):
            found = {token for token in tokens if prefix_term(token).startswith(term[:-1])}
        else:
            found = tokens.intersection(forms.get(term, ()))
        for token in found:
            matching[token] = matching.get(token, NONE) | {term}
    return matching


class _Forms:
    """A cache of tokens by their terms: a word that was seen before costs next to nothing."""

    def __init__(self) -> None:
        # One pair, so that both are replaced in one step: another thread keeps using the pair it has.
        self._held: tuple[set[str], dict[str, list[str]]] = (set(), {})

    def add(self, tokens: set[str]) -> dict[str, list[str]]:
        """Add tokens and return all of them by their terms; threads may do so at the same time.

        A cache that is too large is emptied first.
        """
        if len(self._held[0]) > MOST_FORMS:
            self._held = (set(), {})
        met, of_term = self._held
        for token in tokens - met:
            # Not through its cache, which would hold the same words once more.
            for term in token_terms.__wrapped__(token):
                # A list is small; if two threads add a token at once, it is there twice, which does no harm.
                of_term.setdefault(term, []).append(token)
            met.add(token)
        return of_term


_forms = _Forms()


def _places(padded: str, tokens: set[str], matching: dict[str, frozenset[str]]) -> list[Mark]:
    """Return the marks of these tokens in a text with an additional space at each end."""
    marks: list[Mark] = []
    for token in tokens:
        between, length, terms = f" {token} ", len(token), matching[token]
        at = padded.find(between)
        while at >= 0:
            marks.append(Mark(at, at + length, terms))
            at = padded.find(between, at + length + 1)
    marks.sort()
    return marks


def _unspaced(text: str, matching: dict[str, frozenset[str]]) -> list[Mark]:
    return [Mark(*match.span(), matching[match[0]]) for match in TOKEN.finditer(text) if match[0] in matching]

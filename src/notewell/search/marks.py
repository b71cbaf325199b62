"""Where the wanted terms of a plan stand in the texts of a page, found for all of its texts at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from notewell.terms import TOKEN, UNSPACED, prefix_term, token_terms

# Bytes of letters, digits and of what is not ASCII stay, any other becomes a space.
SPACES = bytes(byte if byte > 127 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
# What is not ASCII, and no letter or digit either.
SIGN = re.compile(r"[^\w\x00-\x7f]")
# Scripts without spaces, accents apart from their letters, and names such as C++: those take the tokeniser.
NOT_BY_SPACES = re.compile(rf"[{UNSPACED}\u0300-\u036f]|[A-Za-z](?:\+\+|#)")
# Words of which the terms are remembered; some 8 MB.
MOST_FORMS = 25_000
NONE: frozenset[str] = frozenset()


class Mark(NamedTuple):
    """Where a word stands that has wanted terms, and which."""

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
    told = _told(set().union(*tokens), terms)
    return [
        _places(f" {only} ", told.keys() & words, told) if only else _unspaced(text, told)
        for text, only, words in zip(texts, spaced, tokens, strict=True)
    ]


def _spaced(text: str) -> str:
    """Return a text of the same length with spaces for all that is in no word; nothing where that does not do.

    Looking for words between spaces takes a third of the time that matching them takes.
    """
    if NOT_BY_SPACES.search(text):
        return ""
    if not text.isascii():
        text = SIGN.sub(" ", text)
    return text.encode().translate(SPACES).decode()


def _told(tokens: set[str], wanted: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the tokens that have wanted terms, and which."""
    told: dict[str, frozenset[str]] = {}
    forms = _forms.meet(tokens)
    for term in wanted:
        if term.endswith("*"):
            found = {token for token in tokens if prefix_term(token).startswith(term[:-1])}
        else:
            found = forms.get(term, set()) & tokens
        for token in found:
            told[token] = told.get(token, NONE) | {term}
    return told


class _Forms:
    """The tokens that were met, by their terms: a word that was met before costs next to nothing."""

    def __init__(self) -> None:
        # One pair, so that both are begun anew in one step: another thread goes on with the pair it has.
        self._held: tuple[set[str], dict[str, set[str]]] = (set(), {})

    def meet(self, tokens: set[str]) -> dict[str, set[str]]:
        """Take in tokens and return all by their terms; two threads may do so at once.

        When they are too many, they are begun anew.
        """
        if len(self._held[0]) > MOST_FORMS:
            self._held = (set(), {})
        met, of_term = self._held
        for token in tokens - met:
            for term in token_terms(token):
                of_term.setdefault(term, set()).add(token)
            met.add(token)
        return of_term


_forms = _Forms()


def _places(padded: str, tokens: set[str], told: dict[str, frozenset[str]]) -> list[Mark]:
    """Return the marks of these tokens in a text that begins and ends with an additional space."""
    marks: list[Mark] = []
    for token in tokens:
        between, length, terms = f" {token} ", len(token), told[token]
        at = padded.find(between)
        while at >= 0:
            marks.append(Mark(at, at + length, terms))
            at = padded.find(between, at + length + 1)
    marks.sort()
    return marks


def _unspaced(text: str, told: dict[str, frozenset[str]]) -> list[Mark]:
    return [Mark(*match.span(), told[match[0]]) for match in TOKEN.finditer(text) if match[0] in told]

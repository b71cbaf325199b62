"""Spelling: replacements for words that no note contains, by other spellings, one typo, or parts of longer words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeGuard

from notewell.embed import Embedder
from notewell.store import Matching
from notewell.terms import TOKEN, common_terms, fold, is_unspaced, stem, stop_terms, token_terms
from notewell.types.candidates import Candidate
from notewell.types.notices import Notice
from notewell.types.query import Plan

# A shorter word is one typo away from too many others, and part of too many.
SHORTEST = 4
# The first letter is seldom mistyped; in shorter words, another one often makes a different word.
LONG = 6
# A longer word is not a typo, and has too many neighbours to look up.
LONGEST = 30
# A word has to be this much longer than one that it contains: craft is not made of raft.
REST = 2
# The most replacements of a word, the most frequent first: rarer ones are usually noise.
TYPOS = 3
HOLDING = 20
LISTED = 200
# Typos are only guessed in shorter queries: in a longer question, what looks like a typo is often a name. Without this,
# SciFact loses .002.
FEW = 8
# The most words of a query that are looked up.
LOOKED_UP = 8
UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue"}
# Letters that may join the halves of a compound: Arbeit-s-zimmer, Blume-n-topf.
JOINT = 2
ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


class Replacement(NamedTuple):
    """Terms that replace the term of a word, and the explanation for the user."""

    term: str
    stand_ins: tuple[str, ...]
    read_as: str


class BreaksWords(Protocol):
    """An embedder that can say which words its tokenizer breaks up."""

    def pieces(self, word: str) -> int:
        """Return the number of pieces that the tokenizer makes of a word."""


def breaks_words(embedder: Embedder | None) -> TypeGuard[BreaksWords]:
    """Tell whether an embedder can say that; `isinstance` with a protocol takes 16 µs, several times in a search."""
    return hasattr(embedder, "pieces")


def replace_unknown(plan: Plan, store: Matching, embedder: Embedder | None = None) -> Plan:
    """Return the plan with replacements for those of its words that no note contains.

    A word that the embedder's tokenizer knows whole is no typo of another: "beer" is not "bear".
    """
    single = {word: terms[0] for word in plan.words if len(terms := token_terms(word)) == 1 and terms[0] in plan.terms}
    # A word of which notes have another form is none of these.
    known = {*store.counts(set(single.values())).by_term, *plan.stand_ins}
    questionable = [(word, term) for word, term in single.items() if _is_questionable(word, term in known)][:LOOKED_UP]
    breaks = embedder if breaks_words(embedder) else None
    typos = {word for word, _ in questionable if len(plan.written) <= FEW and not (breaks and breaks.pieces(word) == 1)}
    made = [
        (word, _replace(word, term, store, known=term in known, typos_too=word in typos)) for word, term in questionable
    ]
    replacements = [found for _, found in made if found]
    more = [term for found in replacements for term in found.stand_ins]
    return plan._replace(
        terms=tuple(dict.fromkeys((*plan.terms, *more))) if more else plan.terms,
        stand_ins={
            **plan.stand_ins,
            **{found.term: (*plan.stand_ins.get(found.term, ()), *found.stand_ins) for found in replacements},
        },
        read_as=(*plan.read_as, *(found.read_as for found in replacements)),
        guessed=tuple(word for word, found in made if found and found.term not in known and not _is_character(word)),
    )


def find_replaced(plan: Plan, page: Sequence[Candidate]) -> Iterator[Notice]:
    """Yield a notice for each unknown word, with what was found instead, as the notes of the page spell it."""
    tokens = {token for one in page for token in TOKEN.findall(one.chunk.text)} if plan.guessed else ()
    spelt: dict[str, set[str]] = {}
    for token in tokens:
        for term in token_terms(token):
            spelt.setdefault(term, set()).add(token.lower())
    for word in plan.guessed:
        near = frozenset(typos(fold(word)))
        found = (sorted(spelt[term]) for term in plan.stand_ins[token_terms(word)[0]] if term in spelt)
        # Of the words with one term, the one that is a typo away, or else the shortest: encryption, not encrypted.
        instead = tuple(min(words, key=lambda other: (fold(other) not in near, len(other))) for words in found)[:TYPOS]
        if instead:
            yield Notice("searched_instead", {"word": word, "instead": instead})
        else:
            yield Notice("unknown_word", {"word": word})


def _is_character(word: str) -> bool:
    """Tell whether a word is one character of a script without spaces, which are stored in pairs."""
    return len(word) == 1 and is_unspaced(word)


def _is_questionable(word: str, known: bool) -> bool:
    """Tell whether another term may be meant: the word is unknown, or can be written in two ways."""
    if _is_character(word):
        return True
    wordlike = word.isalpha() and len(word) <= LONGEST
    return wordlike and (not known or not UMLAUTS.keys().isdisjoint(word.lower()))


def _replace(word: str, term: str, store: Matching, *, known: bool, typos_too: bool) -> Replacement | None:
    """Return the replacement of a word, by the first method that finds one."""
    if _is_character(word):
        return _part(word, term, store.terms_like(term, HOLDING))
    if found := _in_notes(spellings(word), term, store):
        return _instead(word, term, found)
    if known or len(term) < SHORTEST or term in common_terms():
        return None
    holding = [other for other in store.terms_like(term, LISTED) if len(other) >= len(term) + REST]
    # A beginning or end of another word is a word itself, not a typo: Haltung in Bienenhaltung is not "halting".
    if ends := [other for other in holding if _is_part(fold(word), term, other)]:
        return _part(word, term, ends)
    if typos_too and (found := _in_notes(typos(fold(word)), term, store)):
        return _instead(word, term, found)
    return _part(word, term, [other for other in holding if fold(word) in other]) or _compound(word, term, store)


def _is_part(word: str, term: str, other: str) -> bool:
    """Tell whether a word begins or ends another, whose term is stemmed, as this one's is.

    >>> _is_part("mitte", "mitt", "mittagsruh"), _is_part("renderer", "render", "datatablerender")
    (False, True)
    """
    return other.startswith(word) or other.endswith(term)


def _instead(word: str, term: str, found: Mapping[str, str]) -> Replacement:
    described = " or ".join(f"'{other}'" for other in found)
    return Replacement(term, tuple(found), f"'{word}' also as {described}")


def _part(word: str, term: str, holding: Sequence[str]) -> Replacement | None:
    described = ", ".join(f"'{other}'" for other in holding[:TYPOS])
    return Replacement(term, tuple(holding[:HOLDING]), f"'{word}' as part of {described}") if holding else None


def _compound(word: str, term: str, store: Matching) -> Replacement | None:
    """Return the two words of a compound, if notes contain both."""
    pairs = [(pair, (stem(pair[0]), stem(pair[1]))) for pair in halves(fold(word))]
    known = store.counts({term for _, terms in pairs for term in terms}).by_term
    for pair, terms in pairs:
        if known.keys() >= set(terms):
            described = " and ".join(f"'{half}'" for half in pair)
            return Replacement(term, terms, f"'{word}' as {described}")
    return None


def _in_notes(spelt: Iterable[str], term: str, store: Matching) -> dict[str, str]:
    """Return the terms of these spellings that notes contain, the most frequent first, each with its first spelling."""
    terms: dict[str, str] = {}
    for word in spelt:
        terms.setdefault(stem(fold(word)), word)
    often = store.counts(terms.keys() - {term} - stop_terms()).by_term
    best = sorted(often, key=lambda found: (-often[found], found))[:TYPOS]
    return {found: terms[found] for found in best}


def spellings(word: str) -> list[str]:
    """Return how else a word may be typed: umlauts with an e, or such an e as an umlaut.

    >>> spellings("Müller"), spellings("Mueller"), spellings("rye")
    (['mueller'], ['müller'], [])
    """
    word = unicodedata.normalize("NFC", word.lower())
    longer, shorter = word, word
    for umlaut, written in UMLAUTS.items():
        longer, shorter = longer.replace(umlaut, written), shorter.replace(written, umlaut)
    return [spelt for spelt in (longer, shorter) if spelt != word]


def halves(word: str) -> list[tuple[str, str]]:
    """Return the pairs of words that may form a compound, the most even first; up to two letters may join them.

    >>> ("arbeit", "zimmer") in halves("arbeitszimmer")
    True
    """
    cuts = [
        (word[:cut], word[cut + joint :])
        for cut in range(SHORTEST, len(word) - SHORTEST + 1)
        for joint in range(JOINT + 1)
        if len(word) - cut - joint >= SHORTEST
    ]
    return sorted(cuts, key=lambda pair: (len(word) - len(pair[0]) - len(pair[1]), -min(map(len, pair))))


def typos(word: str) -> list[str]:
    """Return the words that differ by one letter: swapped, missing, added or replaced, the likeliest first.

    >>> len(typos("loaf")), typos("loaf")[:3]
    (183, ['olaf', 'laof', 'lofa'])
    """
    alphabet = next((letters for letters in ALPHABETS if word[0] in letters), "")
    first = 0 if len(word) >= LONG else 1
    cuts = [(word[:place], word[place:]) for place in range(first, len(word) + 1)]
    # A swap is likely anywhere, since no letter is wrong.
    swapped = [word[:place] + word[place + 1] + word[place] + word[place + 2 :] for place in range(len(word) - 1)]
    longer = [head + letter + tail for head, tail in cuts for letter in alphabet]
    shorter = [head + tail[1:] for head, tail in cuts if tail]
    other = [head + letter + tail[1:] for head, tail in cuts if tail for letter in alphabet]
    return list(dict.fromkeys((*swapped, *longer, *shorter, *other)))

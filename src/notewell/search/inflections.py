"""Inflections: other forms of a query's words that notes contain, by the languages of the query and of the vault.

Terms are stemmed as English, whatever the language of a note. Other languages are stemmed when a query is read: the
terms of the vault that have the same stem in its language stand in for a word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from pathlib import Path

import Stemmer

from notewell.store import Matching
from notewell.terms import fold, stem, token_terms
from notewell.types.query import Plan

ENGLISH = "english"
# Words that a text of some length contains, and that seldom occur in another language. Most of them say that a vault
# has notes in this language.
MARKERS = {
    "german": ("und", "nicht", "eine", "werden", "sich"),
    "french": ("les", "dans", "une", "avec", "sont"),
    "spanish": ("los", "las", "una", "pero", "como"),
    "italian": ("gli", "della", "nella", "sono", "anche"),
    "portuguese": ("uma", "não", "são", "pelo", "seu"),
    "dutch": ("het", "een", "van", "niet", "voor"),
}
ENOUGH_MARKERS = 3
# The share of the chunks that has to contain a marker: large vaults quote a sentence in any language.
LEAST_SHARE = 0.002
# Shorter words are seldom inflected, and their stems are those of other words.
SHORTEST = 4
# An inflection is at most this much longer than the word: what is longer still is a compound.
ENDING = 4
# Words of a query that are looked up: the first ones.
LOOKED_UP = 12
# Terms with the same beginning that are read for each: the most frequent.
READ = 200
# Other forms of a word that are matched.
FORMS = 12


def add_inflections(plan: Plan, store: Matching) -> Plan:
    """Return the plan with the other forms of its words that notes contain, in the languages they may be in."""
    words, possible = _inflected(plan), query_languages(plan.words)
    if not words or not possible or not (languages := possible & vault_languages(store)):
        return plan
    forms = {term: found for term, word in words.items() if (found := _forms(word, term, languages, store))}
    more = dict.fromkeys(form for found in forms.values() for form in found)
    described = tuple(f"'{words[term]}' also as {', '.join(found[:3])}" for term, found in forms.items())
    return plan._replace(
        terms=tuple(dict.fromkeys((*plan.terms, *more))) if more else plan.terms,
        stand_ins={**plan.stand_ins, **forms},
        read_as=(*plan.read_as, *described),
    )


def _inflected(plan: Plan) -> dict[str, str]:
    """Return the words of a plan that may have other forms, by their terms."""
    words = ((token_terms(word), fold(word)) for word in plan.words if word.isalpha() and len(word) >= SHORTEST)
    single = {terms[0]: word for terms, word in words if len(terms) == 1 and terms[0] in plan.terms}
    return dict(list(single.items())[:LOOKED_UP])


def query_languages(words: Collection[str]) -> frozenset[str]:
    """Return the languages besides English that a query may be in: by its function words, or all if it has none.

    >>> sorted(query_languages(["wie", "lagert", "man", "Äpfel"])), sorted(query_languages(["the", "apples"]))
    (['german'], [])
    >>> len(query_languages(["Äpfel"]))
    6
    """
    folded = {fold(word) for word in words}
    shared = {language: len(folded & known) for language, known in _function_words().items()}
    most = max(shared.values())
    return frozenset(language for language, count in shared.items() if count == most) - {ENGLISH}


def vault_languages(store: Matching) -> frozenset[str]:
    """Return the languages besides English that notes are written in, by the words that every text has."""
    terms = _marker_terms()
    counts = store.counts(frozenset().union(*terms.values()))
    common = {term for term, held in counts.by_term.items() if held >= LEAST_SHARE * counts.chunks}
    return frozenset(language for language, markers in terms.items() if len(markers & common) >= ENOUGH_MARKERS)


@cache
def _marker_terms() -> Mapping[str, frozenset[str]]:
    return {language: frozenset(token_terms(word)[0] for word in words) for language, words in MARKERS.items()}


def _forms(word: str, term: str, languages: Collection[str], store: Matching) -> tuple[str, ...]:
    """Return the terms of other forms of a word, the most frequent first."""
    found: dict[str, None] = {}
    for language in sorted(languages):
        wanted = {stem_in(language, word), stem_in(language, term)}
        start = min(wanted, key=len)
        if len(start) < SHORTEST - 1:
            continue
        near = store.terms_like(start[: max(SHORTEST - 1, len(start) - 1)], READ, longest=len(word) + ENDING)
        found.update((other, None) for other in near if stem_in(language, other) in wanted)
    return tuple(other for other in found if other != term and len(other) >= SHORTEST)[:FORMS]


@lru_cache(maxsize=50_000)
def stem_in(language: str, word: str) -> str:
    """Return the stem of a folded word or of a term in a language, the same for both.

    >>> stem_in("german", "fruhlinge") == stem_in("german", "fruhlings"), stem_in("spanish", "canciones")
    (True, 'cancion')
    """
    stemmed: str = stem(_stemmer(language).stemWord(word))
    return stemmed


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    lines = Path(__file__).with_name("languages.txt").read_text(encoding="utf-8").splitlines()
    return {language: frozenset(map(fold, words)) for language, *words in map(str.split, lines)}

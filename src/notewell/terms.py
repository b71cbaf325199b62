"""Text to terms for lexical search: folded and stemmed, with identifiers whole and by part."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

import Stemmer

# Scripts written without spaces; a run of them is matched by its pairs of characters.
RANGES = (
    ("\u3040", "\u30ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7af"),
    ("\uf900", "\ufaff"),
)
UNSPACED = "".join(f"{first}-{last}" for first, last in RANGES)
# C++, C++17, g++, C#, F#: the signs are part of the name.
SIGNED = r"[A-Za-z](?:\+\+(?:\d\d)?|#)(?!\w)"
# Accents may be separate characters, as macOS writes them. Each mention of the ranges takes a millisecond to compile.
LETTERS, ACCENTS = rf"[^\W{UNSPACED}]+", "[\u0300-\u036f]"
WORD = rf"{LETTERS}(?:(?:{ACCENTS}*['’]|{ACCENTS}+){LETTERS})*{ACCENTS}*"
TOKEN = re.compile(rf"[{UNSPACED}]+|{SIGNED}|{WORD}")
# The same for a text that is all ASCII, as most are: in half the time.
ASCII_TOKEN = re.compile(rf"{SIGNED}|\w+(?:'\w+)*", re.ASCII)
APOSTROPHE = re.compile("['’]")
# A lower-case letter before a capital, or the last capital of a run before a word: getTenantId, HTTPServer.
HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ACCENT = re.compile(ACCENTS)
# Letters that Unicode does not decompose, but that people type as a plain letter.
STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
# The target of a link in a heading, and an explicit anchor: not words of the heading.
ADDRESS = re.compile(r"\]\([^()\n]{0,1000}\)|\{:?\s*#[^{}\n]{0,100}\}")
SIGNS = re.compile(r"[\W_]+")
# A token longer than any word or identifier is data (a hash, base64); its beginning is enough to find it.
LONGEST = 64

# Data files, and their keys: a key that repeats with every entry says no more the fiftieth time.
DATA = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf")
KEY = re.compile(r"(?:^|(?<=; ))[ \t-]*+([^\s:=;]{1,200}+)[ \t]*+[:=]", re.MULTILINE)
# Endings of English words after a prefix that is longer than their stem.
ENDINGS = (
    "",
    *"edgnsy",
    "al",
    "ed",
    "er",
    "es",
    "ly",
    "ng",
    "on",
    "ies",
    "ing",
    "ion",
    "ment",
    "ness",
    "tion",
    "ation",
)

stem = Stemmer.Stemmer("english", 0).stemWord


def count_terms(text: str) -> dict[str, int]:
    """Return how often each term occurs in the text.

    >>> count_terms("getTenantId gets tenants")
    {'gettenantid': 1, 'get': 2, 'tenant': 2, 'id': 1}
    """
    counts: dict[str, int] = {}
    for token, times in Counter(find_tokens(text)).items():
        for term in token_terms(token):
            counts[term] = counts.get(term, 0) + times
    return counts


def split_terms(text: str) -> list[str]:
    """Return the terms of the text in order, each as often as it occurs.

    >>> split_terms("The Loaves collapsed")
    ['the', 'loav', 'collaps']
    """
    return [term for token in find_tokens(text) for term in token_terms(token)]


def find_tokens(text: str) -> list[str]:
    """Return the words, identifiers and unspaced runs of the text, in order.

    >>> find_tokens("Don't: C++17 via getTenantId"), find_tokens("東京 l’été")
    (["Don't", 'C++17', 'via', 'getTenantId'], ['東京', 'l’été'])
    """
    tokens: list[str] = (ASCII_TOKEN if text.isascii() else TOKEN).findall(text)
    return tokens


@lru_cache(maxsize=100_000)
def token_terms(token: str) -> tuple[str, ...]:
    """Return the terms of one token: itself, its parts, or its pairs of characters.

    >>> token_terms("_rrf_fuse")
    ('rrffuse', 'rrf', 'fuse')
    >>> token_terms("東京都")
    ('東京', '京都')
    >>> token_terms("tenant's")
    ('tenant',)
    >>> token_terms("C++17"), token_terms("ｶﾀｶﾅ")
    (('c++', '17'), ('カタ', 'タカ', 'カナ'))
    """
    if not token.isascii() and (usual := unicodedata.normalize("NFKC", token)) != token:
        # Half-width kana, ligatures and decomposed accents give other tokens once normalised.
        return tuple(split_terms(usual))
    if is_unspaced(token[:1]):
        pairs = tuple(token[i : i + 2] for i in range(len(token) - 1))
        return pairs or (token,)
    if token[1:2] in ("+", "#"):
        return tuple(filter(None, re.split(r"(?<=\+)(?=\d)", token.lower())))
    if APOSTROPHE.search(token):
        # tenant's, don't, l'été: the single letter carries nothing.
        words = [word for word in APOSTROPHE.split(token) if len(word) > 1]
        return tuple(term for word in words or [APOSTROPHE.sub("", token)] for term in token_terms(word))
    token = token[:LONGEST]
    if token.islower() and token.isalpha():
        return (stem(fold(token)),)
    spaced = HUMP.sub("_", token)
    parts = [fold(part) for part in spaced.split("_") if part]
    if len(parts) < 2:
        return tuple(stem(part) for part in parts)
    return (stem("".join(parts)), *(stem(part) for part in parts))


def whole_terms(text: str) -> list[str]:
    """Return the terms that any text with these words has, however they are written; no parts of identifiers.

    >>> whole_terms("getTenantId of 東京都"), whole_terms("?!")
    (['gettenantid', 'of', '東京', '京都'], [])
    """
    tokens = find_tokens(text)
    return [term for token in tokens for term in token_terms(token)[: None if is_several_words(token) else 1]]


def is_unspaced(sign: str) -> bool:
    """Return whether a character belongs to a script without spaces; a pattern for these takes 2 ms to compile."""
    return sign >= RANGES[0][0] and any(first <= sign <= last for first, last in RANGES)


def is_several_words(token: str) -> bool:
    """Return whether a token is several words: in a script without spaces, or around an apostrophe."""
    return any(sign in "'’" or is_unspaced(sign) for sign in token)


def prefix_term(token: str) -> str:
    """Return the prefix of the terms of all words that begin with this token.

    >>> prefix_term("getTen"), prefix_term("Über")
    ('getten', 'uber')
    """
    return fold(token.replace("_", ""))


def hidden_stems(prefix: str) -> set[str]:
    """Return the stems of words with this prefix that are shorter than the prefix or differ from it.

    >>> hidden_stems("authenticat"), hidden_stems("runn"), hidden_stems("auth")
    ({'authent'}, {'run'}, set())
    """
    stems = {stem(prefix + ending) for ending in ENDINGS}
    return {stem for stem in stems if not stem.startswith(prefix)}


def fold(text: str) -> str:
    """Return a text without case, width or accents, as words are compared.

    >>> fold("Über")
    'uber'
    """
    if text.isascii():
        return text.lower()
    folded = ACCENT.sub("", unicodedata.normalize("NFKD", text.casefold())).translate(STROKES)
    return unicodedata.normalize("NFC", folded)


def fold_case(text: str) -> str:
    """Return a text without case but with its accents, as paths and headings are compared.

    Accents are composed, because some file systems store them as separate characters.

    >>> fold_case("A/U\\u0308ber.MD")
    'a/über.md'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def plain_heading(heading: str) -> str:
    """Return a heading in the form used to compare it, whether written out or as an address of a website.

    >>> plain_heading("How *not* to [bake](bread.md)!"), plain_heading("how-not-to-bake")
    ('hownottobake', 'hownottobake')
    """
    return SIGNS.sub("", fold_case(ADDRESS.sub("", heading)))


@cache
def stop_terms() -> frozenset[str]:
    """Return the terms of English and German words that carry grammar and no subject."""
    return _terms_in("stopwords.txt")


@cache
def common_terms() -> frozenset[str]:
    """Return the terms of the most frequent English and German words, which are never taken for typos."""
    return _terms_in("common_words.txt")


def _terms_in(name: str) -> frozenset[str]:
    return frozenset(split_terms((Path(__file__).parent / name).read_text(encoding="utf-8")))

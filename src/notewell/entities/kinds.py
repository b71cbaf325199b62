"""The kinds of entities, and the words that tell them: keys of properties, types of notes, parts of names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from notewell.terms import fold, fold_case, stop_terms
from notewell.types.results import Kind

# What separates the words of a name.
SIGNS = re.compile(r"[\W_]+")
POSSESSIVE = re.compile(r"(?<=\w)['’]s?(?=\s|$)")
# What has the form of a date, a time or a number is no name.
NUMERIC = re.compile(r"[\d\W_]*(?:\d[\d\W_]*(?:st|nd|rd|th|am|pm|[a-z])?)?[\d\W_]*", re.IGNORECASE)
# A first name alone, or with others; or initials before a name.
PERSON = re.compile(
    r"[^\W\d_]+(?:-[^\W\d_a-zß-öø-ÿ][^\W\d_]+)?"
    r"(?:(?: [A-Z]\.?){0,3}(?: (?:van|von|der|den|de|da|di|la|le)){0,2}"
    r" [^\W\d_][^\W\d_a-z]?['’\w-]*[a-zß-öø-ÿ]\w*){0,2}"
    r"|(?:[A-Z]\. ?){1,3}[^\W\d_][\w'’-]*[a-zß-öø-ÿ]"
)
# Letters that are no initials of a person, as in `U.S. Army`.
STATE = re.compile(r"[UE]\.[SKNU]\. ?")
UMLAUT = re.compile("[äöü]")
# A note of a day is no entity.
DATED = re.compile(r"\d{4}-\d\d-\d\d\b|\d{8}\b")
# Names are short; a longer one is a sentence.
LONGEST, MOST_WORDS = 80, 9


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))


@cache
def words_of(table: str) -> Mapping[str, Kind]:
    """Return the kind that each word of a table tells."""
    return {word: kind for kind, words in _tables()[table].items() for word in words.split()}


@cache
def names_of(table: str, key: str = "names") -> frozenset[str]:
    """Return the names that a table lists."""
    return frozenset(_tables()[table][key].split())


def key_of(name: str) -> str:
    """Return what spellings of one name have in common: no case, accents, signs or possessive.

    >>> key_of("Müller's"), key_of("machine-learning"), key_of("J. R. R. Tolkien")
    ('muller', 'machine learning', 'j r r tolkien')
    """
    return SIGNS.sub(" ", fold(POSSESSIVE.sub("", name))).strip()


def is_name(name: str) -> bool:
    """Tell whether a text can be a name: short, with letters, and neither a date nor a word such as `index`.

    >>> is_name("Steph Ango"), is_name("2023-09-12"), is_name("index"), is_name("https://kk.org")
    (True, False, False, False)
    """
    if not 2 <= len(name) <= LONGEST or "://" in name or "[REDACTED" in name:
        return False
    if NUMERIC.fullmatch(name) or DATED.match(name):
        return False
    key = key_of(name)
    words = key.split()
    return 0 < len(words) <= MOST_WORDS and len(key) > 1 and key not in names_of("skipped")


def kind_of_note(types: Iterable[str], folders: Iterable[str]) -> Kind | Literal[""]:
    """Return the kind of what a note is about, by its types, categories and tags, or else by its nearest folder.

    >>> kind_of_note(["[[People]]"], ["Notes"]), kind_of_note([], ["Bücher"]), kind_of_note([], [])
    ('person', 'work', '')
    """
    told = words_of("types")
    named = [*map(key_of, types), *reversed([*map(key_of, folders)])]
    return next((told[name] for name in named if name in told), "")


def kind_of_name(name: str, before: str = "") -> Kind | Literal[""]:
    """Return the kind that the words of a name tell, or the folded word before it.

    >>> kind_of_name("Steph Ango"), kind_of_name("Bielefeld University"), kind_of_name("Kyoto"), kind_of_name("ROM")
    ('person', 'organisation', 'place', '')
    >>> kind_of_name("Universität Leipzig"), kind_of_name("U.S. Army")
    ('organisation', '')
    >>> kind_of_name("Miller", "herr"), kind_of_name("Apollo", "project"), kind_of_name("J. R. R. Tolkien")
    ('person', 'project', 'person')
    """
    words, ahead = key_of(name).split(), words_of("before").get(before)
    if ahead and (ahead != "work" or len(words) > 1):
        return ahead
    if " " in name and words[-1] in (endings := words_of("endings")) and words[-2] not in stop_terms():
        return endings[words[-1]]
    if len(words) > 2 and words[1] in ("of", "for", "fur") and words_of("endings").get(words[0]) == "organisation":
        return "organisation"
    if len(words) > 1 and words[0] in words_of("beginnings") and words[1] not in stop_terms():
        return words_of("beginnings")[words[0]]
    if " ".join(words) in names_of("places") and not name.isupper():
        return "place"
    if not PERSON.fullmatch(name) or name.isupper() or STATE.match(name):
        return ""
    return "person" if is_first_name(SIGNS.split(name)[0]) or "." in name else ""


@cache
def first_names() -> frozenset[str]:
    """Return first names in lower case, those with accents or umlauts also without."""
    names = names_of("first_names")
    return names | {fold(name) for name in names}


def is_first_name(word: str) -> bool:
    """Tell whether a word is a first name. Accents may differ, but an umlaut makes another word of it.

    >>> is_first_name("María"), is_first_name("Jürgen"), is_first_name("Volker"), is_first_name("Völker")
    (True, True, True, False)
    """
    plain = fold_case(word)
    return (plain if UMLAUT.search(plain) else fold(word)) in first_names()

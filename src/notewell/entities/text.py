"""Names in running text: runs of capitalised words, with the kind that their words, or those around them, tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from notewell.entities.kinds import is_first_name, is_name, key_of, kind_of_name, names_of, words_of
from notewell.terms import common_terms, fold, stem, stop_terms
from notewell.types.results import Kind

# A word that begins with a capital letter, as Tolkien, O'Neill, NASA, GmbH or J.
WORD = r"(?:[^\W\d_a-zß-öø-ÿ](?:[^\W_]|['’](?=\w)|-(?=\w)|\.(?=[^\W\d_a-z]\.))*\.?)"
# Words inside a name that have small letters.
INNER = r"(?:of|the|de|la|le|van|von|vom|zu|zur|der|den|du|da|di|del|für|for|&)"
RUN = re.compile(rf"(?<![\w/\\@#$%.`{{<=°]){WORD}(?:[ ](?:{INNER}[ ]){{0,2}}{WORD})*")
# Code, addresses, HTML, comments, formulas and placeholders say nothing; of a link, its text counts.
FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
APART = re.compile(
    r"`[^`\n]*`|!?\[\[[^\]\n]{0,500}\]\]|\]\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)?\)|https?://\S+|<[^>\n]{1,300}>|%%.*?%%|\$\$.*?\$\$|\[REDACTED[^\[\]]*+\]"
    r"|\[![^\]\n]{0,500}\]|\{[^}\n]{0,200}\}",
    re.DOTALL,
)
# Headings, lines of tables, and lines in which most words have a capital, have capitals for another reason.
HEADING = re.compile(r"\s*(?:#{1,6}\s|\||[-=|: ]+$|\w[\w -]{0,40}:: )")
# What may stand before the first word of a sentence.
BEGINS = re.compile(r"(?:^|[.!?:;•|\"“„»(\[]|[-*+>–—/]|\d[.)])[\s\"'“„‘»*_(\[>]*$")
WORDS = re.compile(r"[^\W\d_][^\W_]*")
# An item of a list, as "A. Process".
LETTERED = re.compile(r"[A-Z]\. (?![A-Z]\.)")
POSSESSIVE_END = re.compile(r"['’]s?$")
LAST_WORD = re.compile(r"([^\W_]+)\.?[\s\"“„*_:]*$")
INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_a-z]\. ?)+$")
# Characters before a run that tell whether it begins a sentence.
NEAR = 80
# Besides titles, what a full stop may follow inside a name.
SAINTS = frozenset({"st", "mt", "ft"})
# Small words of German that end a name before a legal form, and after a title and a surname.
ARTICLES = frozenset({"der", "den", "vom", "zur"})
OWNERS = ARTICLES | {"von", "zu", "für"}
# The share of words that may be small in a line of capitalised words.
SMALL = 0.4


class Named(NamedTuple):
    """A name in a text: as written, its line, and its kind if anything tells it.

    A name that is `weak` may be ordinary words: it begins a sentence, or the text is German.
    """

    name: str
    line: int
    kind: Kind | str = ""
    weak: bool = False


@lru_cache(maxsize=50_000)
def is_ordinary(word: str) -> bool:
    """Tell whether a word is capitalised for another reason than that it is a name.

    >>> is_ordinary("The"), is_ordinary("Tolkien"), is_ordinary("Monday"), is_ordinary("IT")
    (True, False, True, False)
    """
    plain = fold(word).rstrip(".")
    is_usual = stem(plain) in common_terms() or plain in stop_terms() or plain in names_of("skipped")
    return is_usual and not (word.isupper() and len(word) == 2)


def names_in(text: str, line: int, *, english: bool = True) -> Iterator[Named]:
    """Yield the names in lines that begin at `line`; if they are not `english`, every noun may have a capital.

    >>> [named.name for named in names_in("We met Ada Lovelace in London.", 1)]
    ['Ada Lovelace', 'London']
    """
    for number, row in rows_in(text, line):
        for run in RUN.finditer(row):
            yield from _named(row, run, number, english)


def rows_in(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of prose with their numbers, without headings, tables, code and addresses."""
    text = APART.sub(_blank, FENCE.sub(_blank, text))
    for number, row in enumerate(text.split("\n"), start=line):
        if not HEADING.match(row) and not _title_case(row):
            yield number, row


def _blank(found: re.Match[str]) -> str:
    # A full stop keeps what is before apart from what follows; line numbers stay.
    return re.sub(r"[^\n]", " ", found[0][:-1]) + ("\n" if found[0].endswith("\n") else "|")


def _title_case(row: str) -> bool:
    # An initial is no word.
    words = [word for word in WORDS.findall(row) if len(word) > 1]
    small = [word for word in words if word[0].islower()]
    return len(words) > 4 and len(small) < SMALL * len(words) and all(map(is_ordinary, small))


def _named(row: str, run: re.Match[str], line: int, english: bool) -> Iterator[Named]:
    """Yield the names in a run, without ordinary words at their ends."""
    before = row[max(0, run.start() - NEAR) : run.start()]
    last = LAST_WORD.search(before)
    part = _Part(run[0].split(" "), fold(last[1]) if last else "", bool(BEGINS.search(before)))
    for one in _sentences(part) if ". " in run[0] else (part,):
        for each in _apart(one):
            yield from _name_of(each, line, english)


class _Part(NamedTuple):
    """Words of a run, the word before them, and whether they begin a sentence."""

    words: list[str]
    cue: str
    first: bool


def _sentences(part: _Part) -> Iterator[_Part]:
    """Yield what is before and what is after each full stop that ends a sentence."""
    began = 0
    for at, word in enumerate(part.words[:-1], start=1):
        plain = fold(word).rstrip(".")
        is_short = len(plain) == 1 or "." in plain or plain in SAINTS or words_of("before").get(plain) == "person"
        if word.endswith(".") and not is_short:
            yield part._replace(words=part.words[began:at]) if not began else _Part(part.words[began:at], "", True)
            began = at
    yield part if not began else _Part(part.words[began:], "", True)


def _apart(part: _Part) -> Iterator[_Part]:
    """Yield the owner and what is owned apart: a legal form ends a name, and German articles stand before one.

    So it is with a surname after a title: `Herr Schröder von der Stadtwerke Leipzig GmbH` are two names.
    """
    words = part.words
    if OWNERS.isdisjoint(words):
        yield part
        return
    with_form = fold(words[-1]).rstrip(".") in words_of("forms")
    titled = len(words) > 1 and _is_title(words[0]) and not is_first_name(words[1])
    small = [at for at, word in enumerate(words) if word in (ARTICLES if with_form else OWNERS) and at > titled]
    if not small or not (with_form or titled):
        yield part
        return
    yield part._replace(words=words[: small[0]])
    yield _Part(words[small[-1] + 1 :], words[small[-1]], False)


def _name_of(part: _Part, line: int, english: bool) -> Iterator[Named]:
    words, cue, first = part
    # The rest of an abbreviation, as of "z. B. Obsidian", begins no name.
    begin, end, ahead = int(len(cue) == 1 and len(words[0]) == 2), len(words), ""
    while begin < end and (is_ordinary(words[begin]) or (end - begin > 1 and _is_title(words[begin]))):
        ahead, first = fold(words[begin]).rstrip("."), False
        begin += 1
    # Ordinary words at the end are left out, but not the surname after a first name.
    while begin < end and (is_ordinary(words[end - 1]) or not words[end - 1][0].isupper()):
        if end - begin == 2 and _is_surname(*words[begin:end]):
            break
        end -= 1
    words = words[begin:end]
    name = POSSESSIVE_END.sub("", " ".join(words).rstrip("."))
    if not words or not is_name(name) or ((first or cue.isdigit()) and LETTERED.match(name)):
        return
    kind = kind_of_name(name, ahead or (cue if words_of("before").get(cue) == "work" else ""))
    yield Named(name, line, kind, weak=not kind and (first or not english))


def _is_surname(first: str, word: str) -> bool:
    """Tell whether an ordinary word is the surname after a first name, as in `Neil Young`."""
    return key_of(word) in names_of("surnames") and is_first_name(first)


def name_at(row: str, start: int, end: int) -> str:
    """Return the name in a span of a line, without a title and with initials; nothing unless its words have capitals.

    >>> name_at("by J. A. Murphy", 6, 15), name_at("said Frau Matthes", 5, 17), name_at("against Jet lag", 8, 15)
    ('J. A. Murphy', 'Matthes', '')
    """
    if initials := INITIALS.search(row[:start]):
        start = initials.start()
    words = row[start:end].split(" ")
    while words and _is_title(words[0]):
        words = words[1:]
    name = " ".join(words)
    return name if RUN.fullmatch(name) else ""


def _is_title(word: str) -> bool:
    """Tell whether a word such as `Dr.` or `Project` stands before a name."""
    return not word.isupper() and words_of("before").get(fold(word).rstrip("."), "work") != "work"

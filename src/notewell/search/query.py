"""The query language: what in a query is syntax, and that everything else is text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from string import punctuation

from notewell.errors import SettingsError
from notewell.search.dates import read_day
from notewell.search.describe import told
from notewell.search.languages import also_called
from notewell.search.unread import Unread, tell_unread
from notewell.terms import TOKEN, UNSPACED, fold, whole_terms
from notewell.types.notices import Notice
from notewell.types.query import Filter, Filters, Range

# Straight quotes, and those that keyboards and pens make of them.
QUOTED = r'"[^"]+"|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»'
# Read one way only (`?>`): with two, a long row of quotes would be tried in every combination.
VALUE = rf'(?>{QUOTED}|[^\s"|]+)'
# All that may be syntax begins where a word may; whether it is, the readers below decide.
SYNTAX = re.compile(
    rf"""
    (?P<minus>-)?
    (?:
        (?P<phrase>{QUOTED})(?=[\s.,;:!?)\]]|$)
        | (?P<key>[^\W\d_][\w.-]*):(?P<value>(?>{VALUE}(?:\|{VALUE})*))(?=\s|$)
        | (?P<word>[^\s":|*]*\w)(?P<star>\*)?(?=[\s.,;!?)\]]|$)
    )
    """,
    re.VERBOSE,
)
WORD = re.compile(r"\S+")
# An option may have spaces without quotes.
ALTERNATIVE = re.compile(rf'{QUOTED}|[^"|]+')
RANGE = re.compile(r"(?P<low>[^.]*(?:\.\d[^.]*)?)\.\.(?P<high>.*)|(?P<sign>[<>]=?)(?P<bound>.+)")
# What no value begins with: the rest of https://, of C:\ and of std::vector.
NO_VALUE = ("//", "\\", ":", "/*")
# A sentence may go on after a value.
AFTER_VALUE = ",;?!"
TYPED = {"lex": "words", "vec": "meaning", "hyde": "passage"}
TYPED_PART = re.compile(rf"(?:^|\s)(?:{'|'.join((*TYPED, 'like'))}):(?=\S)", re.IGNORECASE)
# More words than anybody types are pasted, and the quotes and dashes in them are somebody else's.
PASTED = 64
NOTE_FILTERS = {"path": "path", "tag": "tag", "tags": "tag", "type": "type", "lang": "lang"}
HEADINGS = ("heading", "headings", "title")
# Fewer letters before a star begin half of all words; a minus before one letter is an option of some command.
SHORTEST = 2
# Looked for in the text of each chunk that may hold it, or in all terms: what is beyond so many is text.
AT_MOST = {"phrases": 16, "excluded beginnings": 16}


@dataclass(frozen=True, slots=True)
class Known:
    """What a query is read against: the keys of front matter, folded, which day it is, and the chunks that places have.

    Where a query was not written for us, as those of test collections, it has no `syntax`.
    """

    keys: Callable[[], Collection[str]] = frozenset
    today: date | None = None
    syntax: bool = True
    chunks_at: Callable[[str], tuple[int, ...]] = lambda place: ()


@dataclass(frozen=True, slots=True)
class Part:
    """A run of a query: `text`, `words`, `meaning`, `passage`, `phrase`, `prefix`, or `heading`; or a `filter`.

    Or a place that an answer should be `like`, with its `chunks`.
    """

    kind: str
    text: str = ""
    filter: Filter | None = None
    chunks: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.filter and self.kind == "filter":
            return told(self.filter)
        if self.kind == "like":
            return f"like {self.text}"
        name = "words and meaning" if self.kind == "text" else self.kind
        return "in a heading" if self.kind == "heading" else f'{name} "{self.text}"'


@dataclass(frozen=True, slots=True)
class Query:
    """A query as its parts, in the order in which they were written, and what of it looks like syntax and is text."""

    parts: tuple[Part, ...] = ()
    unread: Unread = Unread()

    @property
    def by_words(self) -> tuple[Part, ...]:
        """Return what is matched by words."""
        return self._of("text", "words", "phrase", "prefix")

    @property
    def meaning(self) -> str:
        """Return the text whose meaning is looked for."""
        return " ".join(part.text for part in self._of("text", "meaning", "phrase", "prefix"))

    @property
    def passage(self) -> str:
        """Return the text that an answer might read like."""
        return " ".join(part.text for part in self._of("passage"))

    @property
    def told(self) -> tuple[Part, ...]:
        """Return what has words of the query's own."""
        return tuple(part for part in self.parts if part.kind != "like")

    @property
    def like(self) -> tuple[int, ...]:
        """Return the chunks that an answer should be like, each once."""
        return tuple(sorted({chunk for part in self.parts for chunk in part.chunks}))

    @property
    def written(self) -> str:
        """Return what is looked for, without filters, as it was written."""
        asked = self._of("text", "words", "meaning", "phrase", "prefix")
        return " ".join(f'"{part.text}"' if part.kind == "phrase" else part.text for part in asked)

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Return what every hit has to fit."""
        return tuple(part.filter for part in self.parts if part.filter)

    @property
    def in_heading(self) -> bool:
        """Tell whether the words have to stand in a heading."""
        return bool(self._of("heading"))

    def _of(self, *kinds: str) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.kind in kinds)


def read_query_text(text: str, known: Known | None = None) -> Query:
    """Return what a query asks for; nothing that is written is an error.

    >>> [str(part) for part in read_query_text('varroa "formic acid" -oxalic tag:bees after:2024-05').parts]
    ['words and meaning "varroa"', 'phrase "formic acid"', 'not oxalic', 'tag bees', 'after 2024-05-01']
    >>> [str(part) for part in read_query_text("https://example.org is well-known -").parts]
    ['words and meaning "https://example.org is well-known -"']
    """
    known = known or Known()
    parts: list[Part] = []
    left: list[re.Match[str]] = []
    costly: Counter[str] = Counter()
    is_text = not known.syntax or (len(text.split()) > PASTED and not TYPED_PART.search(text))
    began, at = 0, len(text) if is_text else 0
    while word := WORD.search(text, at):
        match = SYNTAX.match(text, word.start())
        part = _read(match, known) if match else None
        costs = _costs(part)
        costly[costs] += 1
        if match and part and costly[costs] <= AT_MOST.get(costs, len(text)):
            parts += _plain(text[began : word.start()])
            parts.append(part)
            began = at = match.end()
        else:
            at = word.end()
            left += [match] if match and match["key"] else []
    # A query without syntax stays as it is, to the last space.
    read = (*parts, *_plain(text[began:])) if parts else (Part("text", text),) if text else ()
    more = tuple(
        Notice("too_many_parts", {"most": most, "parts": name}) for name, most in AT_MOST.items() if costly[name] > most
    )
    unread = Unread() if is_text else tell_unread(text, left, known.keys)
    return Query(read, replace(unread, notices=(*unread.notices, *more)))


def _costs(part: Part | None) -> str:
    """Return which of the parts it is that cost, if any."""
    if part is None or part.filter is None:
        return ""
    of, (value, *_) = part.filter.of, part.filter.values
    if of == "term" and str(value).endswith("*"):
        return "excluded beginnings"
    return "phrases" if of == "phrase" else ""


def read_filters(only: Filters, known: Known) -> tuple[Filter, ...]:
    """Return the filters that a caller names, each read as in a query."""
    filters = [_filter("tag", value) for value in _each(only.tag)]
    filters += [_filter("type", value) for value in _each(only.type)]
    filters += [_filter("lang", value) for value in _each(only.lang)]
    for name, value in (("after", only.after), ("before", only.before)):
        if value and not (day := _days(name, value, known)):
            raise SettingsError(f"{name} is '{value}', and should be a date", "Write 2024-05-01, 2024, 7d or yesterday")
        filters += [day] if value and day else []
    filters += [_filter("field", value, key=key) for key, values in only.where.items() for value in _each(values)]
    return tuple(filters)


def _each(value: str | Iterable[str]) -> list[str]:
    return [item for item in ([value] if isinstance(value, str) else value) if item]


def _plain(text: str) -> list[Part]:
    """Return the text beside some syntax; a full stop after it says nothing."""
    return [Part("text", text.strip())] if text.strip(f"{punctuation} \t\r\n") else []


def _read(match: re.Match[str], known: Known) -> Part | None:
    """Return the part that a match is; none, if it only looks like syntax."""
    negated = bool(match["minus"])
    if match["phrase"]:
        return _phrase(match["phrase"][1:-1], negated)
    if match["key"]:
        return _keyed(match["key"].lower(), match["value"], negated, known)
    if negated:
        return _excluded(match["word"], bool(match["star"]))
    return _prefix(match["word"]) if match["star"] else None


def _phrase(text: str, negated: bool) -> Part | None:
    text = text.strip()
    if not whole_terms(text):
        return None
    found = Filter("phrase", (text,), negated=negated)
    return Part("filter", filter=found) if negated else Part("phrase", text, found)


def _excluded(word: str, star: bool) -> Part | None:
    tokens = TOKEN.findall(word)
    if not word[0].isalpha() or len(word) < SHORTEST or not tokens:
        return None
    if star:
        return Part("filter", filter=Filter("term", (f"{tokens[-1]}*",), negated=True))
    of = "term" if len(whole_terms(word)) == 1 else "phrase"
    return Part("filter", filter=Filter(of, (word,), negated=True))


def _prefix(word: str) -> Part | None:
    last = TOKEN.findall(word)[-1:]
    fits = last and word.endswith(last[0]) and len(last[0]) >= SHORTEST and not re.search(f"[{UNSPACED}]", last[0])
    return Part("prefix", word) if fits else None


def _keyed(key: str, value: str, negated: bool, known: Known) -> Part | None:
    """Return what `key:value` is: a part with a type, or a filter; none, if no note has such a key."""
    value = value if value.endswith('"') else value.rstrip(AFTER_VALUE)
    if not value or value.startswith(NO_VALUE):
        return None
    if key in TYPED:
        plain = _unquoted(value)
        return Part(TYPED[key], plain) if plain and not negated else None
    if key == "like":
        place = _unquoted(value)
        chunks = () if negated else known.chunks_at(place)
        return Part("like", place, chunks=chunks) if chunks else None
    if key == "in" and value.lower() in HEADINGS and not negated:
        return Part("heading")
    if key in NOTE_FILTERS:
        return Part("filter", filter=_filter(NOTE_FILTERS[key], value, negated=negated))
    if key in ("after", "before"):
        days = _days(key, _unquoted(value), known, negated=negated)
        return Part("filter", filter=days) if days else None
    keys = known.keys()
    return Part("filter", filter=_filter("field", value, key=key, negated=negated)) if fold(key) in keys else None


def _days(name: str, value: str, known: Known, *, negated: bool = False) -> Filter | None:
    """Return the filter of the days from a day on, or before it."""
    day = read_day(value, known.today)
    days = Range(low=day) if name == "after" else Range(high=day, open=True)
    return Filter("date", (days,), negated=negated) if day else None


def _filter(of: str, value: str, *, key: str = "", negated: bool = False) -> Filter:
    alternatives = [found.strip() for found in ALTERNATIVE.findall(value)]
    values = tuple(_value(of, found) for found in alternatives if found) or (value,)
    if of == "lang":
        values = tuple(name for value in values for name in also_called(str(value)))
    return Filter(of, values, key=key, negated=negated)


def _value(of: str, written: str) -> str | Range:
    """Return one of a filter's values; only front matter has ranges.

    >>> _value("field", "3..5"), _value("field", ">3"), _value("path", "a..b")
    (Range(low='3', high='5', open=False), Range(low='3', high='', open=True), 'a..b')
    """
    plain = _unquoted(written)
    if of != "field" or plain != written or not (match := RANGE.fullmatch(written)):
        return plain.removeprefix("#") if of == "tag" else plain
    if match["sign"]:
        low, high = (match["bound"], "") if match["sign"][0] == ">" else ("", match["bound"])
        return Range(low, high, open="=" not in match["sign"])
    return Range(match["low"], match["high"]) if match["low"] or match["high"] else plain


def _unquoted(value: str) -> str:
    return value[1:-1].strip() if re.fullmatch(QUOTED, value) else value

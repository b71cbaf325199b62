"""The query language: the syntax in a query; everything else is text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from typing import NamedTuple

from notewell.errors import QueryError
from notewell.files.control_chars import real_path
from notewell.names.suggest import CLOSE, suggest
from notewell.search.dates import read_day
from notewell.search.filters import describe_filter, language_names
from notewell.terms import TOKEN, UNSPACED, fold, whole_terms
from notewell.types.notices import Notice
from notewell.types.query import Filter, Filters, Range

# Straight quotes, and those that keyboards and phones make of them.
QUOTED = r'"[^"]+"|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»'
# Atomic (`?>`): otherwise a long row of quotes would be tried in every combination.
VALUE = rf'(?>{QUOTED}|[^\s"|]+)'
# Syntax begins where a word may begin; the functions below decide whether it is any.
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
# A value given as an option may have spaces without quotes.
ALTERNATIVE = re.compile(rf'{QUOTED}|[^"|]+')
RANGE = re.compile(r"(?P<low>[^.]*(?:\.\d[^.]*)?)\.\.(?P<high>.*)|(?P<sign>[<>]=?)(?P<bound>.+)")
# No value begins like this: the rest of https://, of C:\ and of std::vector.
NO_VALUE = ("//", "\\", ":", "/*")
# Punctuation of a sentence after a value.
AFTER_VALUE = ",;?!"
TYPED = {"lex": "words", "vec": "meaning", "hyde": "passage"}
TYPED_PART = re.compile(rf"(?:^|\s)(?:{'|'.join((*TYPED, 'like'))}):(?=\S)", re.IGNORECASE)
# A text with more words was pasted: its quotes and dashes are not syntax.
PASTED = 64
NOTE_FILTERS = {"path": "path", "tag": "tag", "tags": "tag", "type": "type", "lang": "lang"}
HEADINGS = ("heading", "headings", "title")
# Fewer letters before a star begin half of all words; a minus before one letter is a command's option.
SHORTEST = 2
# Each of these is searched for in chunks or in all terms, which costs time: more of them are read as text.
AT_MOST = {"phrases": 16, "excluded beginnings": 16}


# What `is:` may ask for, and the task that it means.
TASKS = {"task": "*", "todo": "open", "open": "open", "done": "done"}
FILTER_KEYS = ("like", "entity", "path", "tag", "type", "lang", "after", "before", "is", "due")
# A typed part without a value.
EMPTY = re.compile(r"(?:^|\s)((?:lex|vec|hyde):)(?=\s|$)", re.IGNORECASE)
# The most unknown keys that notices name, and that are compared with known ones; a pasted log has hundreds.
NOTICES = 3
LOOKED_UP = 8
# More known keys than these are not compared: a suggestion may not take longer than the search.
COMPARED = 5_000


class ParseContext(NamedTuple):
    """What a query is parsed with: the keys of front matter, folded; today; and functions from a place to its chunks,
    and from an entity to the notes that name it.

    A query that was not written for Notewell, such as one of a test collection, has no `syntax`.
    """

    keys: Callable[[], Collection[str]] = frozenset
    today: date | None = None
    syntax: bool = True
    chunks_at: Callable[[str], tuple[int, ...]] = lambda place: ()
    notes_naming: Callable[[str], tuple[str, ...] | None] = lambda name: None


class QueryPart(NamedTuple):
    """A part of a query: `text`, `words`, `meaning`, `passage`, `phrase`, `prefix`, `heading` or `filter`.

    Or a place that an answer should be `like`, with its `chunks`.
    """

    kind: str
    text: str = ""
    filter: Filter | None = None
    chunks: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.filter and self.kind == "filter":
            return describe_filter(self.filter)
        if self.kind == "like":
            return f"like {self.text}"
        name = "words and meaning" if self.kind == "text" else self.kind
        return "in a heading" if self.kind == "heading" else f'{name} "{self.text}"'


class Unparsed(NamedTuple):
    """Notices about what looked like syntax but is text, and the words in it, which are not misspelt."""

    notices: tuple[Notice, ...] = ()
    words: frozenset[str] = frozenset()


class ParsedQuery(NamedTuple):
    """A query as its parts, in the order in which they were written, and what looked like syntax but is text."""

    parts: tuple[QueryPart, ...] = ()
    unparsed: Unparsed = Unparsed()

    @property
    def by_words(self) -> tuple[QueryPart, ...]:
        """Return the parts that are matched by words."""
        return self._of("text", "words", "phrase", "prefix")

    @property
    def meaning(self) -> str:
        """Return the text to embed as a query."""
        return " ".join(part.text for part in self._of("text", "meaning", "phrase", "prefix"))

    @property
    def passage(self) -> str:
        """Return the text to embed as a note, which an answer might resemble."""
        return " ".join(part.text for part in self._of("passage"))

    @property
    def with_words(self) -> tuple[QueryPart, ...]:
        """Return the parts that have words."""
        return tuple(part for part in self.parts if part.kind != "like")

    @property
    def like(self) -> tuple[int, ...]:
        """Return the chunks that an answer should be like, each once, by id."""
        return tuple(sorted({chunk for part in self.parts for chunk in part.chunks}))

    @property
    def written(self) -> str:
        """Return the text to search for as it was written, without filters."""
        asked = self._of("text", "words", "meaning", "phrase", "prefix")
        return " ".join(f'"{part.text}"' if part.kind == "phrase" else part.text for part in asked)

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Return the filters that every hit has to pass."""
        return tuple(part.filter for part in self.parts if part.filter)

    @property
    def in_heading(self) -> bool:
        """Tell whether the words have to be in a heading."""
        return bool(self._of("heading"))

    def _of(self, *kinds: str) -> tuple[QueryPart, ...]:
        return tuple(part for part in self.parts if part.kind in kinds)


def parse_query(text: str, context: ParseContext | None = None) -> ParsedQuery:
    """Return the parts of a query; whatever is not syntax is text.

    >>> [str(part) for part in parse_query('varroa "formic acid" -oxalic tag:bees after:2024-05').parts]
    ['words and meaning "varroa"', 'phrase "formic acid"', 'not oxalic', 'tag bees', 'after 2024-05-01']
    >>> [str(part) for part in parse_query("https://example.org is well-known -").parts]
    ['words and meaning "https://example.org is well-known -"']
    """
    context = context or ParseContext()
    parts: list[QueryPart] = []
    unparsed: list[re.Match[str]] = []
    costly: Counter[str] = Counter()
    is_text = not context.syntax or (len(text.split()) > PASTED and not TYPED_PART.search(text))
    began, at = 0, len(text) if is_text else 0
    while word := WORD.search(text, at):
        match = SYNTAX.match(text, word.start())
        part = _read(match, context) if match else None
        costs = _costs(part)
        costly[costs] += 1
        if match and part and costly[costs] <= AT_MOST.get(costs, len(text)):
            parts += _plain(text[began : word.start()])
            parts.append(part)
            began = at = match.end()
        else:
            at = word.end()
            unparsed += [match] if match and match["key"] else []
    if parts:
        parts += _plain(text[began:])
    elif text:
        # A query without syntax stays as it is, including spaces.
        parts = [QueryPart("text", text)]
    found = Unparsed() if is_text else find_unparsed(text, unparsed, context.keys)
    too_many = ((name, most) for name, most in AT_MOST.items() if costly[name] > most)
    more = (Notice("too_many_parts", {"most": most, "parts": name}) for name, most in too_many)
    return ParsedQuery(tuple(parts), found._replace(notices=(*found.notices, *more)))


def _costs(part: QueryPart | None) -> str:
    """Return the name of a costly kind of part; nothing for others."""
    if part is None or part.filter is None:
        return ""
    of, (value, *_) = part.filter.of, part.filter.values
    if of == "term" and str(value).endswith("*"):
        return "excluded beginnings"
    return "phrases" if of == "phrase" else ""


def read_filters(asked: Filters, today: date | None) -> tuple[Filter, ...]:
    """Return the filters that a caller gives, each read as in a query."""
    filters = [_filter("tag", value) for value in _each(asked.tag)]
    filters += [_filter("type", value) for value in _each(asked.type)]
    filters += [_filter("lang", value) for value in _each(asked.lang)]
    for name, value in (("after", asked.after), ("before", asked.before)):
        if value and not (day := _days(name, value, today)):
            raise QueryError(f"{name} is '{value}', which is not a date", "Write 2024-05-01, 2024, 7d or yesterday")
        filters += [day] if value and day else []
    filters += [_filter("field", value, key=key) for key, values in asked.where.items() for value in _each(values)]
    return tuple(filters)


def _each(value: str | Iterable[str]) -> list[str]:
    return [item for item in ([value] if isinstance(value, str) else value) if item]


def _plain(text: str) -> list[QueryPart]:
    """Return a run of text beside syntax as a part; none if it is only punctuation."""
    says_something = any(sign.isalnum() or not sign.isascii() for sign in text)
    return [QueryPart("text", text.strip())] if says_something else []


def _read(match: re.Match[str], context: ParseContext) -> QueryPart | None:
    """Return the part for a match; None if it only looks like syntax."""
    negated = bool(match["minus"])
    if match["phrase"]:
        return _phrase(match["phrase"][1:-1], negated)
    if match["key"]:
        return _keyed(match["key"].lower(), match["value"], negated, context)
    if negated:
        return _excluded(match["word"], bool(match["star"]))
    return _prefix(match["word"]) if match["star"] else None


def _phrase(text: str, negated: bool) -> QueryPart | None:
    text = text.strip()
    if not whole_terms(text):
        return None
    found = Filter("phrase", (text,), negated=negated)
    return QueryPart("filter", filter=found) if negated else QueryPart("phrase", text, found)


def _excluded(word: str, star: bool) -> QueryPart | None:
    tokens = TOKEN.findall(word)
    if not word[0].isalpha() or len(word) < SHORTEST or not tokens:
        return None
    if star:
        return QueryPart("filter", filter=Filter("term", (f"{tokens[-1]}*",), negated=True))
    of = "term" if len(whole_terms(word)) == 1 else "phrase"
    return QueryPart("filter", filter=Filter(of, (word,), negated=True))


def _prefix(word: str) -> QueryPart | None:
    last = TOKEN.findall(word)[-1:]
    fits = last and word.endswith(last[0]) and len(last[0]) >= SHORTEST and not re.search(f"[{UNSPACED}]", last[0])
    return QueryPart("prefix", word) if fits else None


def _keyed(key: str, value: str, negated: bool, context: ParseContext) -> QueryPart | None:
    """Return the part for `key:value`: a typed part, or a filter; None if no note has this key."""
    value = value if value.endswith('"') else value.rstrip(AFTER_VALUE)
    if not value or value.startswith(NO_VALUE):
        return None
    if key in TYPED:
        plain = _unquoted(value)
        return QueryPart(TYPED[key], plain) if plain and not negated else None
    if key == "like":
        place = real_path(_unquoted(value))
        chunks = () if negated else context.chunks_at(place)
        return QueryPart("like", place, chunks=chunks) if chunks else None
    if key == "in" and value.lower() in HEADINGS and not negated:
        return QueryPart("heading")
    if key in NOTE_FILTERS:
        return QueryPart("filter", filter=_filter(NOTE_FILTERS[key], value, negated=negated))
    if key in ("after", "before"):
        days = _days(key, _unquoted(value), context.today, negated=negated)
        return QueryPart("filter", filter=days) if days else None
    if key == "is" and value.lower() in TASKS:
        return QueryPart("filter", filter=Filter("task", (TASKS[value.lower()],), negated=negated))
    if key == "due" and (due := _due(value, context.today, negated=negated)):
        return QueryPart("filter", filter=due)
    keys = context.keys()
    if key == "entity" and ((notes := context.notes_naming(_unquoted(value))) or key not in keys):
        # No note has an empty path: nothing passes for a name that no note has.
        return QueryPart("filter", filter=Filter("note", notes or ("",), key=_unquoted(value), negated=negated))
    return QueryPart("filter", filter=_filter("field", value, key=key, negated=negated)) if fold(key) in keys else None


def _days(name: str, value: str, today: date | None, *, negated: bool = False) -> Filter | None:
    """Return the filter for the days from a day on, or before it."""
    day = read_day(value, today)
    days = Range(low=day) if name == "after" else Range(high=day, open=True)
    return Filter("date", (days,), negated=negated) if day else None


def _due(value: str, today: date | None, *, negated: bool) -> Filter | None:
    """Return the filter for tasks due on a day, in a month or year, or in a range of these; None if it is no date."""
    found = _filter("field", value, negated=negated)
    values = tuple(_in_days(each, today) for each in found.values)
    return Filter("due", values, negated=negated) if all(map(_is_dated, values)) else None


def _in_days(value: str | Range, today: date | None) -> str | Range:
    """Return a value with the day that a word such as `today` means; nothing for what is no date."""
    if isinstance(value, Range):
        return value._replace(low=str(_in_days(value.low, today)), high=str(_in_days(value.high, today)))
    day = read_day(value, today)
    return value if day and value[:1].isdigit() and value[-1:].isdigit() else day


def _is_dated(value: str | Range) -> bool:
    return bool(value.low or value.high) if isinstance(value, Range) else bool(value)


def _filter(of: str, value: str, *, key: str = "", negated: bool = False) -> Filter:
    alternatives = [found.strip() for found in ALTERNATIVE.findall(value)]
    values = tuple(_value(of, found) for found in alternatives if found) or (value,)
    if of == "lang":
        values = tuple(name for value in values for name in language_names(str(value)))
    return Filter(of, values, key=key, negated=negated)


def _value(of: str, written: str) -> str | Range:
    """Return one value of a filter; only front matter has ranges.

    >>> _value("field", "3..5"), _value("field", ">3"), _value("path", "a..b")
    (Range(low='3', high='5', open=False), Range(low='3', high='', open=True), 'a..b')
    """
    plain = _unquoted(written)
    if of != "field" or plain != written or not (match := RANGE.fullmatch(written)):
        plain = real_path(plain) if of == "path" else plain
        return plain.removeprefix("#") if of == "tag" else plain
    if match["sign"]:
        low, high = (match["bound"], "") if match["sign"][0] == ">" else ("", match["bound"])
        return Range(low, high, open="=" not in match["sign"])
    return Range(match["low"], match["high"]) if match["low"] or match["high"] else plain


def _unquoted(value: str) -> str:
    return value[1:-1].strip() if re.fullmatch(QUOTED, value) else value


def find_unparsed(text: str, keyed: Sequence[re.Match[str]], keys: Callable[[], Collection[str]]) -> Unparsed:
    """Return what looked like syntax but was read as text; `keyed` are the `key:value` among it."""
    notices = {Notice("empty_part", {"part": empty}): empty for empty in EMPTY.findall(text)}
    plain = [match for match in keyed if match["value"][0] not in ":/\\"]
    for match in plain:
        if match["key"].lower() in ("after", "before", "due") and len(notices) < NOTICES:
            notices[Notice("invalid_date", {"text": match[0]})] = match[0]
        if match["key"].lower() == "is" and "is" not in keys() and len(notices) < NOTICES:
            notices[Notice("invalid_task", {"text": match[0]})] = match[0]
    notices |= _unknown_keys(plain, keys)
    # There is a notice of its own about a place that is not found.
    liked = (match[0] for match in keyed if match["key"].lower() == "like")
    words = frozenset(word for written in (*notices.values(), *liked) for word in TOKEN.findall(written))
    return Unparsed(tuple(notices), words)


def near_keys(key: str, keys: Collection[str]) -> list[str]:
    """Return the key of front matter, or the filter, that may be meant.

    >>> near_keys("Statsu", ["status", "rating"]), near_keys("mood", ["status"])
    (['status'], [])
    """
    return suggest(key, sorted({*FILTER_KEYS, *keys}), limit=1, least=CLOSE) if len(keys) <= COMPARED else []


def _unknown_keys(keyed: Sequence[re.Match[str]], keys: Callable[[], Collection[str]]) -> dict[Notice, str]:
    """Return a notice for each unknown key that resembles a known one, with what was written."""
    # A single letter is a drive, or a variable.
    unknown = {
        key: match[0] for match in reversed(keyed) if len(key := match["key"]) > 1 and key.lower() not in FILTER_KEYS
    }
    notices: dict[Notice, str] = {}
    for key in list(reversed(unknown))[:LOOKED_UP]:
        if len(notices) < NOTICES and (near := near_keys(key, keys())):
            notices[Notice("unknown_key", {"key": key, "near": tuple(near)})] = unknown[key]
    return notices

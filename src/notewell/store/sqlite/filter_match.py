"""Whether what a note or chunk says is what a filter asks for; case, accents and white space make no difference."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from notewell.terms import UNSPACED, fold, split_terms
from notewell.types.note import Chunk
from notewell.types.query import Filter, Range

Value = str | int | float
Test = Callable[[Value], bool]
# A link in front matter stands for what it names.
LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
# A longer value of front matter is a text, and not what anybody filters by: its head is compared.
LONGEST = 1_000
# A day of front matter, with its time or without, or a month; and what may be asked for of it.
DATED = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)(?:[t ]\d\d:.*)?")
DAYS = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
HEADING = re.compile(r"^#{1,6} .*", re.MULTILINE)
# Inside a word, a phrase neither begins nor ends; the scripts without spaces have no such inside.
LETTER = rf"[^\W_{UNSPACED}]"


def normal(of: str, value: Value) -> Value:
    """Return a value of a note as tests take it.

    >>> normal("field", "[[People/Max|Max  Müller]]"), normal("field", 3)
    ('max muller', 3)
    """
    if not isinstance(value, str) or of == "note":
        return value
    return plain(LINK.sub(r"\1", value[:LONGEST]) if of == "field" else value)


def make_test(asked: Filter) -> Test:
    """Return what tells whether a value of a note, made normal, is one of those that the filter asks for.

    >>> make_test(Filter("tag", ("Garden",)))("garden/bees"), make_test(Filter("field", (Range("3", "5"),)))(4.5)
    (True, True)
    >>> [make_test(Filter("path", (wanted,)))("garden/hive.md") for wanted in ("Garden", "*/hive*", "Hive")]
    [True, True, False]
    >>> [make_test(Filter("field", (wanted,)))("2024-05-01") for wanted in ("2024", "2024-05", "2024-0")]
    [True, True, False]
    """
    if asked.of == "note":
        return frozenset(asked.values).__contains__
    tests = [_within(wanted) if isinstance(wanted, Range) else _like(asked.of, wanted) for wanted in asked.values]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def holds(asked: Filter, chunk: Chunk) -> bool:
    """Tell whether a chunk holds the phrase, or has the words in its headings.

    >>> chunk = Chunk("a.md", "The loaf\\n  collapsed.", 1, 2, headings=("Rye",), title="Bread")
    >>> holds(Filter("phrase", ("LOAF collapsed",)), chunk), holds(Filter("phrase", ("oaf",)), chunk)
    (True, False)
    >>> holds(Filter("heading", ("rye bread",)), chunk)
    True
    """
    (wanted,) = asked.values
    if asked.of == "phrase":
        # Zero bytes, which no text has, keep what stands apart from growing together.
        return bool(
            _phrase(str(wanted)).search(fold("\0".join((chunk.text, chunk.title, chunk.name, *chunk.headings))))
        )
    # A chunk of several short sections has their headings among its lines.
    terms = split_terms("\n".join((chunk.heading, *HEADING.findall(chunk.text))))
    return all(_begins(terms, word) if word.endswith("*") else word in terms for word in str(wanted).split())


def plain(text: str) -> str:
    """Return a text without case, accents, or more than one space in a row.

    >>> plain(" Über  \\nalles")
    'uber alles'
    """
    return " ".join(fold(text).split())


def _begins(terms: list[str], beginning: str) -> bool:
    return any(term.startswith(beginning[:-1]) for term in terms)


def _like(of: str, wanted: str) -> Test:
    """Return what tells whether a value is the one wanted, or is in it: a path in a folder, a tag in another."""
    pattern, number = plain(wanted), _number(wanted)
    if of == "path":
        pattern = pattern.removeprefix("./").strip("/")
    if pattern.startswith("*/") and "*" not in pattern[1:]:
        # A name in any folder: told by its end in a tenth of the time.
        return lambda value: str(value).endswith(pattern[1:])
    if "*" in pattern:
        matches = _glob(pattern).fullmatch
        return lambda value: bool(matches(value)) if isinstance(value, str) else pattern == "*"
    above = f"{pattern}/"
    if of == "lang":
        # English is en-GB, too.
        return lambda value: value == pattern or str(value).startswith(f"{pattern}-")
    if of == "tag":
        return lambda value: value == pattern or str(value).startswith(above)
    if of == "path":
        # A note may be named without its suffix.
        named = re.compile(rf"{re.escape(pattern)}(?:/.*|\.[^./]*)?" if pattern.strip(".") else ".*").fullmatch
        begun = pattern if pattern.strip(".") else ""
        # Most paths begin otherwise: that is seen in a tenth of the time.
        return lambda value: str(value).startswith(begun) and bool(named(str(value)))
    if DAYS.fullmatch(pattern):
        return lambda value: value in (pattern, number) or _is_of(str(value), pattern)
    # A number too long for a float is told by its digits.
    return lambda value: value in (pattern, number) or str(value) == pattern


def _is_of(value: str, days: str) -> bool:
    """Tell whether a value is a day of this year or month, or a time of this day."""
    dated = DATED.fullmatch(value)
    return dated is not None and f"{dated[1]}-".startswith(f"{days}-")


def _glob(pattern: str) -> re.Pattern[str]:
    """Return a pattern in which each `*` is as short as what follows it allows, and tried once."""
    first, *middle, last = map(re.escape, re.split(r"\*+", pattern))
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + f".*{last}")


def _within(wanted: Range) -> Test:
    """Return what tells whether a value is in a range: by number where all are numbers, else by text, as dates are."""
    low, high = plain(wanted.low), plain(wanted.high)
    ends = _number(low), _number(high)
    numeric = None not in [end for end, text in zip(ends, (low, high), strict=True) if text]

    def test(value: Value) -> bool:
        number = _number(str(value)) if numeric else None
        if number is not None:
            return _between(number, *ends, wanted.open)
        text = str(value)
        # May is over when its last day is: what goes on from an end is of it.
        if wanted.open:
            return (not low or text[: len(low)] > low) and (not high or text < high)
        return text >= low and (not high or text[: len(high)] <= high)

    return test


def _between(value: float, low: float | None, high: float | None, ends_out: bool) -> bool:
    if value in (low, high):
        return not ends_out
    return (low is None or value > low) and (high is None or value < high)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _phrase(text: str) -> re.Pattern[str]:
    words = fold(text).split()
    before = rf"(?<!{LETTER})" if re.match(LETTER, words[0]) else ""
    after = rf"(?!{LETTER})" if re.match(LETTER, words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(map(re.escape, words)) + after)

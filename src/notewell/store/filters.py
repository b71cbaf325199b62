"""Filters as every store applies them: whether a value of a note, or a chunk, passes; case and accents do not count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from notewell.terms import TOKEN, UNSPACED, fold, split_terms
from notewell.types.note import Chunk
from notewell.types.query import Filter, Range, Scope
from notewell.types.tasks import Task

# Filters on the tasks of a chunk.
TASKS = ("task", "due")
Value = str | int | float
Test = Callable[[Value], bool]
# A link in front matter counts as its text.
LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
# A longer value of front matter is prose that nobody filters by: only its beginning is compared.
LONGEST = 1_000
# A day or month of front matter, with or without a time; and a year, month or day to compare it with.
DATED = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)(?:[t ]\d\d:.*)?")
DAYS = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
HEADING = re.compile(r"^#{1,6} .*", re.MULTILINE)
# A phrase neither begins nor ends inside a word; scripts without spaces have no word boundaries.
LETTER = rf"[^\W_{UNSPACED}]"


def normal(of: str, value: Value) -> Value:
    """Return a value of a note in the form that tests compare.

    >>> normal("field", "[[People/Max|Max  Müller]]"), normal("field", 3)
    ('max muller', 3)
    """
    if not isinstance(value, str) or of == "note":
        return value
    return plain(LINK.sub(r"\1", value[:LONGEST]) if of == "field" else value)


def count_tags(tags: Iterable[str]) -> dict[str, int]:
    """Return how often each tag is there, the most used first; spellings that differ in case are one, by the first.

    >>> count_tags(["Bees", "hive", "bees"])
    {'Bees': 2, 'hive': 1}
    """
    spellings: dict[str, str] = {}
    counts = Counter(spellings.setdefault(tag.casefold(), tag) for tag in tags)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def make_test(asked: Filter) -> Test:
    """Return a test whether a normal value of a note matches any value of a filter.

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


def text_matches(asked: Filter, chunk: Chunk) -> bool:
    """Tell whether a chunk contains the phrase of a filter, or has all its words in headings.

    >>> chunk = Chunk("a.md", "The loaf\\n  collapsed.", 1, 2, headings=("Rye",), title="Bread")
    >>> text_matches(Filter("phrase", ("LOAF collapsed",)), chunk), text_matches(Filter("phrase", ("oaf",)), chunk)
    (True, False)
    >>> text_matches(Filter("heading", ("rye bread",)), chunk)
    True
    """
    (wanted,) = asked.values
    if asked.of == "phrase":
        # No text has zero bytes: they keep a phrase from matching across two fields.
        return bool(
            _phrase(str(wanted)).search(fold("\0".join((chunk.text, chunk.title, chunk.name, *chunk.headings))))
        )
    # A chunk of several short sections has their headings among its lines.
    terms = split_terms("\n".join((chunk.heading, *HEADING.findall(chunk.text))))
    return all(_begins(terms, word) if word.endswith("*") else word in terms for word in str(wanted).split())


def words_of(asked: Filter) -> list[str]:
    """Return the folded words that a chunk with the phrase of a filter contains.

    >>> words_of(Filter("phrase", ("Formic acid (60%)",)))
    ['formic', 'acid', '60']
    """
    (wanted,) = asked.values
    return TOKEN.findall(fold(str(wanted)))


def task_filters(scope: Scope) -> list[Filter]:
    """Return the filters of a scope that one task has to pass, all of them."""
    return [asked for asked in scope.filters if asked.of in TASKS and not asked.negated]


def tasks_match(filters: Sequence[Filter], tasks: Sequence[Task]) -> bool:
    """Tell whether one of the tasks is as all filters want it, as if none were negated.

    >>> late = Filter("due", (Range(high="2025-04", open=True),))
    >>> tasks_match([Filter("task", ("open",)), late], [Task(True, "2025-03-01")]), tasks_match([late], [Task(True)])
    (True, False)
    """
    tests = [(asked.of, make_test(asked)) for asked in filters]
    return any(all(bool(value := _of_task(of, task)) and test(value) for of, test in tests) for task in tasks)


def _of_task(of: str, task: Task) -> str:
    return task.due if of == "due" else "open" if task.is_open else "done"


def plain(text: str) -> str:
    """Return a text without case, accents and repeated spaces.

    >>> plain(" Über  \\nalles")
    'uber alles'
    """
    return " ".join(fold(text).split())


def _begins(terms: list[str], beginning: str) -> bool:
    return any(term.startswith(beginning[:-1]) for term in terms)


def _like(of: str, wanted: str) -> Test:
    """Return a test whether a value equals the wanted one, or is below it: a path in a folder, a nested tag."""
    pattern, number = str(normal(of, wanted)), _number(wanted)
    if of == "path":
        pattern = pattern.removeprefix("./").strip("/")
    if pattern.startswith("*/") and "*" not in pattern[1:]:
        # A name in any folder: comparing the end takes a tenth of the time.
        return lambda value: str(value).endswith(pattern[1:])
    if "*" in pattern:
        matches = _glob(pattern).fullmatch
        return lambda value: bool(matches(value)) if isinstance(value, str) else pattern == "*"
    above = f"{pattern}/"
    if of == "lang":
        # `en` matches en-GB, too.
        return lambda value: value == pattern or str(value).startswith(f"{pattern}-")
    if of == "tag":
        return lambda value: value == pattern or str(value).startswith(above)
    if of == "path":
        # A note may be named without its suffix.
        named = re.compile(rf"{re.escape(pattern)}(?:/.*|\.[^./]*)?" if pattern.strip(".") else ".*").fullmatch
        begun = pattern if pattern.strip(".") else ""
        # Most paths begin differently: seeing that takes a tenth of the time.
        return lambda value: str(value).startswith(begun) and bool(named(str(value)))
    if DAYS.fullmatch(pattern):
        return lambda value: value in (pattern, number) or _is_of(str(value), pattern)
    # A number too long for a float is compared by its digits.
    return lambda value: value in (pattern, number) or str(value) == pattern


def _is_of(value: str, days: str) -> bool:
    """Tell whether a value is a day in this year or month, or a time on this day."""
    dated = DATED.fullmatch(value)
    return dated is not None and f"{dated[1]}-".startswith(f"{days}-")


def _glob(pattern: str) -> re.Pattern[str]:
    """Return a pattern in which each `*` matches as little as possible, without backtracking."""
    first, *middle, last = map(re.escape, re.split(r"\*+", pattern))
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + f".*{last}")


def _within(wanted: Range) -> Test:
    """Return a test whether a value is in a range: by number if all are numbers, else by text, as for dates."""
    low, high = plain(wanted.low), plain(wanted.high)
    ends = _number(low), _number(high)
    numeric = None not in [end for end, text in zip(ends, (low, high), strict=True) if text]

    def test(value: Value) -> bool:
        number = _number(str(value)) if numeric else None
        if number is not None:
            return _between(number, *ends, wanted.open)
        text = str(value)
        # An end of `2024-05` includes all of May: longer values are compared by their beginning.
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

"""Whether what a note or chunk says is what a filter asks for; case, accents and white space make no difference."""

from __future__ import annotations

import re
from functools import lru_cache

from notewell.terms import UNSPACED, fold, split_terms
from notewell.types import Chunk, Filter, Range

Value = str | int | float
# A link in front matter stands for what it names.
LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
HEADING = re.compile(r"^#{1,6} .*", re.MULTILINE)
# Inside a word, a phrase neither begins nor ends; the scripts without spaces have no such inside.
LETTER = rf"[^\W_{UNSPACED}]"


def fits(asked: Filter, value: Value) -> bool:
    """Tell whether a value of a note is one of those that the filter asks for.

    >>> fits(Filter("tag", ("garden",)), "Garden/bees"), fits(Filter("field", (Range("3", "5"),)), 4.5)
    (True, True)
    >>> fits(Filter("path", ("garden",)), "Garden/Hive.md"), fits(Filter("path", ("*/hive*",)), "Garden/Hive.md")
    (True, True)
    """
    return any(
        _within(wanted, value) if isinstance(wanted, Range) else _is(asked.of, wanted, value) for wanted in asked.values
    )


def holds(asked: Filter, chunk: Chunk) -> bool:
    """Tell whether a chunk holds the phrase, or has the words in its headings.

    >>> chunk = Chunk("a.md", "The loaf\\n  collapsed.", 1, 2, headings=("Rye",), title="Bread")
    >>> holds(Filter("phrase", ("LOAF collapsed",)), chunk), holds(Filter("phrase", ("oaf",)), chunk)
    (True, False)
    >>> holds(Filter("heading", ("rye bread",)), chunk)
    True
    """
    (wanted,) = asked.values
    if asked.of == "heading":
        # A chunk of several short sections has their headings among its lines.
        terms = split_terms("\n".join((chunk.heading, *HEADING.findall(chunk.text))))
        return all(_begins(terms, word) if word.endswith("*") else word in terms for word in str(wanted).split())
    texts = (chunk.text, chunk.title, chunk.name, *chunk.headings)
    return any(_phrase(str(wanted)).search(plain(text)) for text in texts)


def plain(text: str) -> str:
    """Return a text without case, accents, or more than one space in a row.

    >>> plain(" Über  \\nalles")
    'uber alles'
    """
    return " ".join(fold(text).split())


def _begins(terms: list[str], beginning: str) -> bool:
    return any(term.startswith(beginning[:-1]) for term in terms)


def _is(of: str, wanted: str, value: Value) -> bool:
    if not isinstance(value, str):
        return _number(wanted) == value
    found, pattern = plain(LINK.sub(r"\1", value) if of == "field" else value), plain(wanted)
    if of == "path":
        pattern = pattern.removeprefix("./").strip("/")
    if "*" in pattern:
        return bool(_glob(pattern).fullmatch(found))
    if of == "path":
        return found == pattern or found.startswith(f"{pattern}/") or found.rpartition(".")[0] == pattern
    return found == pattern or (of == "tag" and found.startswith(f"{pattern}/"))


def _within(wanted: Range, value: Value) -> bool:
    """Tell whether a value is in a range: by number where all are numbers, else by text, of which dates are one."""
    ends = [end for end in (wanted.low, wanted.high) if end]
    numbers = [_number(end) for end in (*ends, str(value))]
    if None not in numbers:
        return _between(float(value), _number(wanted.low), _number(wanted.high), wanted.open)
    text, low, high = plain(str(value)), plain(wanted.low), plain(wanted.high)
    # May is over when its last day is: what goes on from an end is of it.
    if wanted.open:
        return (not low or text[: len(low)] > low) and (not high or text < high)
    return text >= low and (not high or text[: len(high)] <= high)


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
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, re.split(r"\*+", pattern))), re.DOTALL)


@lru_cache(maxsize=64)
def _phrase(text: str) -> re.Pattern[str]:
    wanted = plain(text)
    before = rf"(?<!{LETTER})" if re.match(LETTER, wanted) else ""
    after = rf"(?!{LETTER})" if re.match(LETTER, wanted[-1:]) else ""
    return re.compile(before + re.escape(wanted) + after)

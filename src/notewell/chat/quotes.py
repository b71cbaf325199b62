"""Quotes: which words of a text are quoted, and whether they stand in the passage that is cited; no model is asked."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from notewell.terms import is_unspaced
from notewell.types.answer import CitationReason, CitationsStatus

# A shorter quote stands in too many texts by chance: finding it proves nothing.
SHORTEST = 12

# Signs that differ between keyboards, fonts and models, and mean the same.
FOLDED = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′`´", "'"),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        # Written, but not seen.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
    }
)
# What leaves out words of a quote: "…", "...", "[…]", "(...)".
ELLIPSIS = re.compile(r"[\[(]?\s*(?:…|\.{3,})\s*[\])]?")
SPACE = re.compile(r"\s+")
# Markup that a reader does not see: emphasis, code, the target of a link, the sign before a quoted line or an item.
MARKUP = re.compile(
    r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]|!?\[([^\[\]\n]*)\]\([^()\n]*\)|\*+|~~|==|`+|(?<!\w)_+|_+(?!\w)"
    r"|^[ \t]*(?:(?:>|[-*+]|\d{1,3}[.)]|#{1,6})[ \t]+)+",
    re.MULTILINE,
)
# A quotation on one line, in the marks of several languages; an apostrophe is not a mark.
MARKS = re.compile(
    r"“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|(?<![\w\"])\"([^\"\n]+)\"(?!\w)"
    r"|(?<!\w)‘((?:[^‘’\n]|’(?=\w))+)’(?!\w)|「([^「」\n]+)」"
)
# Quoted lines.
BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
BY = re.compile(r"\n[ \t]*>[> \t]*(?:[—–]|--)[^\n]*\Z")
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
# The numbers of passages: [1], [2, 3].
NUMBERS = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


class Quote(NamedTuple):
    """Quoted words, from `start` up to `end` of a text, and the numbers of the passages they are said to come from."""

    text: str
    start: int
    end: int
    numbers: tuple[int, ...] = ()


def normalise(text: str) -> str:
    """Return a text without the differences that do not change what it says.

    >>> normalise("  The “Sour—dough”\\nHandbook ")
    'the "sour-dough" handbook'
    """
    folded = unicodedata.normalize("NFKC", text).translate(FOLDED)
    return SPACE.sub(" ", folded.casefold()).strip()


def check_quote(quote: str, source: str | None) -> CitationReason:
    """Tell whether a quote stands in a passage, in whole words; parts around an ellipsis have to stand in this order.

    >>> check_quote("a tired … too tight", "like a **tired** cat; a loaf which is too tight tears")
    'too_short'
    >>> check_quote("like a tired cat … too tight", "like a **tired** cat; a loaf which is too tight tears")
    'match'
    >>> check_quote("like a tired dog", "like a tired cat"), check_quote("", "rye"), check_quote("rye bread", None)
    ('not_found', 'no_quote', 'no_chunk_text')
    """
    if not quote.strip():
        return "no_quote"
    if not (source or "").strip():
        return "no_chunk_text"
    if is_too_short(quote):
        return "too_short"
    parts = _parts(quote)
    assert source is not None, "checked above"
    shown = MARKUP.sub(lambda match: match[1] or match[2] or "", source)
    return "match" if any(_in_order(parts, normalise(text)) for text in (source, shown)) else "not_found"


def is_too_short(quote: str) -> bool:
    """Tell whether no part of a quote is long enough to prove anything: many short ones are in most texts, in order.

    >>> is_too_short("a tired … too tight"), is_too_short("like a tired cat … too tight")
    (True, False)
    """
    return max(map(len, _parts(quote)), default=0) < SHORTEST


def _parts(quote: str) -> list[str]:
    return [part for part in map(normalise, ELLIPSIS.split(quote)) if part]


def locate(quote: str, source: str) -> tuple[int, int]:
    """Return the first and last line, from 0, of a quote that stands in a text.

    >>> locate("like a tired cat … too tight", "Shaping\\n\\nlike a tired cat;\\na loaf too tight\\ntears")
    (2, 3)
    """
    lines = source.split("\n")

    def stands(first: int, last: int) -> bool:
        return check_quote(quote, "\n".join(lines[first : last + 1])) == "match"

    # What stands in some lines also stands in more of them.
    first = bisect_left(range(len(lines)), True, key=lambda line: not stands(line, len(lines))) - 1
    last = bisect_left(range(len(lines)), True, lo=max(first, 0), key=lambda line: stands(first, line))
    return max(first, 0), min(last, len(lines) - 1)


def _in_order(parts: Sequence[str], text: str) -> bool:
    after = 0
    for part in parts:
        after = _find(part, text, after)
        if after < 0:
            return False
    return True


def _find(part: str, text: str, start: int) -> int:
    """Return where a part ends in a text, at or after `start`, with no word cut in two; -1 if it is not there."""
    while (found := text.find(part, start)) >= 0:
        end = found + len(part)
        if not (_cuts_word(text, found) or _cuts_word(text, end)):
            return end
        start = found + 1
    return -1


def _cuts_word(text: str, at: int) -> bool:
    """Tell whether a word goes on across a place.

    >>> _cuts_word("part of", 1), _cuts_word("part of", 4), _cuts_word("面包师", 1)
    (True, False, False)
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and not (is_unspaced(before) or is_unspaced(after))


def find_quotes(text: str) -> list[Quote]:
    """Return the quotations of a text in order, with the numbers that follow each before the next one.

    >>> find_quotes('It "spreads like a cat" [2] and flows. Bread [1].')
    [Quote(text='spreads like a cat', start=4, end=22, numbers=(2,))]
    >>> find_quotes("> It spreads,\\n> like a cat. [1]")[0].text
    'It spreads,\\nlike a cat.'
    """
    code = [match.span() for match in FENCE.finditer(text)]
    every = sorted((*_blocks(text), *_marked(text)), key=attrgetter("start"))
    found = [one for one in every if not _within(one.start, code)]
    blocks = [(one.start, one.end) for one in found if text[one.start] == ">"]
    # Marks inside of quoted lines are a part of those.
    quotes = [one for one in found if text[one.start] == ">" or not _within(one.start, blocks)]
    return [
        one._replace(numbers=_numbers(text, one, end)) for one, end in zip(quotes, ends_of(quotes, text), strict=False)
    ]


def ends_of(quotes: Sequence[Quote], text: str) -> Iterator[int]:
    """Yield, for each quote, where the next one begins, or the text ends."""
    yield from (one.start for one in quotes[1:])
    yield len(text)


def _blocks(text: str) -> Iterator[Quote]:
    for match in BLOCK.finditer(text):
        start = match.end() - len(match[0].lstrip())
        block = match[0].strip()
        # A last line such as `> — [[Bees]]` says who is quoted.
        by = BY.search(block)
        end = start + by.start() if by else match.end()
        lines = (line.strip().lstrip(">").strip() for line in block[: by.start() if by else None].strip().split("\n"))
        yield Quote(NUMBERS.sub("", "\n".join(lines)).strip(), start, end)


def _marked(text: str) -> Iterator[Quote]:
    for match in MARKS.finditer(text):
        number = match.lastindex or 0
        yield Quote(match[number].strip(), match.start(number), match.end(number))


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _numbers(text: str, quote: Quote, end: int) -> tuple[int, ...]:
    """Return the numbers in a quote's own lines, or between it and the end of its sentence."""
    if text[quote.start] == ">" and (own := numbers_in(text[quote.start : quote.end])):
        return own
    after = text[quote.end : end]
    first = NUMBERS.search(after)
    if not first or "\n\n" in after[: first.start()] or re.search(r"[.!?]\s+\w", after[: first.start()]):
        return ()
    return numbers_in(first[0])


def numbers_in(text: str) -> tuple[int, ...]:
    """Return the numbers of passages that a text cites, each once, in order.

    >>> numbers_in("Rye [2, 1] and wheat [2].")
    (2, 1)
    """
    found = (int(number) for match in NUMBERS.finditer(text) for number in match[1].split(","))
    return tuple(dict.fromkeys(found))


def status_of(reasons: Sequence[CitationReason]) -> CitationsStatus:
    """Return what can be said about all citations of a text together.

    >>> status_of(["match", "no_quote"]), status_of(["match", "not_found"]), status_of(["match", "too_short"])
    ('all_verified', 'has_mismatch', 'unverifiable')
    >>> status_of(["no_quote"]), status_of([])
    ('no_quotes', 'no_quotes')
    """
    quoted = [reason for reason in reasons if reason != "no_quote"]
    if not quoted:
        return "no_quotes"
    if "not_found" in quoted:
        return "has_mismatch"
    return "all_verified" if set(quoted) == {"match"} else "unverifiable"

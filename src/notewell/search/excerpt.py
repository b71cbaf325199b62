"""The lines of a hit that answer the plan: its two best sentences, with their terms marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from notewell.terms import TOKEN, prefix_term, token_terms
from notewell.types import Excerpt, Hit, Plan

# What is shortened in the middle of a sentence, English and German.
SHORT = (
    *("St", "Dr", "Mr", "Ms", "Mrs", "Prof", "No", "Fig", "Sec", "Vol", "vs", "al", "cf", "ca", "eg", "ie", "approx"),
    *("Nr", "bzw", "usw", "vgl", "evtl", "inkl", "Abs", "Art", "Str"),
)
# Sentences end at a stop before space, at a line's end, or at the CJK full stop; "26. September", "1. Knead",
# "W. White" and "St. Moritz" go on.
STOP = re.compile(
    r"[.!?](?<!\b\d.)(?<!\b\d\d.)(?<!\b[A-Z].)" + "".join(rf"(?<!\b{word}\.)" for word in SHORT) + r"(?=\s)|[。！？]"
)
# Lines that mark structure and say nothing of their own: headings (a hit names them), fences, rules, borders.
MARKUP = re.compile(r"\s*(?:#{1,6} .*|[`~]{3,}.*|[-=*_|: ]+)$")
# A word character, or an apostrophe inside a word: what stands before it goes on with it.
INSIDE = re.compile(r"\w|(?<=\w)['’]")
SENTENCES = 2
LONGEST = 300

# Where a wanted term stands, and which.
Mark = tuple[int, int, frozenset[str]]


def make_excerpt(hit: Hit, plan: Plan) -> Excerpt:
    """Return the two sentences that hold most of the plan's terms, in the order of the note."""
    text = hit.chunk.text.replace("\r", "")
    beginnings = tuple(term[:-1] for term in plan.terms if term.endswith("*"))
    marks = _marks(text, frozenset(plan.terms), beginnings)
    held = {span: _held(marks, span) for span in _sentences(text, marks)}
    best = sorted(held, key=lambda span: (-held[span], span))[:SENTENCES]
    chosen = sorted(span for span in best if held[span]) or best[:1] or [(0, len(text))]
    parts, highlights, at = [], [], 0
    for span in chosen:
        start, end = _shortened(span, marks)
        parts.append(f"{'…' if start > span[0] else ''}{text[start:end]}{'…' if end < span[1] else ''}")
        shift = at + (start > span[0]) - start
        highlights += [(first + shift, last + shift) for first, last, _ in marks if start <= first and last <= end]
        at += len(parts[-1]) + 1
    first_line = hit.chunk.line + text.count("\n", 0, chosen[0][0])
    last_line = hit.chunk.line + text.count("\n", 0, chosen[-1][1])
    return Excerpt(hit, "\n".join(parts), first_line, last_line, tuple(highlights))


def _sentences(text: str, marks: list[Mark]) -> list[tuple[int, int]]:
    """Return the sentences of the lines that hold a mark, or else of the first line that says something."""
    spans: list[tuple[int, int]] = []
    at = 0
    marked = iter(marks)
    mark = next(marked, None)
    fallback: list[tuple[int, int]] = []
    for line in text.split("\n"):
        end = at + len(line)
        holds = mark is not None and mark[0] < end
        while mark is not None and mark[0] < end:
            mark = next(marked, None)
        if (holds or not fallback) and line.strip() and not MARKUP.match(line):
            found = _split(text, at, end)
            spans += found if holds else []
            fallback = fallback or found
        at = end + 1
    return spans or fallback


def _split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the sentences of one line."""
    edges = [start, *(match.end() for match in STOP.finditer(text, start, end)), end]
    spans = ((first + len(text[first:last]) - len(text[first:last].lstrip()), last) for first, last in pairwise(edges))
    return [span for span in spans if span[0] < span[1]]


def _marks(text: str, wanted: frozenset[str], beginnings: tuple[str, ...] = ()) -> list[Mark]:
    """Return where wanted terms stand, and which, in order."""
    tokens = set(TOKEN.findall(text))
    # A text repeats its words: looking each up once is most of the speed of an excerpt.
    told = {token: terms for token in tokens if (terms := wanted.intersection(token_terms(token)))}
    if beginnings:
        told |= {token: frozenset((token,)) for token in tokens if prefix_term(token).startswith(beginnings)}
    return sorted((*span, terms) for token, terms in told.items() for span in _places(text, token))


def _places(text: str, token: str) -> Iterator[tuple[int, int]]:
    """Yield where a token stands as a token, and not as a part of a longer one."""
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        match = TOKEN.match(text, at)
        if match and match.end() == end and (at == 0 or not INSIDE.match(text, at - 1)):
            yield at, end
        at = text.find(token, end)


def _held(marks: list[Mark], span: tuple[int, int]) -> int:
    """Return how many different wanted terms a sentence holds."""
    start, end = span
    return len({term for first, last, terms in marks if start <= first and last <= end for term in terms})


def _shortened(span: tuple[int, int], marks: list[Mark]) -> tuple[int, int]:
    """Return at most `LONGEST` characters of a sentence, around the first of its wanted terms."""
    start, end = span
    if end - start <= LONGEST:
        return start, end
    first = next((mark[0] for mark in marks if start <= mark[0] < end), start)
    begin = max(start, min(first - LONGEST // 3, end - LONGEST))
    return begin, begin + LONGEST

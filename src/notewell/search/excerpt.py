"""The lines of a hit that answer the plan: its two best sentences, with their terms marked."""

from __future__ import annotations

import re

from notewell.terms import TOKEN, token_terms
from notewell.types import Excerpt, Hit, Plan

# Sentences end at a stop before space, at a line's end, or at the CJK full stop; "26. September" and "1. Knead" go on.
SENTENCE = re.compile(r"[^\s][^\n]*?(?:(?<!\b\d)(?<!\b\d\d)[.!?](?=\s)|[。！？]|(?=\n)|$)")
# Lines that mark structure and say nothing of their own: headings (a hit names them), fences, rules, borders.
MARKUP = re.compile(r"\s*(?:#{1,6} .*|[`~]{3,}.*|[-=*_|: ]+)$")
SENTENCES = 2
LONGEST = 300

# Where a wanted term stands, and which.
Mark = tuple[int, int, frozenset[str]]


def make_excerpt(hit: Hit, plan: Plan) -> Excerpt:
    """Return the two sentences that hold most of the plan's terms, in the order of the note."""
    text = hit.chunk.text.replace("\r", "")
    marks = _marks(text, frozenset(plan.terms))
    sentences = [match.span() for match in SENTENCE.finditer(text) if not MARKUP.match(match.group())]
    held = {span: _held(marks, span) for span in sentences}
    best = sorted(sentences, key=lambda span: (-held[span], span))[:SENTENCES]
    chosen = sorted(span for span in best if held[span]) or best[:1] or [(0, len(text))]
    parts, highlights, at = [], [], 0
    for span in chosen:
        start, end = _shortened(text, span, marks)
        parts.append(f"{'…' if start > span[0] else ''}{text[start:end]}{'…' if end < span[1] else ''}")
        shift = at + (start > span[0]) - start
        highlights += [(first + shift, last + shift) for first, last, _ in marks if start <= first and last <= end]
        at += len(parts[-1]) + 1
    first_line = hit.chunk.line + text.count("\n", 0, chosen[0][0])
    last_line = hit.chunk.line + text.count("\n", 0, chosen[-1][1])
    return Excerpt(hit, "\n".join(parts), first_line, last_line, tuple(highlights))


def _marks(text: str, wanted: frozenset[str]) -> list[Mark]:
    """Return where wanted terms stand, and which."""
    # A text repeats its words: looking each up once is most of the speed of an excerpt.
    told = {token: terms for token in set(TOKEN.findall(text)) if (terms := wanted.intersection(token_terms(token)))}
    if not told:
        return []
    return [(*match.span(), told[match.group()]) for match in TOKEN.finditer(text) if match.group() in told]


def _held(marks: list[Mark], span: tuple[int, int]) -> int:
    """Return how many different wanted terms a sentence holds."""
    start, end = span
    return len({term for first, last, terms in marks if start <= first and last <= end for term in terms})


def _shortened(text: str, span: tuple[int, int], marks: list[Mark]) -> tuple[int, int]:
    """Return at most `LONGEST` characters of a sentence, around the first of its wanted terms."""
    start, end = span
    if end - start <= LONGEST:
        return start, end
    first = next((mark[0] for mark in marks if start <= mark[0] < end), start)
    begin = max(start, min(first - LONGEST // 3, end - LONGEST))
    return begin, begin + LONGEST

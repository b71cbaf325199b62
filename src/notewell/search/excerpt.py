"""The lines of a hit that answer the plan: its two best sentences, with their terms marked."""

from __future__ import annotations

import re

from notewell.terms import TOKEN, token_terms
from notewell.types import Excerpt, Hit, Plan

# Sentences end at a stop before space, at a line's end, or at the CJK full stop.
SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|[。！？]|(?=\n)|$)")
# Lines that mark structure and say nothing: fences, rules, table borders.
MARKUP = re.compile(r"\s*(?:[`~]{3,}.*|[-=*_|: ]+)$")
SENTENCES = 2
LONGEST = 300


def make_excerpt(hit: Hit, plan: Plan) -> Excerpt:
    """Return the two sentences that hold most of the plan's terms, in the order of the note."""
    wanted = set(plan.terms)
    text = hit.chunk.text.replace("\r", "")
    sentences = [match.span() for match in SENTENCE.finditer(text) if _speaks(match.group())]
    found = {span: _found(text, span, wanted) for span in sentences}
    best = sorted(sentences, key=lambda span: (-len(found[span]), span))[:SENTENCES]
    chosen = sorted(span for span in best if found[span] or not any(found.values()))
    return _excerpt(hit, text, chosen or [(0, min(len(text), LONGEST))], wanted)


def _excerpt(hit: Hit, text: str, spans: list[tuple[int, int]], wanted: set[str]) -> Excerpt:
    parts, highlights, at = [], [], 0
    for start, end in spans:
        part = _shortened(text[start:end], wanted)
        highlights += [(at + first, at + last) for first, last in _marks(part, wanted)]
        parts.append(part)
        at += len(part) + 1
    first_line = hit.chunk.line + text.count("\n", 0, spans[0][0])
    last_line = hit.chunk.line + text.count("\n", 0, spans[-1][1])
    return Excerpt(hit, "\n".join(parts), first_line, last_line, tuple(highlights))


def _speaks(sentence: str) -> bool:
    return bool(sentence.strip()) and not MARKUP.match(sentence)


def _found(text: str, span: tuple[int, int], wanted: set[str]) -> set[str]:
    tokens = TOKEN.findall(text, *span)
    return {term for token in tokens for term in token_terms(token) if term in wanted}


def _marks(text: str, wanted: set[str]) -> list[tuple[int, int]]:
    return [match.span() for match in TOKEN.finditer(text) if wanted.intersection(token_terms(match.group()))]


def _shortened(sentence: str, wanted: set[str]) -> str:
    """Return at most `LONGEST` characters of a sentence, around the first of its wanted terms."""
    sentence = sentence.strip()
    if len(sentence) <= LONGEST:
        return sentence
    marks = _marks(sentence, wanted)
    start = max(0, min(marks[0][0] - LONGEST // 3, len(sentence) - LONGEST)) if marks else 0
    cut = sentence[start : start + LONGEST].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + LONGEST < len(sentence) else ''}"

"""An answer without a model: the best sentences of the best notes, as they stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.chat.passages import Passage
from notewell.chat.sentences import quote_of
from notewell.terms import split_terms
from notewell.types.answer import Citation

# Quotes of an answer.
QUOTES = 3
# A passage with less than this share of the best one's relevance adds noise more often than an answer, and one of less
# than this has nothing to do with the question.
SHARE, LEAST = 0.5, 0.1
# What a place further down among the hits costs, so that the search decides between passages of like relevance. The
# first quote answers more often than in the order of the hits: docs/decisions/chat.md.
PLACE = 0.02
# Quotes that share more than this part of their words say the same.
SAME = 0.8


def extract(passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return quotes of the best passages, each of which stands in its note word for word.

    They are of different notes; only if a single note answers, of several of its passages.
    """
    least = max(LEAST, SHARE * max((passage.relevance for passage in passages), default=0.0))
    near = [passage for passage in passages if passage.relevance >= least]
    near.sort(key=lambda passage: PLACE * passage.number - passage.relevance)
    notes = {passage.hit.path for passage in near}
    chosen: dict[str, Citation] = {}
    for passage in near:
        place = passage.hit.path if len(notes) > 1 else f"{passage.hit.path}:{passage.hit.line}"
        if len(chosen) == QUOTES or place in chosen:
            continue
        quote = quote_of(passage.hit)
        if quote and not any(_repeats(quote, other.quote) for other in chosen.values()):
            chosen[place] = replace(passage.cite(quote), number=len(chosen) + 1)
    return tuple(chosen.values())


def _repeats(quote: str, other: str) -> bool:
    """Tell whether one of two quotes says little that the other does not: notes are often copied in part."""
    words, others = set(split_terms(quote)), set(split_terms(other))
    return len(words & others) > SAME * min(len(words), len(others))


def write(citations: Sequence[Citation]) -> str:
    """Return quotes as the text of an answer, in Markdown: a block for each, with its number."""
    return "\n\n".join(f"{_block(citation.quote)} [{citation.number}]" for citation in citations)


def _block(quote: str) -> str:
    return "\n".join(f"> {line}" for line in quote.split("\n"))

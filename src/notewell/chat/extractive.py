"""An answer without a model: the best sentences of the best notes, as they stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from notewell.chat.passages import Passage
from notewell.chat.quotes import check_quote
from notewell.search.layout import LONGEST
from notewell.types.answer import Citation

# A sentence that asks does not answer.
QUESTION = re.compile(r"\?[\s*_\"'”’)]*$")
# Notes that an answer quotes.
NOTES = 3
# A passage with less than this share of the best one's relevance adds noise more often than an answer, and one of less
# than this has nothing to do with the question.
SHARE, LEAST = 0.6, 0.1


def extract(passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return quotes of the best passages of different notes, each of which stands there word for word."""
    least = max(LEAST, SHARE * max((passage.relevance for passage in passages), default=0.0))
    chosen: dict[str, Citation] = {}
    for passage in passages:
        if len(chosen) == NOTES:
            break
        if passage.hit.path in chosen or passage.relevance < least:
            continue
        if quote := next(_quotes(passage), ""):
            chosen[passage.hit.path] = replace(passage.cite(quote), number=len(chosen) + 1)
    return tuple(chosen.values())


def write(citations: Sequence[Citation]) -> str:
    """Return quotes as the text of an answer, in Markdown: a block for each, with its number."""
    return "\n\n".join(f"{_block(citation.quote)} [{citation.number}]" for citation in citations)


def _block(quote: str) -> str:
    return "\n".join(f"> {line}" for line in quote.split("\n"))


def _quotes(passage: Passage) -> Iterator[str]:
    """Yield the forms of a passage's best sentences that are verified, the most readable first."""
    hit = passage.hit
    lines = hit.text.split("\n")[hit.excerpt.line - hit.line : hit.excerpt.end_line - hit.line + 1]
    sentences = [line for line in hit.excerpt.text.split("\n") if not QUESTION.search(line)]
    # What answers a question in a note follows it.
    following = "\n".join(hit.text.split("\n")[hit.excerpt.end_line - hit.line + 1 :]).strip().split("\n\n")[0]
    # A row of a table is shown with the names of its columns, which are not there; then its lines are quoted.
    forms = (" … ".join(sentences), "" if sentences else following, "\n".join(lines), hit.text)
    for form in forms:
        quote = _shortened(form.strip())
        if check_quote(quote, hit.text) == "match":
            yield quote


def _shortened(quote: str) -> str:
    """Return a quote of at most two sentences' length, cut between words."""
    most = 2 * LONGEST
    return quote if len(quote) <= most else f"{quote[:most].rpartition(' ')[0] or quote[:most]} …"

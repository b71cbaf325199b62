"""Which passages a written answer cites, and whether its quotes are in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notewell.chat.passages import Passage
from notewell.chat.quotes import Quote, find_quotes, numbers_in
from notewell.types.answer import Citation, CitationReason


def cite(text: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return the citations of an answer in their order: one for each quote, then numbers without a quote."""
    by_number = {passage.number: passage for passage in passages}
    quotes = find_quotes(text)
    cited = [_cite(quote, by_number) for quote in quotes]
    quoted = {number for quote in quotes for number in quote.numbers}
    others = [number for number in numbers_in(text) if number not in quoted]
    return (*cited, *(_nothing(number, "", by_number) for number in others))


def _cite(quote: Quote, by_number: Mapping[int, Passage]) -> Citation:
    """Return the citation of a quote: in the passage it names, or else in any; a wrong number is forgiven."""
    named = [by_number[number] for number in quote.numbers if number in by_number]
    checked = [passage.cite(quote.text) for passage in (*named, *by_number.values())]
    verified = next((one for one in checked if one.citation_verified), None)
    if verified or named:
        return verified or checked[0]
    return _nothing(quote.numbers[0] if quote.numbers else 0, quote.text, by_number)


def _nothing(number: int, quote: str, by_number: Mapping[int, Passage]) -> Citation:
    """Return the citation of a passage without a quote, or of words that stand in none."""
    if number in by_number:
        return by_number[number].cite(quote)
    checked = next(iter(by_number.values())).cite(quote).citation_reason if by_number and quote else "no_chunk_text"
    reason: CitationReason = "no_chunk_text" if number else checked
    return Citation(number=number, quote=quote, citation_reason=reason)

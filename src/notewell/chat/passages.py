"""Passages: the chunks of notes that may answer a question, numbered, and how surely they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notewell.chat.quotes import check_quote, locate
from notewell.frozen import frozen
from notewell.search.relevance import judge, nearness, telling_terms
from notewell.terms import count_terms
from notewell.types.answer import Citation
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.types.results import Hit
from notewell.vault import Vault

# Passages that one search gives, as many as fit into the context of a small model.
PASSAGES = 7
# The passages of which the most relevant decides whether the notes answer.
JUDGED = 3
# How much one sentence counts beside its whole passage: words that are spread over a passage answer less often than
# those that stand together. Chosen on half of SQuAD's articles, checked on others: between .3 and .5 nothing changes.
TOGETHER = 0.4


@frozen
class Passage:
    """A chunk that may answer, its number, and its relevance by itself, from 0 to 1."""

    number: int
    hit: Hit
    relevance: float = 0.0

    def cite(self, quote: str = "") -> Citation:
        """Return a citation of this passage; a quote is looked for in its text."""
        hit, reason = self.hit, check_quote(quote, self.hit.text)
        lines = hit.excerpt.line, hit.excerpt.end_line
        if reason == "match":
            first, last = locate(quote, hit.text)
            lines = hit.line + first, hit.line + last
        return Citation(
            number=self.number,
            path=hit.path,
            line=lines[0],
            end_line=lines[1],
            heading=hit.heading,
            quote=quote,
            citation_verified=reason == "match",
            citation_reason=reason,
            uri=hit.uri,
        )


@frozen
class Found:
    """The passages of a search, the best first, how surely they answer, and what the user should know."""

    passages: tuple[Passage, ...]
    confidence: float
    generation: int
    notices: tuple[Notice, ...]


def find_passages(vault: Vault, query: Query) -> Found:
    """Search for passages that answer a question, numbered from 1."""
    results = vault.search(query)
    judged = _relevance(vault, query.text, results.hits)
    passages = tuple(
        Passage(number, hit, relevance)
        for number, (hit, relevance) in enumerate(zip(results.hits, judged, strict=True), start=1)
    )
    return Found(passages, round(max(judged[:JUDGED], default=0.0), 3), results.generation, results.notices)


def _relevance(vault: Vault, question: str, hits: Sequence[Hit]) -> list[float]:
    terms = telling_terms(question)
    if not hits or not terms:
        return [0.0] * len(hits)
    with vault.shown.searching() as (snapshot, _):
        rarities = snapshot.counts(terms).rarities(terms)
    return [_judged(hit, rarities) for hit in hits]


def _judged(hit: Hit, rarities: Mapping[str, float]) -> float:
    """Return the measure that hooks use, mixed with the share of the words' weight that the best sentence has."""
    whole, _ = judge(f"{hit.heading}\n{hit.text}", nearness(hit.votes or ()), rarities)
    sentences = map(count_terms, hit.excerpt.text.split("\n"))
    best = max(sum(rarity for term, rarity in rarities.items() if term in held) for held in sentences)
    return (1 - TOGETHER) * whole + TOGETHER * best / (sum(rarities.values()) or 1.0)

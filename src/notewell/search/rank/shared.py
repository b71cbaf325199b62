"""Notes like others: the best hit of each, and what it has in common with them."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.terms import TOKEN, token_terms
from notewell.types.query import Plan
from notewell.types.results import Hit

# As many words as one reads.
NAMED = 5


def keep_one_a_note(plan: Plan, hits: Sequence[Hit]) -> list[Hit]:
    """Leave the best hit of each note, and say what it shares, where notes related to others are asked for."""
    if not plan.related:
        return list(hits)
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.chunk.path, hit)
    return [hit.rescored(hit.score, by="shared", why=_shared(plan, hit)) for hit in best.values()]


def _shared(plan: Plan, hit: Hit) -> str:
    """Return the most telling words that a hit has in common with the notes, as it writes them."""
    chunk = hit.chunk
    written: dict[str, str] = {}
    for token in TOKEN.findall("\n".join((chunk.text, chunk.heading, chunk.context))):
        for term in token_terms(token):
            written.setdefault(term, token)
    words = dict.fromkeys(written[term] for term in plan.terms if term in written)
    return ", ".join(list(words)[:NAMED]) or "no telling word; near by meaning"

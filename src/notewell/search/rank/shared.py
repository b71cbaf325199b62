"""Notes like others: the best candidate of each, and what it has in common with them."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.terms import TOKEN, token_terms
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

# As many words as one reads.
NAMED = 5


def keep_one_a_note(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave the best candidate of each note, and say what it shares, where notes related to others are asked for."""
    if not plan.related:
        return list(candidates)
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        best.setdefault(candidate.chunk.path, candidate)
    return [
        candidate.rescored(candidate.score, by="shared", why=_shared(plan, candidate)) for candidate in best.values()
    ]


def _shared(plan: Plan, candidate: Candidate) -> str:
    """Return the most telling words that a candidate has in common with the notes, as it writes them."""
    chunk = candidate.chunk
    written: dict[str, str] = {}
    for token in TOKEN.findall("\n".join((chunk.text, chunk.heading, chunk.context))):
        for term in token_terms(token):
            written.setdefault(term, token)
    words = dict.fromkeys(written[term] for term in plan.terms if term in written)
    return ", ".join(list(words)[:NAMED]) or "no telling word; near by meaning"

"""The relevance of a candidate by itself, from 0 to 1: a number that means the same in every vault, for every text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from notewell.terms import count_terms, split_terms, stop_terms
from notewell.types.candidates import Candidate, CastVote
from notewell.types.results import Vote

# How much meaning counts beside words. Chosen on seven collections, checked on five others (`docs/concepts/hooks.md`):
# between 0.5 and 0.7 nothing changes.
MEANING = 0.6
# A chunk that shares one word with a text, however rare, may be about something else: this many count in full.
ENOUGH = 2


def telling_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text that say what it is about, each once, without stop words.

    >>> telling_terms("How do I fix the sourdough, and the oven?")
    ('fix', 'sourdough', 'oven')
    """
    return tuple(term for term in dict.fromkeys(split_terms(text)) if term not in stop_terms())


def keep_sure(candidates: Sequence[Candidate], rarities: Mapping[str, float], floor: float) -> list[Candidate]:
    """Return the candidates whose relevance reaches the floor, the most relevant first, scored by it."""
    judged = (_judged(candidate, rarities) for candidate in candidates)
    sure = [candidate for candidate in judged if candidate.score >= floor]
    return sorted(sure, key=lambda one: (-one.score, one.chunk.path, one.chunk.start))


def _judged(candidate: Candidate, rarities: Mapping[str, float]) -> Candidate:
    """Return the candidate scored by relevance.

    A fused score only compares the hits of one search: its best has about 1 even if nothing answers the text.
    """
    near = nearness(candidate.votes)
    score, why = judge(f"{candidate.chunk.heading}\n{candidate.chunk.text}", near, rarities)
    return candidate.rescored(score, by="relevance", why=why)


def nearness(votes: Iterable[CastVote | Vote]) -> float | None:
    """Return the cosine among the votes; None if no vectors were compared."""
    # A chunk too far down to be ranked counts as unrelated.
    return next((vote.score or 0.0 for vote in votes if vote.retriever == "vector"), None)


def judge(text: str, near: float | None, rarities: Mapping[str, float]) -> tuple[float, str]:
    """Return the relevance of a text, from 0 to 1, and the reason: its share of the words, and closeness in meaning.

    `near` is its cosine with what is asked; None if no vectors were compared.

    >>> judge("A loaf of rye", 0.5, {"loaf": 1.0, "rye": 2.0, "oven": 1.0})
    (0.6000000000000001, "0.75 of the words' weight, cosine 0.50, 2 words")
    """
    held = count_terms(text)
    found = [rarity for term, rarity in rarities.items() if term in held]
    share = sum(found) / (sum(rarities.values()) or 1.0)
    sure = share if near is None else MEANING * max(0.0, near) + (1 - MEANING) * share
    few = min(1.0, (len(found) + 1) / (ENOUGH + 1))
    why = f"{share:.2f} of the words' weight" + ("" if near is None else f", cosine {max(0.0, near):.2f}")
    return min(1.0, sure * few), f"{why}, {len(found)} words"

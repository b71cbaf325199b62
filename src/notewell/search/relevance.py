"""How sure a hit is, whatever else was found: a number that means the same in every vault and for every text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notewell.search.stopwords import stop_terms
from notewell.terms import count_terms, split_terms
from notewell.types.results import Excerpt, Hit

# What meaning counts beside words. Chosen on seven collections, checked on five others (`docs/concepts/hooks.md`):
# between 0.5 and 0.7 nothing changes.
MEANING = 0.6
# A chunk that shares one word with a text, however rare, may well speak of something else: so many count in full.
ENOUGH = 2


def telling_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text that say what it is about, each once.

    >>> telling_terms("How do I fix the sourdough, and the oven?")
    ('fix', 'sourdough', 'oven')
    """
    return tuple(term for term in dict.fromkeys(split_terms(text)) if term not in stop_terms())


def surest_first(found: Sequence[Excerpt], limit: int) -> list[Excerpt]:
    """Return what several texts found, each chunk once, as it is surest; equal ones in the order of path and line."""
    best: dict[tuple[str, int], Excerpt] = {}
    for excerpt in sorted(found, key=lambda one: (-one.score, one.path, one.hit.chunk.start)):
        best.setdefault((excerpt.path, excerpt.hit.chunk.start), excerpt)
    return list(best.values())[:limit]


def relevant(hits: Sequence[Hit], rarities: Mapping[str, float], least: float) -> list[Hit]:
    """Return the hits that are at least so sure, in their order; how sure they are is now their score."""
    judged = (_judged(hit, rarities) for hit in hits)
    return [hit for hit in judged if hit.score >= least]


def _judged(hit: Hit, rarities: Mapping[str, float]) -> Hit:
    """Return the hit with its relevance, from 0 to 1: how much of the text's weight it holds, and how near it is.

    A fused score compares the hits of one search, the best of which has about 1 though none may answer it.
    """
    held = count_terms(f"{hit.chunk.heading}\n{hit.chunk.text}")
    found = [rarity for term, rarity in rarities.items() if term in held]
    share = sum(found) / (sum(rarities.values()) or 1.0)
    near = _nearness(hit)
    sure = share if near is None else MEANING * near + (1 - MEANING) * share
    few = min(1.0, (len(found) + 1) / (ENOUGH + 1))
    why = f"{share:.2f} of the words' weight" + ("" if near is None else f", cosine {near:.2f}")
    return hit.rescored(min(1.0, sure * few), by="relevance", why=f"{why}, {len(found)} words")


def _nearness(hit: Hit) -> float | None:
    """Return the cosine of a hit; where no vectors were compared, nothing."""
    votes = [vote for vote in hit.votes if vote.retriever == "vector"]
    # Too far down to be ranked is as far as can be.
    return max(0.0, votes[0].score or 0.0) if votes else None

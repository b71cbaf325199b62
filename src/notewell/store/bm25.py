"""BM25 as every store computes it: weighted terms, chunk lengths, and how rare a term is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from notewell.terms import DATA, KEY, count_terms
from notewell.types.note import Chunk

# Robertson's constants as most engines set them; .9/.4 and 1.2/.75 were no better over nine collections.
K1 = 1.5
B = 0.75

# Weights of a chunk's three texts, in tenths: a heading names a subject, the lines are about it.
BODY, HEADING, CONTEXT = 10, 5, 3
UNIT = 10
# The highest weight that counts: past 25 occurrences BM25 hardly tells a difference, and it fits into one byte.
MOST = 255
# A prefix stands for at most this many terms, the most frequent ones: rarer ones are noise more often than hits.
EXPANDED = 50
# The worth of an occurrence of a stand-in: a guess must not beat the word itself.
STAND_IN = 0.6


def weigh_terms(chunk: Chunk) -> dict[str, int]:
    """Return a chunk's terms with their weights, in tenths of an occurrence in its lines.

    >>> weigh_terms(Chunk("a.md", "rye bread, rye", 1, 1, title="Bread"))
    {'rye': 20, 'bread': 18, 'a': 3}
    """
    weights = {term: times * BODY for term, times in _count_lines(chunk).items()}
    for counts, weight in ((_count_again(chunk.heading), HEADING), (_count_again(chunk.context), CONTEXT)):
        for term, times in counts.items():
            weights[term] = weights.get(term, 0) + times * weight
    return weights


def _count_lines(chunk: Chunk) -> dict[str, int]:
    """Return how often each term occurs in a chunk's lines; keys of data files count once, however often repeated.

    >>> _count_lines(Chunk("a.json", "oven.heat: 220\\nstove.heat: heat", 1, 2))
    {'oven': 1, 'heat': 2, '220': 1, 'stove': 1}
    """
    counts = count_terms(chunk.text)
    if chunk.path.endswith(DATA):
        for term, times in count_terms("\n".join(KEY.findall(chunk.text))).items():
            counts[term] -= times - 1
    return counts


# The chunks of a note share their context, and often their headings.
_count_again = lru_cache(maxsize=64)(count_terms)


def stored_length(weights: Mapping[str, int]) -> int:
    """Return the length of a chunk in occurrences, to fit into two bytes; never 0."""
    return min(max(sum(weights.values()) // UNIT, 1), 65_535)


def length_norms(lengths: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Return BM25's length term for every chunk; infinite for a length of 0, so that it never scores."""
    live = lengths > 0
    mean = float(lengths[live].mean()) if live.any() else 1.0
    norms = np.full(lengths.size, np.inf, dtype=np.float32)
    norms[live] = K1 * (1 - B + B * lengths[live] / mean)
    return norms


def rarity(holding: int, chunks: int) -> float:
    """Return the inverse document frequency of a term that `holding` of all chunks hold; never negative."""
    return float(np.log1p((chunks - holding + 0.5) / (holding + 0.5)))

"""Postings and BM25: which chunks hold a term, how often, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from notewell.terms import DATA, KEY, count_terms
from notewell.types.note import Chunk

# Slots in a block: as many as two bytes can number.
BLOCK = 1 << 16

# Robertson's constants as most engines set them; .9/.4 and 1.2/.75 were no better over nine collections.
K1 = 1.5
B = 0.75

# Weights of a chunk's three texts, in tenths: a heading names a subject, the lines are about it.
BODY, HEADING, CONTEXT = 10, 5, 3
UNIT = 10

Counts = npt.NDArray[np.uint8]


def weigh_terms(chunk: Chunk) -> dict[str, int]:
    """Return the chunk's terms, counted in tenths of an occurrence in its lines.

    >>> weigh_terms(Chunk("a.md", "rye bread, rye", 1, 1, title="Bread"))
    {'rye': 20, 'bread': 18, 'a': 3}
    """
    weights = {term: times * BODY for term, times in _count_lines(chunk).items()}
    for counts, weight in ((_count_again(chunk.heading), HEADING), (_count_again(chunk.context), CONTEXT)):
        for term, times in counts.items():
            weights[term] = weights.get(term, 0) + times * weight
    return weights


def _count_lines(chunk: Chunk) -> dict[str, int]:
    """Return how often each term occurs in the chunk's lines; a key of data once, however often it is repeated.

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
    """Return the length of a chunk, in occurrences, as its slot has it: two bytes, and never 0, which means free."""
    return min(max(sum(weights.values()) // UNIT, 1), 65_535)


def pack(places: npt.NDArray[np.uint16], counts: Counts) -> bytes:
    """Return a posting list as bytes."""
    return places.tobytes() + counts.tobytes()


def unpack(data: bytes) -> tuple[npt.NDArray[np.uint16], Counts]:
    """Return the places within the block and the weighted counts of a posting list."""
    size = len(data) // 3
    return np.frombuffer(data, np.uint16, size), np.frombuffer(data, np.uint8, size, 2 * size)


def merge(data: bytes, removed: npt.NDArray[np.uint16], places: npt.NDArray[np.uint16], counts: Counts) -> bytes:
    """Return the posting list without the removed places and with the new ones, in order."""
    old_places, old_counts = unpack(data)
    if removed.size:
        kept = ~np.isin(old_places, removed)
        old_places, old_counts = old_places[kept], old_counts[kept]
    if not places.size:
        return pack(old_places, old_counts)
    if old_places.size and old_places[-1] > places[0]:
        every, weights = np.concatenate((old_places, places)), np.concatenate((old_counts, counts))
        order = np.argsort(every, kind="stable")
        return pack(every[order], weights[order])
    return pack(np.concatenate((old_places, places)), np.concatenate((old_counts, counts)))


def length_norms(lengths: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Return BM25's length term for every slot; a free slot's is infinite, so that it never scores."""
    live = lengths > 0
    mean = float(lengths[live].mean()) if live.any() else 1.0
    norms = np.full(lengths.size, np.inf, dtype=np.float32)
    norms[live] = K1 * (1 - B + B * lengths[live] / mean)
    return norms

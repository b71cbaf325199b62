"""BM25 as every store computes it: weighted terms, chunk lengths, and how rare a term is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.terms import DATA, KEY, count_terms
from notewell.types.note import Chunk

# Robertson's constants as most engines set them; .9/.4 and 1.2/.75 were no better over nine collections.
K1 = 1.5
B = 0.75
# A note counts as at least this share of the mean length, or as this many words if that is less: among notes of a line
# or two, one word would otherwise weigh as much as the subject of a page. Both from trials on the titles of four vaults
# (docs/decisions/search.md); where all notes are short, as in collections of functions, little changes.
LEAST_OF_MEAN, LEAST_WORDS = 0.5, 100

# Weights of a chunk's texts, in tenths: its lines, the headings above them, the note's title and properties, and the
# rest of its context. An item of a list that begins with a link is about another note.
BODY, LINK_ITEM = 10, 3
HEADING, TITLE, PROPERTY, CONTEXT = 10, 8, 10, 3
UNIT = 10
# Grows with a change of these weights: what was stored with others cannot be compared with what they give.
WEIGHING = 2
# The highest weight that counts: past 25 occurrences BM25 hardly tells a difference, and it fits into one byte.
MOST = 255
# The shares of a chunk's score that are its note's: BM25 over all chunks of the note together, and the score of the
# first of them, since a note says at its beginning what it is about. The rest is the chunk's own: a note with one chunk
# scores as that chunk.
OF_ALL_CHUNKS = 0.5
OF_FIRST_CHUNK = 0.2
NOTE_SHARE = OF_ALL_CHUNKS + OF_FIRST_CHUNK
# A prefix stands for at most this many terms, the most frequent ones: rarer ones are noise more often than hits.
EXPANDED = 50
# The worth of an occurrence of a stand-in: a guess must not beat the word itself.
STAND_IN = 0.6

# An item of a list, a task among them, that begins with a link, an embed or an address.
LINK_ITEMS = re.compile(
    r"""^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?([*_"“]{0,3}(?:!?\[(?![ xX]\])|<?https?:).*)""",
    re.MULTILINE,
)


def weigh_terms(chunk: Chunk) -> dict[str, int]:
    """Return a chunk's terms with their weights, in tenths of an occurrence in its lines.

    >>> weigh_terms(Chunk("a.md", "rye bread, rye", 1, 1, title="Bread"))
    {'rye': 20, 'bread': 18, 'a': 3}
    >>> weigh_terms(Chunk("a.md", "- [ ] rye\\n- [[Bread]]", 1, 2))
    {'rye': 10, 'bread': 3, 'a': 3}
    """
    weights = {term: times * BODY for term, times in _count_lines(chunk).items()}
    linked = [] if chunk.path.endswith(DATA) else LINK_ITEMS.findall(chunk.text)
    headings = chunk.headings[1:] if chunk.headings[:1] == (chunk.title,) else chunk.headings
    path = chunk.path.rpartition(".")[0]
    for text, weight in (
        ("\n".join(linked), LINK_ITEM - BODY),
        ("\n".join(headings), HEADING),
        (chunk.title, TITLE),
        (chunk.properties, PROPERTY),
        ("\n".join((path, chunk.kind, *chunk.tags, *chunk.aliases)), CONTEXT),
    ):
        for term, times in _count_again(text).items() if text else ():
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


def length_norms(lengths: npt.NDArray[np.number[Any]]) -> npt.NDArray[np.float32]:
    """Return BM25's length term for every chunk or note; infinite for a length of 0, so that it never scores."""
    live = lengths > 0
    norms = np.full(lengths.size, np.inf, dtype=np.float32)
    if live.any():
        norms[live] = K1 * (1 - B + B * lengths[live] / lengths[live].mean())
    return norms


def lengthening(lengths: npt.NDArray[np.number[Any]]) -> npt.NDArray[np.float64]:
    """Return how many times its length each note counts, and each of its chunks; 1 but for short notes.

    >>> lengthening(np.array([10, 40, 150, 0]))
    array([3.33333333, 1.        , 1.        , 1.        ])
    """
    live = lengths > 0
    least = min(LEAST_OF_MEAN * lengths[live].mean(), LEAST_WORDS) if live.any() else 0
    times = np.ones(lengths.size)
    times[live] = np.maximum(1, least / lengths[live])
    return times


def rarity(holding: int, chunks: int) -> float:
    """Return the inverse document frequency of a term that `holding` of all chunks hold; never negative."""
    return float(np.log1p((chunks - holding + 0.5) / (holding + 0.5)))

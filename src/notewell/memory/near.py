"""What already says nearly the same as a text: by its words and by its meaning, a passage at a time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notewell.embed import Embedder
from notewell.search.sentences import CODE, WRAPPED, find_blocks, find_sentences, kind_of
from notewell.store import Matching
from notewell.terms import count_terms, stop_terms
from notewell.types.note import Chunk
from notewell.types.query import EVERYTHING

# From here on two texts say nearly the same. On the pairs that it was chosen by, .62 tells best; it is higher, since a
# memory that is refused wrongly may be lost, and one that is written twice is not (tests/quality/near.toml).
THRESHOLD = 0.66
# The most that can be said of texts which are not the same word for word.
ALMOST = 0.99
# Chunks that each retriever puts forward, and near ones that are shown.
CANDIDATES = 20
SHOWN = 3
# The rarest words of a long text are enough to find what is like it.
TERMS = 40
EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Near:
    """A place that says nearly the same, and how nearly: 1 where it is the same, word for word."""

    path: str
    line: int
    title: str
    similarity: float
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that can be compared with a text."""

    path: str
    line: int
    title: str
    text: str


def same_words(text: str) -> str:
    """Return what two texts share that are the same but for case, spaces and the form of their signs.

    >>> same_words("Rye  needs\\nWater") == same_words("rye needs water")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def find_near(text: str, passages: Sequence[Passage], embedder: Embedder) -> list[Near]:
    """Return the passages that say nearly the same as the text, the nearest first, one of each note."""
    vectors = embedder.embed([text, *(passage.text for passage in passages)])
    cosines = vectors[1:] @ vectors[0]
    words, same = telling(text), same_words(text)
    best: dict[str, Near] = {}
    for passage, cosine in zip(passages, cosines.tolist(), strict=True):
        repeated = same_words(passage.text) == same
        similarity = 1.0 if repeated else likeness(cosine, shared(words, telling(passage.text)))
        if similarity >= THRESHOLD and similarity > getattr(best.get(passage.path), "similarity", 0.0):
            near = Near(passage.path, passage.line, passage.title, round(similarity, 3), passage.text[:EXCERPT])
            best[passage.path] = near
    return sorted(best.values(), key=lambda near: (-near.similarity, near.path))[:SHOWN]


def likeness(cosine: float, words: float) -> float:
    """Return how nearly two texts say the same: by meaning and by words, half each."""
    return min(ALMOST, max(0.0, cosine) / 2 + words / 2)


def telling(text: str) -> frozenset[str]:
    """Return the terms of a text that say something; all, if none does."""
    terms = frozenset(count_terms(text))
    return terms - stop_terms() or terms


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return which share of their words two texts have in common.

    >>> shared(frozenset({"rye", "water"}), frozenset({"rye", "salt"}))
    0.5
    """
    return 2 * len(one & other) / max(1, len(one) + len(other))


def stored_passages(text: str, snapshot: Matching, embedder: Embedder | None) -> Iterator[Passage]:
    """Yield what the store holds that may say the same: the passages of the chunks nearest to the text."""
    words = telling(text)
    rarities = snapshot.counts(words).rarities(words)
    terms = sorted(rarities, key=lambda term: (-rarities[term], term))[:TERMS]
    found = snapshot.match(terms, EVERYTHING, CANDIDATES).found
    if embedder is not None:
        found += snapshot.nearest(embedder.embed([text])[0], EVERYTHING, CANDIDATES).found
    sentences = count_sentences(text)
    for chunk in snapshot.chunks(list(dict.fromkeys(number for number, _ in found))).values():
        yield from passages_of(chunk, sentences)


def count_sentences(text: str) -> int:
    """Return how many sentences a text has."""
    return sum(len(find_sentences(text, block)) for block in find_blocks(text, WRAPPED)) or 1


def passages_of(chunk: Chunk, sentences: int) -> Iterator[Passage]:
    """Yield the whole of a chunk, and each run of as many sentences in it; a line of code says nothing by itself."""
    yield Passage(chunk.path, chunk.line, chunk.title, chunk.text)
    blocks = (block for block in find_blocks(chunk.text, kind_of(chunk)) if block.kind != CODE)
    units = [unit for block in blocks for unit in find_sentences(chunk.text, block)]
    for first in range(len(units) - sentences + 1):
        start, end = units[first].start, units[first + sentences - 1].end
        if end - start < len(chunk.text.strip()):
            line = chunk.line + chunk.text.count("\n", 0, start)
            yield Passage(chunk.path, line, chunk.title, chunk.text[start:end])

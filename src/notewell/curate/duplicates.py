"""Notes that say nearly the same: found by their vectors, checked by their words."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.embed.vectors import unit
from notewell.frozen import frozen
from notewell.memory.near import distinctive_terms, overlap, same_words, similarity_of
from notewell.store import Snapshot
from notewell.store.vectors import unit_rows
from notewell.types.note import Vectors

# Two notes with a lower overlap of their words were never proposed. Below that by a tenth, as a note may have grown.
STILL_SAME = 0.7
# Two notes whose mean vectors are less alike have too few words in common.
CLOSE = 0.95
# From this similarity on, one of two notes can go: by words and by meaning, half each.
SAME = 0.9
# Notes that are compared with all others, the last ones in the store: the time grows with their number.
COMPARED = 20_000
# Rows of the comparison that are held at once.
BLOCK = 512
# Chunks that are read at once.
BATCH = 2_000
# A row that more others are like than this is looked at before its pairs are kept.
CROWD = 20
# A shorter note is a heading, or a list of links: many are the same and mean different things.
FEWEST_WORDS = 30


@frozen
class Duplicate:
    """Two notes that say nearly the same."""

    path: str
    """The note that fewer notes link to, or else the shorter one."""
    of: str
    """The other one."""
    similarity: float
    """How similar they are; 1 is the same, word for word."""
    links: int
    """How many notes link to the first."""


def find_duplicates(
    snapshot: Snapshot,
    most: int,
    without: Sequence[str] = (),
    wanted: Callable[[Duplicate], bool] = bool,
    *,
    suffix: str = "",
) -> list[Duplicate]:
    """Return pairs of notes with this suffix that say nearly the same, the most similar first; no note is in two."""
    ids, taken, found = snapshot.ids(), {*without}, []
    edges, lists = snapshot.edges().to_notes, [ids[path] for path in without if path in ids]
    linked = Counter(edges.targets[~np.isin(edges.sources, lists)].tolist())
    told = cache(lambda path: _told(path, snapshot))

    def is_long(path: str) -> bool:
        return len(told(path).words) >= FEWEST_WORDS

    for cosine, *pair in _close_notes(snapshot, is_long):
        if taken & {*pair} or not all(path.endswith(suffix) for path in pair):
            continue
        one, other = map(told, pair)
        if not all(map(is_long, pair)) or (similarity := _similarity(one, other, cosine)) < SAME:
            continue
        order = sorted((0, 1), key=lambda which: (linked[ids[pair[which]]], told(pair[which]).length, pair[which]))
        gone, kept = (pair[which] for which in order)
        # Of a pair that is not wanted, only one goes: the other may have more copies.
        taken.add(gone)
        if wanted(made := Duplicate(gone, kept, round(similarity, 3), linked[ids[gone]])):
            found.append(made)
            taken.add(kept)
        if len(found) == most:
            break
    return sorted(found, key=lambda one: (-one.similarity, one.path))


class _Told(NamedTuple):
    """What is compared of a note: the length of its text, its terms, and a digest of its words."""

    length: int
    words: frozenset[str]
    same: bytes


def _told(path: str, snapshot: Snapshot) -> _Told:
    text = text_of(path, snapshot)
    return _Told(len(text), distinctive_terms(text), blake2b(same_words(text).encode("utf-8", "replace")).digest())


def _similarity(one: _Told, other: _Told, cosine: float) -> float:
    return 1.0 if one.same == other.same else similarity_of(cosine, overlap(one.words, other.words))


def still_same(one: str, other: str) -> bool:
    """Tell whether the bodies of two notes still have most of their words in common."""
    return overlap(distinctive_terms(one), distinctive_terms(other)) >= STILL_SAME or same_words(one) == same_words(
        other
    )


def text_of(path: str, snapshot: Snapshot) -> str:
    """Return the stored text of a note, without secrets."""
    return "\n".join(chunk.text for chunk in snapshot.chunks(snapshot.chunks_of(path)).values())


def _close_notes(snapshot: Snapshot, wanted: Callable[[str], bool]) -> Iterator[tuple[float, str, str]]:
    """Return the pairs of notes that are alike, with the cosines of their vectors, the most alike first.

    Of many notes that are like each other, only those `wanted` are returned.
    """

    def named(paths: Sequence[str], vectors: Vectors) -> Iterator[tuple[float, str, str]]:
        for cosine, one, other in close_pairs(vectors, lambda row: wanted(paths[row])):
            yield cosine, paths[one], paths[other]

    return heapq.merge(*(named(*group) for group in note_vectors(snapshot)), key=lambda pair: -pair[0])


def note_vectors(snapshot: Snapshot) -> list[tuple[list[str], Vectors]]:
    """Return the notes and the mean vector of each, apart for each embedder; nothing from a store without vectors."""
    apart, in_part = snapshot.apart(), defaultdict[str, dict[str, Sequence[int]]](dict)
    for path in snapshot.ids():
        chunks = snapshot.chunks_of(path)
        name = snapshot.domain_of(chunks[0]) if apart and chunks else ""
        in_part[name if name in apart else ""][path] = chunks
    found: defaultdict[str, list[tuple[list[str], Vectors]]] = defaultdict(list)
    for name, notes in in_part.items():
        own, first = apart.get(name, (snapshot, 0))
        if own.state.made_for.dimensions:
            found[own.state.made_for.embedder].append(([*notes], _means([*notes.values()], own, first)))
    return [
        ([*chain.from_iterable(paths for paths, _ in parts)], np.concatenate([vectors for _, vectors in parts]))
        for parts in found.values()
    ]


def _means(notes: Sequence[Sequence[int]], snapshot: Snapshot, first: int) -> Vectors:
    """Return the mean vector of the chunks of each note; `first` was added to the ids of this state."""
    rows = {chunk - first: row for row, chunks in enumerate(notes) for chunk in chunks}
    sums, chunks = np.zeros((len(notes), snapshot.state.made_for.dimensions), dtype=np.float32), sorted(rows)
    for start in range(0, len(chunks), BATCH):
        ids = chunks[start : start + BATCH]
        np.add.at(sums, [rows[chunk] for chunk in ids], unit_rows(snapshot.vectors(ids).values()))
    return unit(sums)


def close_pairs(vectors: Vectors, wanted: Callable[[int], bool] = lambda row: True) -> Iterator[tuple[float, int, int]]:
    """Yield the pairs of rows that are alike, with their cosines, the most alike first.

    Rows that many others are like are left out unless they are `wanted`: a thousand daily notes from one template have
    half a million pairs.

    >>> [*close_pairs(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32))]
    [(1.0, 0, 2)]
    """
    pairs: list[tuple[npt.NDArray[Any], ...]] = [(np.zeros(0, np.float32), *np.zeros((2, 0), np.int64))]
    looked, is_wanted = np.zeros(len(vectors), dtype=np.bool_), np.ones(len(vectors), dtype=np.bool_)
    for start in range(max(0, len(vectors) - COMPARED), len(vectors), BLOCK):
        cosines = vectors[start : start + BLOCK] @ vectors[: start + BLOCK].T
        # Each pair once; rows before the first that is compared only stand on the other side.
        rows, others = np.nonzero(np.tril(cosines >= CLOSE, start - 1))
        number = np.bincount(np.concatenate((rows + start, others)), minlength=len(vectors))
        for row in np.flatnonzero((number > CROWD) & ~looked).tolist():
            looked[row], is_wanted[row] = True, wanted(row)
        kept = is_wanted[rows + start] & is_wanted[others]
        rows, others = rows[kept], others[kept]
        pairs.append((cosines[rows, others], others, rows + start))
    values, ones, others = (np.concatenate([part[column] for part in pairs]) for column in range(3))
    for place in np.lexsort((others, ones, -values)).tolist():
        yield float(values[place]), int(ones[place]), int(others[place])

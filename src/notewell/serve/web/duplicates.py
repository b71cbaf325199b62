"""Notes that say nearly the same: candidates by the codes of their vectors, judged by their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from notewell.files.control_chars import escaped
from notewell.frozen import frozen
from notewell.store import Snapshot
from notewell.terms import split_terms
from notewell.vault import Vault

# Words that two notes share, as a part of the words of both, from which on they say nearly the same.
ALIKE = 0.85
# A note of fewer words says too little to be compared: a stub, or a template.
FEWEST = 20
# Pairs that are listed, and candidates that are read for them, the likeliest first.
LISTED, READ = 100, 400
# Vectors that are read together.
GROUP = 4_000
# The code of a vector has a bit for each of its first numbers. Chunks with the same band of bits are candidates: two
# chunks that differ in a word or two have most bands in common.
BANDS, BITS = 8, 32


@frozen
class Duplicate:
    """Two notes that say nearly the same."""

    path: str
    """One note, from the vault's root."""
    other: str
    """The other one."""
    share: float
    """The part of the words of both that they share, from 0 to 1."""


@frozen
class Duplicates:
    """The notes of a vault that say nearly the same."""

    pairs: tuple[Duplicate, ...]
    """Pairs of notes, the most alike first; at most 100."""


def find_duplicates(vault: Vault) -> Duplicates:
    """Return the pairs of notes that say nearly the same; none for a vault that is not indexed."""
    if not vault.indexed:
        return Duplicates(())
    with vault.shown.answering() as snapshot:
        found = [pair for pair in (_judged(snapshot, *each) for each in _candidates(snapshot)) if pair]
    return Duplicates(tuple(sorted(found, key=lambda pair: (-pair.share, pair.path, pair.other))[:LISTED]))


def _candidates(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return pairs of notes, those that share the most of their chunks first."""
    paths, chunks = list(snapshot.ids()), list[int]()
    notes: list[int] = []
    for note, path in enumerate(paths):
        own = snapshot.chunks_of(path)
        chunks += own
        notes += [note] * len(own)
    codes, of = _codes(snapshot, chunks), np.array(notes, dtype=np.int64)
    sizes, shared = Counter(notes), Counter[tuple[int, int]]()
    for band in range(codes.shape[1]):
        shared.update(_neighbours(codes[:, band], of))
    # By how many bands agree, for each chunk of the larger note.
    part = {pair: times / max(sizes[pair[0]], sizes[pair[1]]) for pair, times in shared.items()}
    best = sorted(part, key=lambda pair: (-part[pair], paths[pair[0]], paths[pair[1]]))[:READ]
    return [(paths[one], paths[other]) for one, other in best]


def _codes(snapshot: Snapshot, chunks: Sequence[int]) -> npt.NDArray[np.uint32]:
    """Return the code of each chunk as a row of bands; of no width if chunks have no vectors."""
    rows: list[npt.NDArray[np.uint32]] = []
    for first in range(0, len(chunks), GROUP):
        group = chunks[first : first + GROUP]
        vectors = snapshot.vectors(group)
        made = [vectors[chunk] for chunk in group]
        size = max((vector.size for vector in made if vector is not None), default=0)
        whole = np.stack([vector if vector is not None else np.zeros(size, np.float32) for vector in made])
        bits = whole[:, : BANDS * BITS] > 0
        packed = np.packbits(bits[:, : bits.shape[1] // BITS * BITS], axis=1)
        rows.append(np.ascontiguousarray(packed).view(np.uint32))
    return np.concatenate(rows) if rows else np.zeros((0, 0), np.uint32)


def _neighbours(band: npt.NDArray[np.uint32], of: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield pairs of notes with a chunk that has the same band; of many such notes, each with the next one."""
    order = np.lexsort((of, band))
    same = np.flatnonzero((band[order][1:] == band[order][:-1]) & (of[order][1:] != of[order][:-1]))
    for place in same.tolist():
        yield int(of[order[place]]), int(of[order[place + 1]])


def _judged(snapshot: Snapshot, path: str, other: str) -> Duplicate | None:
    one, two = _words(snapshot, path), _words(snapshot, other)
    total = one.total() + two.total()
    if min(one.total(), two.total()) < FEWEST:
        return None
    share = 2 * (one & two).total() / total
    return Duplicate(escaped(path), escaped(other), round(share, 3)) if share >= ALIKE else None


def _words(snapshot: Snapshot, path: str) -> Counter[str]:
    words = Counter[str]()
    for before, chunk in pairwise((None, *snapshot.chunks(snapshot.chunks_of(path)).values())):
        # Chunks of a long paragraph overlap by some lines.
        skipped = before.end_line - chunk.line + 1 if before and chunk and before.end_line >= chunk.line else 0
        words.update(split_terms("\n".join(chunk.text.split("\n")[skipped:])) if chunk else ())
    return words

"""Postings: which chunks hold a term, and how often; collected by chunk, stored by term."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.store.bm25 import MOST
from notewell.store.tables.checked import damaged

# Slots in a block: as many as two bytes can number.
BLOCK = 1 << 16
# A key is a term's rank, then a block; both with the place in the block fit into 64 bits.
BLOCK_BITS = BLOCK.bit_length() - 1
SLOT_BITS = 32

Counts = npt.NDArray[np.uint8]
Places = npt.NDArray[np.uint16]
Keys = npt.NDArray[np.uint64]


def pack(places: Places, counts: Counts) -> bytes:
    """Return a posting list as bytes: places within the block, then weighted counts."""
    return places.tobytes() + counts.tobytes()


def unpack(data: bytes) -> tuple[Places, Counts]:
    """Return the places within the block and the weighted counts of a posting list."""
    size, rest = divmod(len(data), 3)
    if rest:
        raise damaged("a posting list is cut off")
    return np.frombuffer(data, np.uint16, size), np.frombuffer(data, np.uint8, size, 2 * size)


def merge(data: bytes, removed: Places, places: Places, counts: Counts) -> bytes:
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


class ListChange(NamedTuple):
    """The change of one posting list: places removed, places and counts added."""

    term: str
    block: int
    removed: Places
    places: Places
    counts: Counts


class Postings:
    """The terms of chunks added and removed in a batch, a few bytes for each posting."""

    def __init__(self) -> None:
        # A term's number: how many there were before it.
        self._terms: defaultdict[str, int] = defaultdict()
        self._terms.default_factory = self._terms.__len__
        self._added_terms, self._added_slots, self._added_counts = array("I"), array("I"), array("B")
        self._removed_terms, self._removed_slots = array("I"), array("I")
        self._filled: set[int] = set()
        self._emptied: set[int] = set()

    def add(self, slot: int, weights: Mapping[str, int]) -> None:
        """Add the terms of a chunk."""
        self._filled.add(slot)
        self._added_terms.extend(self._numbers(weights))
        counts = weights.values()
        # Few chunks have a term so often that it has to be cut.
        self._added_counts.extend([min(each, MOST) for each in counts] if max(counts, default=0) > MOST else counts)
        self._added_slots.extend(array("I", [slot]) * len(weights))

    def drop(self, slot: int, weights: Mapping[str, int]) -> None:
        """Remove the terms of a chunk."""
        if slot in self._filled:
            # It was added in the same batch: nothing of it is stored.
            self._emptied.add(slot)
            return
        self._removed_terms.extend(self._numbers(weights))
        self._removed_slots.extend([slot] * len(weights))

    def changes(self) -> Iterator[ListChange]:
        """Yield each changed posting list, in the order of terms and blocks."""
        names = sorted(self._terms)
        ranks = np.empty(len(names), dtype=np.uint64)
        ranks[[self._terms[name] for name in names]] = np.arange(len(names), dtype=np.uint64)
        added, order = _sorted(ranks, self._added_terms, self._added_slots, without=self._emptied)
        counts = np.frombuffer(self._added_counts, np.uint8)[order]
        removed, _ = _sorted(ranks, self._removed_terms, self._removed_slots)
        keys = np.union1d(added >> np.uint64(BLOCK_BITS), removed >> np.uint64(BLOCK_BITS))
        gains, losses = _bounds(added, keys), _bounds(removed, keys)
        places, lost = _places(added), _places(removed)
        for key, first, last, start, end in zip(keys.tolist(), *gains, *losses, strict=True):
            rank, block = divmod(key, 1 << (SLOT_BITS - BLOCK_BITS))
            yield ListChange(names[rank], block, lost[start:end], places[first:last], counts[first:last])

    def _numbers(self, weights: Mapping[str, int]) -> Iterator[int]:
        return map(self._terms.__getitem__, weights)


def _sorted(
    ranks: Keys, terms: array[int], slots: array[int], without: Collection[int] = ()
) -> tuple[Keys, npt.NDArray[np.int64]]:
    """Return a key of term and slot for each posting, sorted, and the order that sorted them."""
    slot = np.frombuffer(slots, np.uint32).astype(np.uint64)
    keys = (ranks[np.frombuffer(terms, np.uint32)] << np.uint64(SLOT_BITS)) | slot
    order = np.argsort(keys, kind="stable")
    if without:
        order = order[~np.isin(slot[order], list(without))]
    return keys[order], order


def _bounds(full: Keys, keys: Keys) -> tuple[list[int], list[int]]:
    """Return where the postings of each key begin and end."""
    blocks = full >> np.uint64(BLOCK_BITS)
    return np.searchsorted(blocks, keys).tolist(), np.searchsorted(blocks, keys, side="right").tolist()


def _places(full: Keys) -> Places:
    places: Places = (full & np.uint64(BLOCK - 1)).astype(np.uint16)
    return places

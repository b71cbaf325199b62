"""Parts of a store: a note's is a hash of its path, and its chunks have slots in blocks of that part."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import count

import numpy as np

from notewell.store.tables.arrays import GROWTH, Blocks
from notewell.store.tables.postings import BLOCK


def part_of(path: str, parts: int) -> int:
    """Return the part of a note. It must never change: rows are looked for where they were put.

    >>> part_of("a.md", 1), part_of("a.md", 16), part_of("b.md", 16)
    (0, 1, 12)
    """
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogateescape"), digest_size=4).digest(), "big") % parts


def part_of_block(number: int, parts: int, slots: int = BLOCK) -> int:
    """Return the part of a block of postings, or of a row of arrays with fewer slots.

    >>> part_of_block(5, 4), part_of_block(5, 4, 4_096)
    (1, 0)
    """
    return number * slots // BLOCK % parts


def free_slots(blocks: Blocks, part: int, parts: int) -> Iterator[int]:
    """Yield the free slots of a part, lowest first, making new ones when they run out."""
    for block in count(part, parts):
        first, end = block * BLOCK, (block + 1) * BLOCK
        at = max(first, min(blocks.lengths.size, end))
        yield from (first + np.flatnonzero(blocks.lengths[first:at] == 0)).tolist()
        while at < end:
            # An eighth more each time: a vault of any size copies its arrays only a few times as it grows.
            grown = min(end, at + max(GROWTH, at // 8 // GROWTH * GROWTH))
            blocks.extend(grown)
            yield from range(at, grown)
            at = grown

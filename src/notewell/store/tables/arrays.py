"""Arrays over all slots: each chunk's length, note and one-bit code of its vector; what searches share in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.store.bm25 import length_norms, lengthening
from notewell.store.tables.checked import MOST, damaged, decodes
from notewell.store.tables.masks import Masks
from notewell.store.tables.postings import BLOCK
from notewell.store.tables.reader import Reader
from notewell.store.tables.vectors import VectorCache
from notewell.store.tables.vocabulary import AllTerms
from notewell.types.note import Vectors

# Slots are added this many at a time, so that a growing vault does not copy its arrays for every note.
GROWTH = 256
# Ids of notes are places in an array as they are, unless so many notes were deleted that most places would be empty.
SPARSE = 4
# Codes that are compared at a time: what is computed on the way, 128 KB, stays in the processor's cache. With twice as
# many, 105,000 codes take .39 instead of .24 ms.
SCANNED = 1 << 14
# The mark of a note's first chunk, above all ids.
LEADS = np.uint32(MOST + 1)


class Block(NamedTuple):
    """The arrays of one block of slots, as they are stored."""

    id: int
    lengths: bytes
    codes: bytes
    notes: bytes


class Blocks:
    """Lengths, codes and notes of every slot; codes are stored column by column, the way they are scanned."""

    def __init__(self, dimensions: int, size: int = BLOCK) -> None:
        """Make arrays without slots; a row of the table has `size` of them."""
        self.size = size
        self.words = -(-dimensions // 64)
        self.lengths: npt.NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)
        self.codes: npt.NDArray[np.uint64] = np.zeros((self.words, 0), dtype=np.uint64)
        self.notes: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
        self.leads: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._dirty: set[int] = set()

    @classmethod
    @decodes
    def load(cls, db: Reader, dimensions: int) -> Blocks:
        """Return the arrays as they are stored."""
        blocks = cls(dimensions, db.slots)
        rows = db.fetch("BLOCKS")
        if not db.has_gaps and (
            [number for number, *_ in rows] != [*range(len(rows))]
            or any(len(lengths) != 2 * db.slots for _, lengths, *_ in rows[:-1])
        ):
            raise damaged("a block of slots is missing")
        blocks.take(rows)
        if not all(notes for *_, notes in rows):
            # An older version did not write them.
            marked = slot_notes(db, blocks.lengths.size)
            blocks.notes, blocks.leads = marked & ~LEADS, marked >= LEADS
        return blocks

    def take(self, rows: Sequence[tuple[int, bytes, bytes, bytes]]) -> None:
        """Put rows of the table in their places; slots of rows that are not there are free."""
        if not rows:
            return
        self.extend(max(self.lengths.size, max(number * self.size + len(lengths) // 2 for number, lengths, *_ in rows)))
        for number, lengths, codes, notes in rows:
            part = slice(number * self.size, number * self.size + len(lengths) // 2)
            if len(lengths) > 2 * self.size:
                raise damaged("a block has another number of slots than it should")
            self.lengths[part] = np.frombuffer(lengths, np.uint16)
            columns = np.frombuffer(codes, np.uint64).reshape((self.words, -1))
            if columns.shape[1] != part.stop - part.start or (notes and len(notes) != 2 * len(lengths)):
                raise damaged("a block has another number of codes or notes than of lengths")
            self.codes[:, part] = columns
            marked = np.frombuffer(notes, np.uint32) if notes else np.zeros(columns.shape[1], np.uint32)
            self.notes[part], self.leads[part] = marked & ~LEADS, marked >= LEADS

    def extend(self, size: int) -> None:
        """Make room for slots up to a number."""
        grown = size - self.lengths.size
        if grown > 0:
            self.lengths = np.concatenate((self.lengths, np.zeros(grown, np.uint16)))
            self.codes = np.concatenate((self.codes, np.zeros((self.words, grown), np.uint64)), axis=1)
            self.notes = np.concatenate((self.notes, np.zeros(grown, np.uint32)))
            self.leads = np.concatenate((self.leads, np.zeros(grown, np.bool_)))

    def changed(self) -> tuple[list[Block], int]:
        """Return the blocks that changed, without the free slots at the end, and the number of all blocks."""
        used = int(np.flatnonzero(self.lengths).max(initial=-1)) + 1
        size = -(-used // GROWTH) * GROWTH
        written = []
        for block in sorted(self._dirty):
            part = slice(block * self.size, min((block + 1) * self.size, size))
            if part.start < size:
                notes = np.where(self.leads[part], self.notes[part] | LEADS, self.notes[part])
                lengths, codes = self.lengths[part].tobytes(), self.codes[:, part].tobytes()
                written.append(Block(block, lengths, codes, notes.tobytes()))
        self._dirty.clear()
        return written, -(-size // self.size)

    def free_slots(self) -> Iterator[int]:
        """Yield the free slots, lowest first, making new ones when they run out."""
        yield from np.flatnonzero(self.lengths == 0).tolist()
        while True:
            first = self.lengths.size
            # An eighth more each time: a vault of any size copies its arrays only a few times as it grows.
            grown = max(GROWTH, first // 8 // GROWTH * GROWTH)
            self.extend(first + grown)
            yield from range(first, first + grown)

    def use(self, slot: int, note: int, length: int, code: npt.NDArray[np.uint64], *, leads: bool) -> None:
        """Use a slot for a chunk of a note; `leads` says that it is the first."""
        self.notes[slot] = note
        self.leads[slot] = leads
        self.lengths[slot] = length
        self.codes[:, slot] = code
        self._dirty.add(slot // self.size)

    def clear(self, slot: int) -> None:
        """Free a slot."""
        self.notes[slot] = 0
        self.leads[slot] = False
        self.lengths[slot] = 0
        self.codes[:, slot] = 0
        self._dirty.add(slot // self.size)


def slot_notes(db: Reader, size: int) -> npt.NDArray[np.uint32]:
    """Return the note of every slot as the chunks themselves say, marked if the chunk is the note's first."""
    notes = np.zeros(size, np.uint32)
    for slot, note, leads in db.fetch("SLOT_NOTES"):
        notes[slot] = note | LEADS if leads else note
    return notes


def one_bit(vectors: Vectors | npt.NDArray[np.int8]) -> npt.NDArray[np.uint64]:
    """Return the signs of each vector as 64-bit words, a row for each vector."""
    signs = vectors > 0
    missing = -vectors.shape[1] % 64
    if missing:
        signs = np.pad(signs, ((0, 0), (0, missing)))
    return np.ascontiguousarray(np.packbits(signs, axis=1, bitorder="little")).view(np.uint64)


def code_distances(codes: npt.NDArray[np.uint64], code: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """Return in how many bits each of the codes, which are stored by column, differs from another."""
    distances = np.zeros(codes.shape[1], dtype=np.uint16)
    for first in range(0, distances.size, SCANNED):
        part = slice(first, first + SCANNED)
        for column, word in zip(codes[:, part], code, strict=True):
            distances[part] += np.bitwise_count(column ^ word)
    return distances


class Arrays(NamedTuple):
    """What all searches of one state of the chunks share; `made` is the number of that state."""

    made: int
    dimensions: int
    norms: npt.NDArray[np.float32]
    notes: npt.NDArray[np.intp]
    """The number of each slot's note."""
    first_slots: npt.NDArray[np.intp]
    """The slot of each note's first chunk."""
    note_norms: npt.NDArray[np.float32]
    note_count: int
    term_counts: dict[str, int]
    note_counts: dict[str, int]
    """How many chunks and notes hold a term, as far as searches had to count that."""
    codes: npt.NDArray[np.uint64]
    dead: npt.NDArray[np.int64]
    live: int
    masks: Masks
    vectors: VectorCache
    terms: AllTerms

    @classmethod
    def load(cls, db: Reader, made: int, dimensions: int) -> Arrays:
        """Return the arrays of the state that `db` sees now."""
        blocks = Blocks.load(db, dimensions)
        size, dead = blocks.lengths.size, np.flatnonzero(blocks.lengths == 0)
        notes = numbered(blocks.notes)
        note_lengths = np.bincount(notes, blocks.lengths)
        times = lengthening(note_lengths)
        first_slots = np.zeros(note_lengths.size, dtype=np.intp)
        first_slots[notes[blocks.leads]] = np.flatnonzero(blocks.leads)
        return cls(
            made=made,
            dimensions=dimensions,
            norms=length_norms(blocks.lengths * times.take(notes)),
            notes=notes,
            first_slots=first_slots,
            note_norms=length_norms(note_lengths * times),
            note_count=int(np.count_nonzero(note_lengths)),
            term_counts={},
            note_counts={},
            codes=blocks.codes,
            dead=dead,
            live=size - dead.size,
            masks=Masks(blocks.notes),
            vectors=VectorCache(size, dimensions),
            terms=AllTerms(),
        )

    def slots_beside(self, slots: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return all slots of the notes that these are in, in ascending order."""
        wanted = np.zeros(self.note_norms.size, dtype=np.bool_)
        wanted[self.notes[slots]] = True
        return np.flatnonzero(wanted[self.notes])


def numbered(notes: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Return the notes of all slots as places in an array: their ids, or smaller numbers if the ids have large gaps.

    >>> numbered(np.array([7, 7, 9], dtype=np.uint32)), numbered(np.array([7, 7, 4_000_000_000], dtype=np.uint32))
    (array([7, 7, 9]), array([0, 0, 1]))
    """
    if int(notes.max(initial=0)) < SPARSE * notes.size + GROWTH:
        return notes.astype(np.intp)
    return np.unique(notes, return_inverse=True)[1]

"""BM25 over posting lists, exactly and without pruning: of chunks, and of the notes that they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from notewell.store import NO_STAND_INS, StandIns
from notewell.store.bm25 import NOTE_SHARE, OF_ALL_CHUNKS, OF_FIRST_CHUNK, rarity
from notewell.store.tables.arrays import Arrays
from notewell.store.tables.reader import Reader
from notewell.store.tables.vocabulary import (
    NOWHERE,
    Flags,
    Held,
    Scores,
    Slots,
    count_holding,
    load_any,
    load_lists,
    load_postings,
    load_prefix,
)

# Terms whose chunks and notes are counted once for all searches of a state: long lists, as of "the", come again.
MOST_COUNTED = 5_000
# The lists of this many terms are read to count their chunks: those of a query, which are needed again.
FEW = 16


class WordScores:
    """The slots that hold some terms, with their scores, and what their notes give to them."""

    def __init__(self, arrays: Arrays, terms: int) -> None:
        self.slots = NOWHERE
        self.scores: Scores = np.zeros(0, dtype=np.float32)
        self.of_notes = self.scores
        self._arrays = arrays
        self._terms = terms
        # Of every slot, and of every note.
        self._own: Scores = np.zeros(arrays.norms.size, dtype=np.float32)
        self._of_notes: Scores = np.zeros(arrays.note_norms.size, dtype=np.float32)
        self._held = np.zeros(arrays.note_norms.size, dtype=np.uint16)

    def add(self, held: Held, weight: float) -> None:
        """Count a term in chunks."""
        slots, often = held
        # Twice as fast as `+=` with an index, and `take` as one.
        np.add.at(self._own, slots, np.float32(weight) * often / (often + self._arrays.norms.take(slots)))

    def add_to_notes(self, notes: Held, weight: float) -> None:
        """Count a term in notes."""
        numbers, often = notes
        self._of_notes[numbers] += np.float32(weight) * often / (often + self._arrays.note_norms[numbers])
        self._held[numbers] += 1

    def mixed_with_notes(self, slots: Slots | None = None) -> WordScores:
        """Return the scores of all slots, or of these alone, mixed with their notes' and their first chunks'."""
        slots = np.flatnonzero(self._own > 0) if slots is None else slots[self._own[slots] > 0]
        notes, own = self._arrays.notes.take(slots), self._own.take(slots)
        first = self._own.take(self._arrays.first_slots.take(notes))
        of_notes = np.float32(OF_ALL_CHUNKS) * self._of_notes.take(notes) + np.float32(OF_FIRST_CHUNK) * first
        self.slots, self.scores, self.of_notes = slots, np.float32(1 - NOTE_SHARE) * own + of_notes, of_notes
        return self

    def keep(self, places: Slots | Flags) -> None:
        """Keep the slots at these places alone, in their order."""
        self.slots, self.scores, self.of_notes = self.slots[places], self.scores[places], self.of_notes[places]

    def complete(self) -> Flags:
        """Tell which of the slots are in notes that have every term."""
        complete: Flags = self._held[self._arrays.notes[self.slots]] == self._terms
        return complete


class ByWords:
    """The terms of one search: each posting list is read once, however often it is needed."""

    def __init__(self, db: Reader, arrays: Arrays) -> None:
        self._db = db
        self._arrays = arrays
        self._read: dict[str, Held] = {}

    def match(self, terms: Sequence[str], stand_ins: StandIns = NO_STAND_INS) -> WordScores:
        """Return the scores of the slots that hold any of the terms."""
        found = WordScores(self._arrays, len({*terms}))
        self._read_ahead([term for term in terms if not stand_ins.get(term)])
        for term, times in Counter(terms).items():
            held = self._held(term, stand_ins.get(term, ()))
            notes = self._in_notes(held)
            found.add(held, times * rarity(held.slots.size, self._arrays.live))
            found.add_to_notes(notes, times * rarity(notes.slots.size, self._arrays.note_count))
        return found.mixed_with_notes()

    def match_all(self, terms: Sequence[str]) -> WordScores:
        """Return the scores of the slots that hold all the terms.

        The score of a chunk needs what its whole note has, and nothing of other notes.
        """
        holding, found = self._holding_all(terms), WordScores(self._arrays, len({*terms}))
        beside = self._arrays.slots_beside(holding) if holding.size else NOWHERE
        for term, times in Counter(terms).items() if holding.size else ():
            held = self._held(term)
            here = _restricted(held, beside)
            found.add(here, times * rarity(held.slots.size, self._arrays.live))
            found.add_to_notes(self._in_notes(here), times * rarity(self._count_notes(term), self._arrays.note_count))
        return found.mixed_with_notes(holding)

    def count(self, terms: Collection[str]) -> dict[str, int]:
        """Return how many chunks hold each term, without the terms that none holds."""
        if len(terms) > FEW:
            sizes = self._sizes(terms)
        else:
            self._read_ahead(terms)
            sizes = {term: self._held(term).slots.size for term in terms}
        return {term: size for term, size in sizes.items() if size}

    def _read_ahead(self, terms: Collection[str]) -> None:
        """Read the lists of terms that will all be needed in one step."""
        unread = {term for term in terms if term not in self._read and not term.endswith("*")}
        self._read.update(load_lists(self._db, unread))

    def _held(self, term: str, stand_ins: Sequence[str] = ()) -> Held:
        if stand_ins:
            return Held.of(load_any(self._db, term, stand_ins, self._arrays.norms.size))
        if term not in self._read:
            prefix = term.endswith("*")
            size = self._arrays.norms.size
            self._read[term] = (
                Held.of(load_prefix(self._db, term[:-1], size)) if prefix else load_postings(self._db, term)
            )
        return self._read[term]

    def _holding_all(self, terms: Sequence[str]) -> Slots:
        """Return the slots that hold all the terms; from the rarest on, so that long lists are only looked into.

        They are not even read if no slot holds the terms before them.
        """
        sizes = self._sizes({*terms})
        holding = NOWHERE
        for place, term in enumerate(sorted(sizes, key=lambda term: (sizes[term], term))):
            slots = self._held(term).slots
            holding = holding[_places(slots, holding)[1]] if place else slots
            if not holding.size:
                break
        return holding

    def _sizes(self, terms: Collection[str]) -> dict[str, int]:
        """Return how many chunks hold each term, as far as possible without reading lists."""
        sizes = {term: self._read[term].slots.size if term in self._read else -1 for term in terms}
        counted = self._arrays.term_counts
        sizes |= {term: counted.get(term, -1) for term, size in sizes.items() if size < 0}
        if unknown := [term for term, size in sizes.items() if size < 0]:
            found = dict.fromkeys(unknown, 0) | count_holding(self._db, unknown)
            remember(counted, found)
            sizes |= found
        return sizes

    def _in_notes(self, held: Held) -> Held:
        """Return the notes of the slots that hold a term, and how often they have it."""
        often = np.bincount(self._arrays.notes.take(held.slots), held.often, self._arrays.note_norms.size)
        notes = np.flatnonzero(often > 0)
        return Held(notes, often[notes].astype(np.float32))

    def _count_notes(self, term: str) -> int:
        counted = self._arrays.note_counts
        # Another thread may forget them meanwhile.
        if (number := counted.get(term)) is None:
            number = self._in_notes(self._held(term)).slots.size
            remember(counted, {term: number})
        return number


def remember(counted: dict[str, int], found: Mapping[str, int]) -> None:
    """Add counts to those that searches share, which are forgotten when they are too many."""
    if len(counted) >= MOST_COUNTED:
        counted.clear()
    counted.update(found)


def _restricted(held: Held, among: Slots) -> Held:
    places, holds = _places(held.slots, among)
    return Held(among[holds], held.often[places[holds]])


def _places(slots: Slots, wanted: Slots) -> tuple[Slots, npt.NDArray[np.bool_]]:
    """Return where wanted slots are among others, and which of them are there; both are in ascending order."""
    if not slots.size:
        return NOWHERE, np.zeros(wanted.size, dtype=np.bool_)
    places = np.minimum(np.searchsorted(slots, wanted), slots.size - 1)
    return places, slots[places] == wanted

"""BM25 over posting lists, exactly and without pruning: of chunks, and of the notes that they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store import NO_STAND_INS, StandIns
from notewell.store.bm25 import NOTE_SHARE, OF_ALL_CHUNKS, OF_FIRST_CHUNK, rarity
from notewell.store.sqlite.arrays import Arrays
from notewell.store.sqlite.vocabulary import (
    NOWHERE,
    Flags,
    Held,
    Scores,
    Slots,
    count_holding,
    load_any,
    load_postings,
    load_prefix,
)

# The terms whose notes are counted once for all searches of a state: the long lists of words such as "the" come again.
MOST_COUNTED = 5_000
# The lists of this many terms are read to count their chunks: those of a query, which are needed again.
FEW = 16


class WordScores:
    """The scores of the slots that hold some terms, and what their notes give to them."""

    def __init__(self, arrays: Arrays, terms: int) -> None:
        self.scores: Scores = np.zeros(arrays.norms.size, dtype=np.float32)
        self._arrays = arrays
        self._terms = terms
        self._of_notes: Scores = np.zeros(arrays.note_norms.size, dtype=np.float32)
        self._held = np.zeros(arrays.note_norms.size, dtype=np.uint16)

    def add(self, held: Held, weight: float) -> None:
        """Count a term in chunks."""
        slots, often = held
        # Twice as fast as `+=` with an index, and `take` as one.
        np.add.at(self.scores, slots, np.float32(weight) * often / (often + self._arrays.norms.take(slots)))

    def add_to_notes(self, notes: Held, weight: float) -> None:
        """Count a term in notes."""
        numbers, often = notes
        self._of_notes[numbers] += np.float32(weight) * often / (often + self._arrays.note_norms[numbers])
        self._held[numbers] += 1

    def mixed_with_notes(self, slots: Slots | slice) -> WordScores:
        """Return the scores of these slots alone, mixed with their notes' and with those of their first chunks."""
        own, mixed = self.scores[slots], np.zeros_like(self.scores)
        first = self.scores.take(self._arrays.first_slots)
        self._of_notes = np.float32(OF_ALL_CHUNKS) * self._of_notes + np.float32(OF_FIRST_CHUNK) * first
        mixed[slots] = np.where(own > 0, np.float32(1 - NOTE_SHARE) * own + self.of_notes(slots), np.float32(0))
        self.scores = mixed
        return self

    def of_notes(self, slots: Slots | slice) -> Scores:
        """Return the part of the mixed scores of these slots that is their notes'."""
        return self._of_notes.take(self._arrays.notes[slots])

    def complete(self, slots: Slots) -> Flags:
        """Tell which of these slots are in notes that have every term."""
        complete: Flags = self._held[self._arrays.notes[slots]] == self._terms
        return complete


class ByWords:
    """The terms of one search: each posting list is read once, however often it is needed."""

    def __init__(self, db: apsw.Connection, arrays: Arrays) -> None:
        self._db = db
        self._arrays = arrays
        self._read: dict[str, Held] = {}

    def match(self, terms: Sequence[str], stand_ins: StandIns = NO_STAND_INS) -> WordScores:
        """Return the scores of the slots that hold any of the terms."""
        found = WordScores(self._arrays, len({*terms}))
        for term, times in Counter(terms).items():
            held = self._held(term, stand_ins.get(term, ()))
            notes = self._in_notes(held)
            found.add(held, times * rarity(held.slots.size, self._arrays.live))
            found.add_to_notes(notes, times * rarity(notes.slots.size, self._arrays.note_count))
        return found.mixed_with_notes(slice(None))

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
            return count_holding(self._db, terms)
        return {term: size for term in terms if (size := self._held(term).slots.size)}

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
        """Return the slots that hold all the terms; from the rarest on, so that long lists are only looked into."""
        lists = sorted((self._held(term).slots for term in dict.fromkeys(terms)), key=len)
        holding = lists[0] if lists else NOWHERE
        for slots in lists[1:]:
            holding = holding[_places(slots, holding)[1]]
        return holding

    def _in_notes(self, held: Held) -> Held:
        """Return the notes of the slots that hold a term, and how often they have it."""
        often = np.bincount(self._arrays.notes.take(held.slots), held.often, self._arrays.note_norms.size)
        notes = np.flatnonzero(often > 0)
        return Held(notes, often[notes].astype(np.float32))

    def _count_notes(self, term: str) -> int:
        counts = self._arrays.note_counts
        if term not in counts:
            if len(counts) >= MOST_COUNTED:
                counts.clear()
            counts[term] = self._in_notes(self._held(term)).slots.size
        return counts[term]


def _restricted(held: Held, among: Slots) -> Held:
    places, holds = _places(held.slots, among)
    return Held(among[holds], held.often[places[holds]])


def _places(slots: Slots, wanted: Slots) -> tuple[Slots, npt.NDArray[np.bool_]]:
    """Return where wanted slots are among others, and which of them are there; both are in ascending order."""
    if not slots.size:
        return NOWHERE, np.zeros(wanted.size, dtype=np.bool_)
    places = np.minimum(np.searchsorted(slots, wanted), slots.size - 1)
    return places, slots[places] == wanted

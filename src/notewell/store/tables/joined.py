"""The tables of several stores read as those of one: ids of chunks and notes are counted on from store to store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from notewell.frozen import frozen
from notewell.store.links import NOWHERE, TO_FILE, LinkEnds
from notewell.store.tables.arrays import GROWTH
from notewell.store.tables.checked import damaged
from notewell.store.tables.reader import Name, Reader, Rows

# The first columns of statements whose values are ids; all other statements have none.
SLOT, NOTE, OTHER = "slot", "note", "other"
IDS: Mapping[Name, tuple[str, ...]] = {
    **dict.fromkeys(("CHUNKS", "VECTORS", "ENCODER_VECTORS", "EXISTING", "CHUNKS_IN", "CHUNKS_OF"), (SLOT,)),
    **dict.fromkeys(("CHUNK_DAYS", "CHUNK_TASKS", "LACKING"), (SLOT,)),
    **dict.fromkeys(("NOTES_UNDER", "NOTE_PATHS", "NOTE_TAGS", "NOTE_TYPES", "NOTE_FIELDS", "NOTE_DAYS"), (NOTE,)),
    **dict.fromkeys(("NAMES", "LINKS", "NEWEST", "EDGES", "ENDS"), (NOTE,)),
    "SLOT_NOTES": (SLOT, NOTE),
    "IDS": (OTHER, NOTE),
    "POSTINGS": (OTHER, SLOT),
}
# What the ids are of that a statement is given as `ids`, if not of chunks.
ASKED_BY_NOTE = ("LINKS",)
# Returns the links of some notes, by the note's id.
Across = Callable[[], Mapping[int, LinkEnds]]
# Statements whose last column is where links lead.
ENDS = ("EDGES", "ENDS")


@frozen
class Part:
    """One of the stores: its reader, and the numbers that its own ids follow."""

    db: Reader
    slots: int
    """Its first slot; a multiple of `GROWTH`."""
    last_slot: int
    notes: int
    """What is added to the id of a note."""
    last_note: int
    words: int = 0
    """How many words the code of a vector has in the stores that are searched by meaning together."""
    is_near: bool = True
    """Whether its embedder is theirs."""
    is_encoded: bool = True
    """Whether its encoder is theirs."""

    def own(self, name: Name, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what to ask this store; None if that is about other stores alone."""
        own = dict(asked)
        if "ids" in own:
            own["ids"] = self._own_notes(own["ids"]) if name in ASKED_BY_NOTE else self._own_slots(own["ids"])
        if "notes" in own:
            own["notes"] = self._own_notes(own["notes"])
        if "note" in own:
            (own["note"],) = self._own_notes([own["note"]]) or (None,)
        is_empty = any(name in own and not own[name] for name in ("ids", "notes", "note"))
        return None if is_empty or (name == "ENCODER_VECTORS" and not self.is_encoded) else own

    def _own_slots(self, ids: Sequence[int]) -> list[int]:
        wanted = np.asarray(ids, dtype=np.int64) - self.slots
        own: list[int] = wanted[(wanted >= 0) & (wanted <= self.last_slot)].tolist()
        return own

    def _own_notes(self, ids: Sequence[int]) -> list[int]:
        wanted = np.asarray(ids, dtype=np.int64) - self.notes
        own: list[int] = wanted[(wanted > 0) & (wanted <= self.last_note)].tolist()
        return own

    def counted_on(self, name: Name, rows: Rows) -> Rows:
        """Return rows of this store with the ids that they have among all stores."""
        if name == "BLOCKS":
            return [*self._strips(rows)]
        added = [{SLOT: self.slots, NOTE: self.notes}.get(of, 0) for of in IDS.get(name, ())]
        if name in ENDS and self.notes:
            rows = [(*row[:-1], self._ends(row[-1])) for row in rows]
        if not any(added):
            return rows
        if len(added) == 1:
            return [(row[0] + added[0], *row[1:]) for row in rows]
        return [(row[0] + added[0] if added[0] else row[0], row[1] + added[1], *row[2:]) for row in rows]

    def _ends(self, data: bytes) -> bytes:
        if len(data) % 8:
            raise damaged("the edges of a note are cut off")
        ends = np.frombuffer(data, np.uint32).reshape(-1, 2).copy()
        targets = ends[:, 1]
        ends[:, 1] = np.where((targets == NOWHERE) | (targets == TO_FILE), targets, targets + np.uint32(self.notes))
        return ends.tobytes()

    def _strips(self, rows: Rows) -> Iterator[tuple[int, bytes, bytes, bytes]]:
        """Yield blocks of slots in strips, so that the next store begins right after the last slot of this one."""
        for number, lengths, codes, notes in rows:
            size = len(lengths) // 2
            # Vectors of another embedder have no place among these codes.
            columns = np.frombuffer(codes if self.is_near else bytes(8 * self.words * size), np.uint64)
            columns = columns.reshape(self.words, size)
            marked = np.frombuffer(notes, np.uint32)
            marked = np.where(marked > 0, marked + np.uint32(self.notes), marked)
            for first in range(0, size, GROWTH):
                slot, strip = number * self.db.slots + first, slice(first, first + GROWTH)
                if slot <= self.last_slot:
                    of_strip = lengths[2 * first : 2 * (first + GROWTH)]
                    place = (self.slots + slot) // GROWTH
                    yield place, of_strip, columns[:, strip].tobytes(), marked[strip].tobytes()


class JoinedReader:
    """Several stores as one; each sees its own state, in a transaction of its own."""

    slots = GROWTH
    has_gaps = True

    def __init__(self, parts: Sequence[Part], across: Across = dict[int, LinkEnds]) -> None:
        """Take the stores; `across` returns where the links of notes lead that have links to other stores."""
        self.parts = parts
        self._across = across

    def fetch(self, name: Name, bindings: Mapping[str, Any] | None = None) -> Rows:
        """Return the rows of a statement from all stores, as one store would."""
        rows: Rows = []
        for part in self.parts:
            own = part.own(name, bindings or {})
            if own is not None:
                rows += part.counted_on(name, part.db.fetch(name, own or None))
        if name in ENDS:
            led = self._across()
            rows = [(*row[:-1], led[row[0]].tobytes()) if row[0] in led else row for row in rows] if led else rows
        merge = MERGES.get(name)
        return merge(rows, bindings or {}) if merge else rows


def place_parts(readers: Sequence[Reader]) -> list[Part]:
    """Return the stores one after the other: where each begins follows from the last ids of those before."""
    parts: list[Part] = []
    slots = notes = 0
    for db in readers:
        ((last_slot, last_note),) = db.fetch("LAST")
        parts.append(Part(db, slots, last_slot, notes, last_note))
        slots += -(-(last_slot + 1) // GROWTH) * GROWTH
        notes += last_note
    return parts


Merge = Callable[[Rows, Mapping[str, Any]], Rows]


def _summed(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    """Return terms with their numbers in all stores, the most frequent first, as far as they are asked for."""
    numbers: Counter[str] = Counter()
    for term, number in rows:
        numbers[term] += number
    return sorted(numbers.items(), key=lambda row: (-row[1], row[0]))[: asked.get("limit")]


def _listed(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    """Return the terms of all stores as one text."""
    return [("\n".join(dict.fromkeys(term for (terms,) in rows for term in terms.split("\n") if term)),)]


def _counted(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    """Return a counter that grows if one of a store does."""
    return [(sum(int(value or 0) for (value,) in rows),)]


def _newest(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    return sorted(rows, key=lambda row: str(row[1]), reverse=True)[: asked["limit"]]


def _by_first(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    return sorted(rows, key=lambda row: row[0])


def _by_need(rows: Rows, asked: Mapping[str, Any]) -> Rows:
    """Return the chunks that lack a vector: the most important of each store before the second of any."""
    return sorted(rows, key=lambda row: row[1:])


MERGES: Mapping[Name, Merge] = {
    "HOLDING": _summed,
    "TERMS_FROM": _summed,
    "ALL_TERMS": _listed,
    "KEYS": lambda rows, asked: [*dict.fromkeys(rows)],
    "META": _counted,
    "NEWEST": _newest,
    "IDS": _by_first,
    "LACKING": _by_need,
    "ALL_STANDINGS": _by_first,
    "NOTE_FACTS": _by_first,
}

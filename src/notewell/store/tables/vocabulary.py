"""Terms in the file: the chunks that hold one, terms with a prefix, and terms that contain a part."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.store.bm25 import EXPANDED, STAND_IN, UNIT
from notewell.store.tables.postings import Counts, Places, unpack
from notewell.store.tables.reader import Reader, fetch_one
from notewell.terms import LONGEST, hidden_stems

Slots = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]
NOWHERE: Slots = np.zeros(0, dtype=np.intp)


class Held(NamedTuple):
    """The slots that hold a term, in ascending order, and how often each does."""

    slots: Slots
    often: Scores

    @classmethod
    def of(cls, often: Scores) -> Held:
        """Return the slots that hold a term at all, given how often each slot does."""
        slots = np.flatnonzero(often > 0)
        return cls(slots, often[slots])


def load_lists(db: Reader, terms: Collection[str]) -> dict[str, Held]:
    """Return the slots that hold each of the terms, and how often they do."""
    lists: dict[str, list[tuple[int, Places, Counts]]] = {term: [] for term in terms}
    for term, slot, data in db.fetch("POSTINGS", {"terms": [*lists]}) if lists else ():
        lists[term].append((slot, *unpack(data)))
    return {term: _joined(blocks) for term, blocks in lists.items()}


def load_postings(db: Reader, term: str) -> Held:
    """Return the slots that hold a term, and how often they do."""
    return load_lists(db, (term,))[term]


def _joined(lists: Sequence[tuple[int, Places, Counts]]) -> Held:
    """Return the lists of a term's blocks, each with the first slot of its block, as one."""
    if not lists:
        return Held(NOWHERE, np.zeros(0, dtype=np.float32))
    slots = np.concatenate([places for _, places, _ in lists], dtype=np.intp)
    first = 0
    for slot, places, _ in lists:
        slots[first : first + places.size] += slot
        first += places.size
    often = np.concatenate([counts for *_, counts in lists], dtype=np.float32)
    often /= UNIT
    return Held(slots, often)


def load_any(db: Reader, term: str, stand_ins: Sequence[str], size: int) -> Scores:
    """Return how often each of `size` slots holds a term, or, for less, one of its stand-ins."""
    every = np.zeros(size, dtype=np.float32)
    for slots, often in load_lists(db, stand_ins).values():
        every[slots] += often * np.float32(STAND_IN)
    if term.endswith("*"):
        return every + load_prefix(db, term[:-1], size)
    slots, often = load_postings(db, term)
    every[slots] += often
    return every


def load_prefix(db: Reader, prefix: str, size: int) -> Scores:
    """Return how often each of `size` slots holds a term with this prefix."""
    every = np.zeros(size, dtype=np.float32)
    for slots, often in load_lists(db, expand(db, prefix)).values():
        every[slots] += often
    return every


def expand(db: Reader, prefix: str) -> list[str]:
    """Return the terms of words with this prefix, the most frequent first."""
    return [*terms_from(db, prefix, LONGEST, EXPANDED), *sorted(hidden_stems(prefix))]


def terms_from(db: Reader, start: str, longest: int, limit: int) -> list[str]:
    """Return the terms with this beginning that have at most `longest` characters, the most frequent first."""
    asked = {"first": start, "last": f"{start}{chr(0x10FFFF)}", "longest": longest, "limit": limit}
    return [term for term, _ in db.fetch("TERMS_FROM", asked)]


def holding(db: Reader, terms: Sequence[str], size: int) -> Flags:
    """Return which of `size` slots hold all of the terms."""
    held = np.ones(size, dtype=np.bool_)
    for term in terms:
        held &= _holding_one(db, term, size)
    return held


def _holding_one(db: Reader, term: str, size: int) -> Flags:
    if term.endswith("*"):
        return load_prefix(db, term[:-1], size) > 0
    held = np.zeros(size, dtype=np.bool_)
    held[load_postings(db, term).slots] = True
    return held


def count_holding(db: Reader, terms: Collection[str]) -> dict[str, int]:
    """Return how many chunks hold each term, without the terms that none holds."""
    return dict(db.fetch("HOLDING", {"terms": list(terms)}))


class AllTerms:
    """All terms as one text, which is quicker to search for a part than the table of postings.

    As bytes: one Japanese word in a vault would make the text four times as large.
    """

    def __init__(self) -> None:
        self._text = b""

    def containing(self, db: Reader, part: str) -> list[str]:
        """Return the terms that contain a part."""
        if not self._text:
            self._text = f"\n{fetch_one(db, 'ALL_TERMS')}\n".encode()
        wanted = part.encode()
        found, at = [], self._text.find(wanted)
        while at >= 0:
            end = self._text.index(b"\n", at)
            found.append(self._text[self._text.rindex(b"\n", 0, at) + 1 : end].decode())
            at = self._text.find(wanted, end)
        return found

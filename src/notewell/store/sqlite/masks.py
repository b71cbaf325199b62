"""Which slots a scope lets through: first by what their notes say of themselves, then by what the chunks hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.columns import ROWS, Columns, NoteIds, touched
from notewell.store.sqlite.filter_match import holds
from notewell.store.sqlite.rows import load_chunks
from notewell.store.sqlite.vocabulary import Flags, holding
from notewell.terms import prefix_term, whole_terms
from notewell.types.query import Filter, Scope

# Masks of so many scopes are kept: those of a few people, or of a dialogue that narrows down.
KEPT = 16
# So many chunks that may hold a phrase are read at a time, and so many at most, the best first.
AT_ONCE = 150
READ_AT_MOST = 3_000
Scores = npt.NDArray[np.float32]


class Masks:
    """What all searches of one state of the chunks share of its scopes: found out when it is first asked for."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.columns = Columns()
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Scope, int], Flags] = OrderedDict()

    def inside(self, db: apsw.Connection, scope: Scope, order: Scores | None, enough: int) -> Flags:
        """Return which slots are inside a scope.

        Of the chunks that may hold a phrase, those with the highest scores in `order` are read, until `enough` do.
        """
        key = scope, touched(db) if any(asked.of == "date" for asked in scope.filters) else 0
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        inside, whole = self._narrow(db, scope, self._of_notes(db, scope), order, enough)
        if whole:
            with self._lock:
                self._kept[key] = inside
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return inside

    def notes(self, db: apsw.Connection, inside: Flags) -> npt.NDArray[np.int64]:
        """Return the notes that have a slot inside a mask."""
        return np.unique(self.columns.of_slots(db, self.size)[inside]).astype(np.int64)

    def _of_notes(self, db: apsw.Connection, scope: Scope) -> Flags:
        """Return the slots of the notes that the scope lets through."""
        notes = self.columns.of_slots(db, self.size)
        allowed = np.ones(int(notes.max(initial=0)) + 1, dtype=np.bool_)
        allowed[0] = False
        if scope.under:
            rows: Any = db.execute(queries.NOTES_UNDER, {"under": scope.under})
            allowed &= _marked(allowed.size, np.fromiter(chain.from_iterable(rows), np.int32))
        for asked in scope.filters:
            if asked.of in ROWS or asked.of in ("field", "lang"):
                fitting = _marked(allowed.size, self.columns.fitting(db, asked))
                allowed &= ~fitting if asked.negated else fitting
        return allowed[notes]

    def _narrow(
        self, db: apsw.Connection, scope: Scope, inside: Flags, order: Scores | None, enough: int
    ) -> tuple[Flags, bool]:
        """Return the part of a mask that holds what it should, and whether all was read that had to be."""
        for asked in scope.filters:
            if asked.of == "term":
                held = holding(db, [_term(asked)], self.size)
                inside = inside & (~held if asked.negated else held)
        to_read = [asked for asked in scope.filters if asked.of in ("phrase", "heading")]
        if not to_read:
            return inside, True
        doubtful = np.zeros(self.size, dtype=np.bool_)
        for asked in to_read:
            may = holding(db, _needed(asked), self.size)
            doubtful |= may
            if not asked.negated:
                inside = inside & may
        places = np.flatnonzero(inside & doubtful)
        if order is not None:
            places = places[np.argsort(-order[places], kind="stable")]
        passed, read_all = _read(db, to_read, places, enough)
        # What was not read is out: what somebody wants left out never appears.
        inside = inside & ~doubtful
        inside[passed] = True
        return inside, read_all


def _needed(asked: Filter) -> list[str]:
    """Return the terms without which a chunk cannot hold what is asked for."""
    (wanted,) = asked.values
    return str(wanted).split() if asked.of == "heading" else whole_terms(str(wanted))


def _read(
    db: apsw.Connection, filters: Sequence[Filter], places: npt.NDArray[np.intp], enough: int
) -> tuple[list[int], bool]:
    """Return which of these slots pass the filters once their chunks are read, and whether all were."""
    passed: list[int] = []
    read = 0
    while read < min(places.size, READ_AT_MOST) and len(passed) < enough:
        chunks = load_chunks(db, places[read : read + AT_ONCE].tolist())
        passed += [slot for slot, chunk in chunks if all(holds(asked, chunk) != asked.negated for asked in filters)]
        read += AT_ONCE
    return passed, read >= places.size


def _term(asked: Filter) -> str:
    word = str(asked.values[0])
    return f"{prefix_term(word[:-1])}*" if word.endswith("*") else whole_terms(word)[0]


def _marked(size: int, places: NoteIds) -> Flags:
    marked = np.zeros(size, dtype=np.bool_)
    # A note without chunks has no slot, and may be beyond the last note that has.
    marked[places[places < size]] = True
    return marked

"""Which slots a scope lets through: first by properties of their notes, then by the text of the chunks."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from notewell.files.formats import suffix_of
from notewell.store.filters import TASKS, Value, make_test, normal, task_filters, tasks_match, text_matches, words_of
from notewell.store.tables.reader import Name, Reader, fetch_one
from notewell.store.tables.rows import load_holding, read_tasks
from notewell.store.tables.vocabulary import Flags, holding
from notewell.terms import fold, prefix_term, whole_terms
from notewell.types.query import Filter, Scope

# Masks of this many scopes are cached: enough for a few users, or a dialogue that narrows down.
CACHED = 16
# Chunks that may hold a phrase are read this many at a time, and this many at most, the best first.
AT_ONCE = 150
READ_AT_MOST = 3_000
Scores = npt.NDArray[np.float32]

# The statement for each kind of filter: rows of a note's id and a value.
ROWS: dict[str, Name] = {
    "path": "NOTE_PATHS",
    "note": "NOTE_PATHS",
    "tag": "NOTE_TAGS",
    "type": "NOTE_TYPES",
    "date": "NOTE_DAYS",
}
# Filters that let all chunks of a note through, or none; a date may be that of a heading.
OF_NOTES = (*(ROWS.keys() - {"date"}), "field", "lang")
# Characters that a JSON path of SQLite's cannot contain, and hardly any key does.
NOT_IN_PATH = re.compile(r'["\\\x00-\x1f]')

# Keys of front matter that name a note's language, besides the suffix of its file.
LANGUAGE_KEYS = ("lang", "language")

NoteIds = npt.NDArray[np.int32]


class Column(NamedTuple):
    """Notes or slots, their distinct values, and which value each row has."""

    notes: NoteIds
    values: tuple[Value, ...]
    which: npt.NDArray[np.int32]

    @classmethod
    def of(cls, what: str, rows: list[tuple[int, Value]]) -> Column:
        """Return rows as a column; values that are the same to a filter become one."""
        # Many notes have the same value: each is folded once.
        normals = {value: normal(what, value) for value in {value for _, value in rows}}
        numbers = {value: number for number, value in enumerate(dict.fromkeys(normals.values()))}
        which = np.fromiter((numbers[normals[value]] for _, value in rows), np.int32, len(rows))
        return cls(np.fromiter((note for note, _ in rows), np.int32, len(rows)), tuple(numbers), which)

    def matching(self, asked: Filter) -> NoteIds:
        """Return the notes or slots with a value that the filter matches."""
        test = make_test(asked)
        verdicts = np.fromiter(map(test, self.values), np.bool_, len(self.values))
        return self.notes[verdicts[self.which]]


class Columns:
    """The columns of one state of the notes, each read on first use."""

    def __init__(self) -> None:
        self._keys: dict[str, list[str]] | None = None
        self._columns: dict[tuple[str, str, int], Column] = {}
        self._chunk_days: Column | None = None

    def matching(self, db: Reader, asked: Filter) -> NoteIds:
        """Return the notes that a filter matches, as if it were not negated."""
        return self._column(db, asked).matching(asked)

    def chunk_days(self, db: Reader) -> Column:
        """Return the days of slots that have one of their own, by a heading."""
        if self._chunk_days is None:
            self._chunk_days = Column.of("date", db.fetch("CHUNK_DAYS"))
        return self._chunk_days

    def count(self, db: Reader, asked: Filter) -> int:
        """Return how many distinct values a filter compares with."""
        return len(self._column(db, asked).values)

    def _column(self, db: Reader, asked: Filter) -> Column:
        key = asked.of, fold(asked.key), touched(db) if asked.of == "date" else 0
        if key not in self._columns:
            self._columns[key] = Column.of(asked.of, self.rows(db, asked))
        return self._columns[key]

    def rows(self, db: Reader, asked: Filter) -> list[tuple[int, Value]]:
        """Return every value that a filter compares with, as written, with the note's id."""
        if asked.of in ROWS:
            return db.fetch(ROWS[asked.of])
        if asked.of == "lang":
            paths = db.fetch("NOTE_PATHS")
            in_fields = (self.rows(db, Filter("field", (), key=key)) for key in LANGUAGE_KEYS)
            return [*((note, suffix_of(path)[1:]) for note, path in paths), *chain.from_iterable(in_fields)]
        written = self.keys(db).get(fold(asked.key), ())
        keys = [key for key in written if not NOT_IN_PATH.search(key)]
        return list(chain.from_iterable(db.fetch("NOTE_FIELDS", {"key": key}) for key in keys))

    def keys(self, db: Reader) -> dict[str, list[str]]:
        """Return the keys of front matter, folded, each with its spellings in notes."""
        if self._keys is None:
            keys: dict[str, list[str]] = {}
            for (key,) in db.fetch("KEYS"):
                keys.setdefault(fold(key), []).append(key)
            self._keys = keys
        return self._keys


def touched(db: Reader) -> int:
    """Return a number that grows when only times of notes change, which makes no new state of the chunks."""
    return int(fetch_one(db, "META", {"key": "touched"}) or 0)


class Masks:
    """Masks of scopes, shared by all searches of one state of the chunks, each computed on first use."""

    def __init__(self, notes: npt.NDArray[np.uint32]) -> None:
        """Make masks over slots whose notes are these; 0 is for a free slot."""
        self._notes = notes
        self.size = notes.size
        self.columns = Columns()
        self._lock = Lock()
        self._cached: OrderedDict[tuple[Scope, int], Flags] = OrderedDict()

    def inside(self, db: Reader, scope: Scope, order: Scores | None, enough: int) -> Flags:
        """Return which slots are inside a scope.

        Chunks that may hold a phrase are read in descending `order`, until `enough` of them hold it.
        """
        key = scope, touched(db) if any(asked.of == "date" for asked in scope.filters) else 0
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
                return self._cached[key]
        inside, whole = self._narrow(db, scope, self._of_notes(db, scope), order, enough)
        if whole:
            with self._lock:
                self._cached[key] = inside
                while len(self._cached) > CACHED:
                    self._cached.popitem(last=False)
        return inside

    def notes(self, inside: Flags) -> npt.NDArray[np.int64]:
        """Return the notes with a slot inside a mask."""
        return np.unique(self._notes[inside]).astype(np.int64)

    def _of_notes(self, db: Reader, scope: Scope) -> Flags:
        """Return the slots of the notes that the scope lets through."""
        notes = self._notes
        allowed = np.ones(int(notes.max(initial=0)) + 1, dtype=np.bool_)
        allowed[0] = False
        if scope.under:
            rows = db.fetch("NOTES_UNDER", {"under": scope.under})
            allowed &= _marked(allowed.size, np.fromiter(chain.from_iterable(rows), np.int32))
        for asked in scope.filters:
            if asked.of in OF_NOTES:
                matching = _marked(allowed.size, self.columns.matching(db, asked))
                allowed &= ~matching if asked.negated else matching
        return allowed[notes]

    def _of_chunks(self, db: Reader, asked: Filter) -> Flags | None:
        """Return the slots that a filter matches, as if it were not negated; None for filters of other kinds."""
        if asked.of == "term":
            return holding(db, [_term(asked)], self.size)
        if asked.of == "date":
            return self._dated(db, asked)
        return self._with_tasks(db, [asked]) if asked.of in TASKS and asked.negated else None

    def _dated(self, db: Reader, asked: Filter) -> Flags:
        """Return the slots with a day that the filter matches: their own, or else their note's."""
        notes, own = self._notes, self.columns.chunk_days(db)
        matching = _marked(int(notes.max(initial=0)) + 1, self.columns.matching(db, asked))[notes]
        matching[own.notes] = False
        matching[own.matching(asked)] = True
        return matching

    def _with_tasks(self, db: Reader, filters: Sequence[Filter]) -> Flags:
        """Return the slots with a task that all filters match; a note may also have a property `due`."""
        rows = db.fetch("CHUNK_TASKS")
        slots = [slot for slot, written in rows if tasks_match(filters, read_tasks(written))]
        matching = _marked(self.size, np.array(slots, np.int32))
        if all(asked.of == "due" for asked in filters):
            for asked in filters:
                due = self.columns.matching(db, asked._replace(of="field", key="due"))
                matching |= _marked(int(self._notes.max(initial=0)) + 1, due)[self._notes]
        return matching

    def _narrow(self, db: Reader, scope: Scope, inside: Flags, order: Scores | None, enough: int) -> tuple[Flags, bool]:
        """Return the slots of a mask whose text passes, and whether every chunk that had to be read was."""
        for asked in scope.filters:
            held = self._of_chunks(db, asked)
            if held is not None:
                inside = inside & (~held if asked.negated else held)
        # One task has to be as all of these want it.
        if tasks := task_filters(scope):
            inside = inside & self._with_tasks(db, tasks)
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
            # Of equals, the note that came first: slots depend on how many servers there are.
            places = places[np.lexsort((self._notes[places], -order[places]))]
        passed, read_all = _read(db, to_read, places, enough)
        # Chunks that were not read are out: what a user excludes must never appear.
        inside = inside & ~doubtful
        inside[passed] = True
        return inside, read_all


def _needed(asked: Filter) -> list[str]:
    """Return the terms that a chunk must hold to pass a filter."""
    (wanted,) = asked.values
    return str(wanted).split() if asked.of == "heading" else whole_terms(str(wanted))


def _read(db: Reader, filters: Sequence[Filter], places: npt.NDArray[np.intp], enough: int) -> tuple[list[int], bool]:
    """Return which of these slots pass the filters by their text, and whether all were read."""
    passed: list[int] = []
    read = 0
    words = [word for asked in filters if asked.of == "phrase" and not asked.negated for word in words_of(asked)]
    while read < min(places.size, READ_AT_MOST) and len(passed) < enough:
        passed += [
            slot
            for slot, chunk in load_holding(db, places[read : read + AT_ONCE].tolist(), words)
            if chunk and all(text_matches(asked, chunk) != asked.negated for asked in filters)
        ]
        read += AT_ONCE
    return passed, read >= places.size


def _term(asked: Filter) -> str:
    word = str(asked.values[0])
    return f"{prefix_term(word[:-1])}*" if word.endswith("*") else whole_terms(word)[0]


def _marked(size: int, places: NoteIds) -> Flags:
    marked = np.zeros(size, dtype=np.bool_)
    # A note without chunks has no slot, and its id may be above all that have.
    marked[places[places < size]] = True
    return marked

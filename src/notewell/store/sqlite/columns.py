"""What notes say of themselves, a column for each thing that filters look at: read once for a state of the store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import queries
from notewell.store.sqlite.filter_match import Value, make_test, normal
from notewell.terms import fold
from notewell.types.query import Filter

# How the rows of notes are read that a filter looks at, each with the note's id before a value.
ROWS = {
    "path": queries.NOTE_PATHS,
    "note": queries.NOTE_PATHS,
    "tag": queries.NOTE_TAGS,
    "type": queries.NOTE_TYPES,
    "date": queries.NOTE_DAYS,
}
# What cannot stand in a path of SQLite's, and hardly does in a key.
UNASKABLE = re.compile(r'["\\\x00-\x1f]')

# Where a note says which language it is in, beside the suffix of its file.
LANGUAGE_KEYS = ("lang", "language")

NoteIds = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Column:
    """Notes, the different values that they have, and which of them each has."""

    notes: NoteIds
    values: tuple[Value, ...]
    which: npt.NDArray[np.int32]

    @classmethod
    def of(cls, what: str, rows: list[tuple[int, Value]]) -> Column:
        """Return rows as a column; values that make no difference to a filter become one."""
        # Many notes say the same: each text is folded once.
        normals = {value: normal(what, value) for value in {value for _, value in rows}}
        numbers = {value: number for number, value in enumerate(dict.fromkeys(normals.values()))}
        which = np.fromiter((numbers[normals[value]] for _, value in rows), np.int32, len(rows))
        return cls(np.fromiter((note for note, _ in rows), np.int32, len(rows)), tuple(numbers), which)

    def fitting(self, asked: Filter) -> NoteIds:
        """Return the notes that have a value which the filter asks for."""
        test = make_test(asked)
        verdicts = np.fromiter(map(test, self.values), np.bool_, len(self.values))
        return self.notes[verdicts[self.which]]


class Columns:
    """The columns of one state of the notes, each read when it is first asked for."""

    def __init__(self) -> None:
        self._keys: dict[str, list[str]] | None = None
        self._slots: NoteIds | None = None
        self._columns: dict[tuple[str, str, int], Column] = {}

    def fitting(self, db: apsw.Connection, asked: Filter) -> NoteIds:
        """Return the notes that fit a filter, whether it is negated or not."""
        return self._column(db, asked).fitting(asked)

    def count(self, db: apsw.Connection, asked: Filter) -> int:
        """Return how many different values a filter looks at."""
        return len(self._column(db, asked).values)

    def _column(self, db: apsw.Connection, asked: Filter) -> Column:
        key = asked.of, fold(asked.key), touched(db) if asked.of == "date" else 0
        if key not in self._columns:
            self._columns[key] = Column.of(asked.of, self.rows(db, asked))
        return self._columns[key]

    def rows(self, db: apsw.Connection, asked: Filter) -> list[tuple[int, Value]]:
        """Return every value that a filter looks at as it is written, with the note's id."""
        if asked.of in ROWS:
            rows: Any = db.execute(ROWS[asked.of])
            return list(rows)
        if asked.of == "lang":
            paths: Any = db.execute(queries.NOTE_PATHS)
            said = (self.rows(db, Filter("field", (), key=key)) for key in LANGUAGE_KEYS)
            return [*((note, suffix_of(path)) for note, path in paths), *chain.from_iterable(said)]
        written = self.keys(db).get(fold(asked.key), ())
        places = [f'$."{key}"' for key in written if not UNASKABLE.search(key)]
        return list(chain.from_iterable(_field(db, place) for place in places))

    def keys(self, db: apsw.Connection) -> dict[str, list[str]]:
        """Return the keys of front matter, folded, each with the ways in which notes write it."""
        if self._keys is None:
            keys: dict[str, list[str]] = {}
            rows: Any = db.execute(queries.KEYS)
            for (key,) in rows:
                keys.setdefault(fold(key), []).append(key)
            self._keys = keys
        return self._keys

    def of_slots(self, db: apsw.Connection, size: int) -> NoteIds:
        """Return the note of every slot; 0 for a free one."""
        if self._slots is None:
            rows: Any = db.execute(queries.SLOT_NOTES)
            pairs = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)
            notes = np.zeros(size, dtype=np.int32)
            notes[pairs[:, 0]] = pairs[:, 1]
            self._slots = notes
        return self._slots


def suffix_of(path: str) -> str:
    """Return how a file's name ends, without the dot.

    >>> suffix_of("src/Main.KT")
    'kt'
    """
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def touched(db: apsw.Connection) -> int:
    """Return how often notes got new times and nothing else, which makes no new state of the chunks."""
    return int(db.execute(queries.META, {"key": "touched"}).get or 0)


def _field(db: apsw.Connection, place: str) -> Any:
    return db.execute(queries.NOTE_FIELDS, {"place": place})

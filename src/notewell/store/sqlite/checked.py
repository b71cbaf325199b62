"""The one way rows come out of the file: each value has its column's kind, size and range, or the store is damaged."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store.sqlite import check_queries, link_queries, queries
from notewell.store.tables.checked import check_rows, damaged
from notewell.store.tables.postings import BLOCK
from notewell.store.tables.reader import Name, Rows

# A statement that returns more rows than this may return as many as fit into the file, at so many bytes a row.
FEW, LEAST_BYTES = 100_000, 2
# The statements that the shared logic knows by name.
STATEMENTS: dict[str, str] = {**vars(queries), **vars(link_queries), **vars(check_queries)}


class Taken(threading.local):
    """The steps that SQLite has taken in a thread since the last statement began."""

    steps = 0


taken = Taken()
_columns: dict[str, list[str]] = {}


def fetch(db: apsw.Connection, statement: str, bindings: Mapping[str, Any] | None = None) -> Rows:
    """Return the rows of a statement; a value that its column cannot have is an error."""
    taken.steps = 0
    cursor = db.execute(statement, bindings)
    try:
        if statement not in _columns:
            _columns[statement] = [name for name, *_ in cursor.get_description()]
        rows: Rows = [*islice(cursor, FEW)]
        if len(rows) == FEW:
            rows += _rest(db, cursor)
    except apsw.ExecutionCompleteError:
        return []
    except UnicodeDecodeError as error:
        raise damaged("a text in it is not UTF-8") from error
    check_rows(_columns[statement], rows)
    return rows


def _rest(db: apsw.Connection, cursor: apsw.Cursor) -> Rows:
    """Return the other rows. Pages that point back to each other would give rows without end: that is an error."""
    most = db.pragma("page_count") * db.pragma("page_size") // LEAST_BYTES
    rows = [*islice(cursor, most)]
    if len(rows) == most:
        raise damaged("a table has more rows than its file has room for")
    return rows


def fetch_one(db: apsw.Connection, statement: str, bindings: Mapping[str, Any] | None = None) -> Any:
    """Return the first row of a statement, or its value if it has one column; None without a row."""
    rows = fetch(db, statement, bindings)
    if not rows:
        return None
    return rows[0] if len(rows[0]) > 1 else rows[0][0]


# Ids are numbers from 1 on.
NO_ID = -1


def carray(ids: Sequence[int] | npt.NDArray[np.int64]) -> Any:
    """Return ids as a table for a statement; without ids, one that no row has, since a table cannot be empty."""
    return apsw.carray(np.asarray(ids if len(ids) else [NO_ID], dtype=np.int64))


class SqliteReader:
    """The statements of the shared logic on one connection: ids are bound as a table, texts as JSON."""

    slots = BLOCK
    has_gaps = False

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db

    def fetch(self, name: Name, bindings: Mapping[str, Any] | None = None) -> Rows:
        """Return the rows of a statement."""
        bound = bindings and {
            key: BINDINGS[key](value) if key in BINDINGS else value for key, value in bindings.items()
        }
        return fetch(self.db, STATEMENTS[name], bound)


BINDINGS: dict[str, Callable[[Any], Any]] = {"ids": carray, "notes": carray, "paths": json.dumps, "terms": json.dumps}

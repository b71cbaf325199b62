"""The statements of the shared logic on one connection, inside a transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import psycopg

from notewell.store.postgres import queries
from notewell.store.tables.checked import check_rows
from notewell.store.tables.reader import Name, Rows

# Slots in a row of the table `block`. A changed note writes one row: 160 KB here, 2.5 MB for a whole block of postings.
STRIP = 4_096


class PostgresReader:
    """One state of the tables; what its rows hold is checked as in a file, since others may write to a server."""

    slots = STRIP
    has_gaps = True

    def __init__(self, db: psycopg.Connection, here: Sequence[int], lost: Collection[str] = ()) -> None:
        """Read the parts that are `here`; those on `lost` nodes are not."""
        self.db = db
        self.here = list(here)
        self.lost = lost

    def fetch(self, name: Name, bindings: Mapping[str, Any] | None = None) -> Rows:
        """Return the rows of a statement."""
        return self.rows(STATEMENTS[name], bindings)

    def rows(self, statement: str, bindings: Mapping[str, Any] | None = None) -> Rows:
        """Return the rows of any statement whose columns have the names of ours."""
        bound = {"here": self.here, **{key: _plain(value) for key, value in (bindings or {}).items()}}
        with self.db.cursor(binary=True) as cursor:
            cursor.execute(statement, bound)
            rows: Rows = cursor.fetchall()
            if rows:
                check_rows([column.name for column in cursor.description or ()], rows)
            return rows


def _plain(value: Any) -> Any:
    """Return a value as the driver binds it: only a list becomes an array."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value if isinstance(value, str | int | bytes | list) else list(value)


STATEMENTS: dict[str, str] = {name: value for name, value in vars(queries).items() if isinstance(value, str)}

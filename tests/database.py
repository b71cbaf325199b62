"""The SQLite connection of a store, for tests that look at rows or change them."""

from __future__ import annotations

import apsw

from notewell.store import Store
from notewell.store.sqlite import SqliteStore


def database(store: Store) -> apsw.Connection:
    """Return this thread's connection of a store, which has to be SQLite's."""
    assert isinstance(store, SqliteStore)
    return store.db

"""The table `meta` of one store, read once for a transaction, and its changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from notewell.store import State
from notewell.store.tables.checked import decodes
from notewell.store.tables.state import Counters, state_of

ALL_META = """
select key, value
from meta
"""
SET_META = """
insert into meta (store, key, value)
values (%(store)s, %(key)s, %(value)s)
on conflict (store, key) do update set value = excluded.value
"""


class Meta(Counters):
    """The keys and values that describe a store, as a mapping; a missing key has the value None.

    The keys are those of the SQLite store. `id` is a text of hexadecimal digits here.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._changed: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        return self._values.get(key)

    def __setitem__(self, key: str, value: str | int | bytes | None) -> None:
        self._values[key] = value
        self._changed.add(key)

    @property
    @decodes
    def state(self) -> State:
        """Return the state that it describes. Whoever may read a store on a server trusts who may write it."""
        return state_of({**self._values, "id": bytes.fromhex(self["id"] or "")})

    def save(self, db: psycopg.Connection, store: int) -> None:
        """Write what was changed."""
        rows = [{"store": store, "key": key, "value": Jsonb(self[key])} for key in sorted(self._changed)]
        if rows:
            db.cursor().executemany(SET_META, rows)
        self._changed.clear()

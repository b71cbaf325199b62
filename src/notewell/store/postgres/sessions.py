"""Transactions on one store: which it is, what it says of itself, and one state of it on all of its nodes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from notewell.errors import StoreError
from notewell.store.postgres.catalogue import FIND, MOVING, USE, Found
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.lost import PAUSE, SETTLED, Lost, torn
from notewell.store.postgres.marks import MARKS, agree
from notewell.store.postgres.meta import ALL_META, Meta
from notewell.store.postgres.reader import PostgresReader

READ = "begin isolation level repeatable read, read only"
# A plan that is kept for all parts asks every node, whatever parts are named; one for these parts leaves nodes out.
PLAN_ANEW = "set local plan_cache_mode to force_custom_plan"
INDEX_AGAIN = "Run `notewell index` to store it again"
# Beside everybody who writes, but not beside whoever moves parts from node to node.
WRITE = "select pg_advisory_xact_lock_shared(%s)"


class Sessions:
    """The transactions of one process on the store of a vault."""

    def __init__(self, connections: Connections, name: str, place: str, found: Found) -> None:
        """Begin with the store as it was found."""
        self.found = found
        self.is_gone = False
        self._connections = connections
        self._named = {"name": name, "place": place}
        self._lost = Lost()

    def keys(self, db: psycopg.Connection) -> Meta:
        """Return the present keys and values of the store, in one round trip."""
        return self._begin(db, READ, "commit")[1]

    def begin_writing(self, db: psycopg.Connection) -> tuple[Found, Meta]:
        """Choose the store for the transaction that runs, and keep its parts where they are until the end."""
        db.execute(WRITE.encode(), (MOVING,))
        self.found, meta, _ = self._begin(db)
        return self.found, meta

    @contextmanager
    def reading(self, connections: Connections | None = None) -> Iterator[tuple[PostgresReader, Meta]]:
        """Let every statement inside see the same state, of the primary or of another server."""
        with (connections or self._connections).taken() as db:
            yield self._opened(db)
            db.execute("commit")

    def _opened(self, db: psycopg.Connection) -> tuple[PostgresReader, Meta]:
        """Begin a transaction in which all nodes that can be reached have the same state."""
        until = time.monotonic() + SETTLED
        while True:
            try:
                found, meta, marks = self._begin(db, READ)
            except psycopg.OperationalError:
                if db.closed:
                    raise
                db.execute("rollback")
                if not self._lost.look(db, self.found):
                    raise
                continue
            lost = self._lost.names() if found.asks_nodes else frozenset()
            here = found.here(lost)
            if found.nodes == self.found.nodes and (not marks or agree(marks, here, meta.number("arrays"))):
                return PostgresReader(db, here, lost), meta
            db.execute("rollback")
            self.found = found
            if time.monotonic() > until:
                raise torn(self._connections.place)
            time.sleep(PAUSE)

    def _begin(self, db: psycopg.Connection, before: str = "", after: str = "") -> tuple[Found, Meta, list[Any]]:
        """Choose the store for a transaction, and read its keys, and its marks if nodes have any: one round trip."""
        lost = self._lost.names()
        asked = self.found.here(lost) if before and not after and self.found.asks_nodes else []
        with db.pipeline():
            if before:
                db.execute(before.encode())
            if self.found.leaves_out(lost):
                db.execute(PLAN_ANEW.encode())
            db.execute(USE, self._named)
            found = db.execute(FIND, self._named)
            values = db.execute(ALL_META)
            marks = db.execute(MARKS.encode(), (asked,)) if asked else None
            if after:
                db.execute(after.encode())
        row = found.fetchone()
        if row is None:
            # A replica may only not have it yet.
            self.is_gone = db.info.parameter_status("in_hot_standby") != "on"
            raise StoreError(f"The vault '{self._named['name']}' is gone from {self._connections.place}", INDEX_AGAIN)
        return Found(*row), Meta(dict(values.fetchall())), marks.fetchall() if marks else []

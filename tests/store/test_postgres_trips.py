"""What a store on a server costs: how often a search asks it, and how much its rows take."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest
from tests.store.servers import shared_server

from notewell import Vault
from notewell.serve.own_server import SUPERUSER
from notewell.store.postgres import queries
from notewell.store.postgres.schema import SEPARATED

pytestmark = pytest.mark.postgres
NAMES = {value: name for name, value in vars(queries).items() if isinstance(value, str)}


def test_a_search_asks_for_each_kind_of_row_once_and_for_lists_three_times(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, execute, pipeline = Counter[str](), psycopg.Cursor.execute, psycopg.Connection.pipeline

    def counted(cursor: psycopg.Cursor[Any], query: Any, *given: Any, **ways: Any) -> Any:
        if not cursor.connection.pgconn.pipeline_status:
            asked[NAMES.get(query, str(query))] += 1
        return execute(cursor, query, *given, **ways)

    def piped(db: psycopg.Connection) -> Any:
        asked["pipeline"] += 1
        return pipeline(db)

    with Vault.open(vault.root, {"store.url": shared_server().url()}) as other:
        other.index()
        other.search("bees", refresh=False)
        monkeypatch.setattr(psycopg.Cursor, "execute", counted)
        monkeypatch.setattr(psycopg.Connection, "pipeline", piped)
        assert other.search("why did the loaf collapse", refresh=False).hits
    # The state, then the transaction with its keys.
    assert asked["pipeline"] == 2 and asked["commit"] == 1
    # Lists of the words, then of names that are written alike; counts for the plan, and for what it says at the end.
    assert asked.pop("POSTINGS") <= 3 and asked.pop("HOLDING", 0) <= 2
    assert asked.pop("pipeline") and max(asked.values()) == 1, asked
    assert asked.total() <= 6, asked


def test_the_size_of_a_store_is_about_that_of_its_rows(vault: Vault) -> None:
    with Vault.open(vault.root, {"store.url": shared_server().url()}) as other:
        other.index()
        told, store = other.store.about().bytes, other.store._sessions.found.store  # type: ignore[attr-defined]
    with psycopg.connect(shared_server().url(SUPERUSER, "notewell")) as db:
        counted = (
            db.execute(
                f"select sum(pg_column_size(one.*)) from notewell.{table} as one where store = %s".encode(), [store]
            )
            for table in SEPARATED
        )
        rows = sum(cursor.fetchall()[0][0] or 0 for cursor in counted)
    # Some more for their keys in indexes.
    assert rows < told < 3 * rows

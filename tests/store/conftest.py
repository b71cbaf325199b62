from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from notewell.store import Store


@pytest.fixture(params=["sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Return a function that opens the same store each time, made for vectors of that many dimensions."""
    from notewell.store import MadeFor  # noqa: PLC0415
    from notewell.store.sqlite import SqliteStore  # noqa: PLC0415

    opened: list[SqliteStore] = []

    def open_sqlite(dimensions: int = 27) -> SqliteStore:
        opened.append(SqliteStore(tmp_path / "store.db", lambda: MadeFor("words/27", dimensions, "1")))
        return opened[-1]

    yield {"sqlite": open_sqlite}[request.param]
    for store in opened:
        store.close()

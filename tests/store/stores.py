"""The stores that every contract test runs over: a new one passes them by adding itself to STORES."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notewell.store import Store

# Opens the store of a folder; a new one is made for vectors of this many dimensions.
Open = Callable[[Path, int], "Store"]


def open_sqlite(folder: Path, dimensions: int) -> Store:
    from notewell.store import MadeFor  # noqa: PLC0415
    from notewell.store.sqlite import SqliteStore  # noqa: PLC0415

    return SqliteStore(folder / "store.db", lambda: MadeFor("words/27", dimensions, "1"))


def open_postgres(folder: Path, dimensions: int) -> Store:
    from tests.store.servers import connections  # noqa: PLC0415

    from notewell.store import MadeFor  # noqa: PLC0415
    from notewell.store.postgres.store import PostgresStore  # noqa: PLC0415

    return PostgresStore(connections(), str(folder), lambda: MadeFor("words/27", dimensions, "1"))


def open_memory(folder: Path, dimensions: int) -> Store:
    from tests.store.memory_store import MemoryStore, Shared  # noqa: PLC0415

    from notewell.store import MadeFor  # noqa: PLC0415

    return MemoryStore(IN_MEMORY.setdefault(folder, Shared(MadeFor("words/27", dimensions, "1"))))


IN_MEMORY: dict[Path, Any] = {}
STORES: dict[str, Open] = {"memory": open_memory, "postgres": open_postgres, "sqlite": open_sqlite}

"""Which kind of store a vault has, by its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from notewell.store import MadeFor
from notewell.store.opened import OpenedStore, store_file
from notewell.store.postgres.opened import ServerStore


class Place(Protocol):
    """Where the settings want the store."""

    @property
    def url(self) -> str:
        """Return the server; empty for a file."""

    @property
    def replicas(self) -> tuple[str, ...]:
        """Return the replicas of the server, which answer searches."""

    @property
    def name(self) -> str:
        """Return the vault's name on the server; empty for one of its own."""

    @property
    def path(self) -> str:
        """Return the file; empty for the usual one."""

    @property
    def folder(self) -> str:
        """Return the folder of stores; empty for the vault's own."""


def open_storage(
    place: Place, root: Path, made_for: Callable[[], MadeFor], suffix: str, cache_kib: int | None
) -> OpenedStore:
    """Return the store of the vault at `root`, on a server or in a file; it is opened on first use.

    A `suffix` of its name stands for some of the notes.
    """
    if place.url:
        return ServerStore(place.url, place.name, root, made_for, suffix=suffix, replicas=place.replicas)
    file = store_file(root, place.path, place.folder, suffix)
    return OpenedStore(file, root, made_for, suffix=suffix, cache_kib=cache_kib)

"""The store of one vault on a server: its name there, its folder for other files, and its owner."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar, cast

from notewell.errors import StoreDamaged, StoreError, StoreUnreachable
from notewell.files.safe_open import check_folder
from notewell.files.user import home_folder, private_folder, state_folder, user_key, write_private
from notewell.store import MadeFor, Store
from notewell.store.opened import STORES, OpenedStore
from notewell.store.postgres.address import place_of
from notewell.types.notices import Notice

if TYPE_CHECKING:
    from notewell.store.postgres.connection import Connections
    from notewell.store.postgres.store import PostgresStore

Answer = TypeVar("Answer")

INSTALL = "Run `pip install 'notewell[postgres]'`"
# The suffix of the file that stands for such a store in the user's folder of state; locks lie beside it.
SUFFIX = ".server"
# A readable name, and enough of a hash that no two vaults of a database collide.
LONGEST, DIGITS = 40, 5
# With most of so many notes, a folder is the vault that a store was made for.
COMPARED = 1_000


class ServerStore(OpenedStore):
    """The store of the vault at `root` in a PostgreSQL database."""

    def __init__(
        self,
        url: str,
        name: str,
        root: Path,
        made_for: Callable[[], MadeFor],
        *,
        suffix: str = "",
        replicas: Sequence[str] = (),
    ) -> None:
        """Take the vault's `name` in the database; without one, it is made of the folder's, and is this machine's.

        What is shown may come from the `replicas` of the server.
        """
        state = state_folder(os.environ, home_folder(os.environ))
        key = user_key(state)
        name = name or name_of(root, key.value)
        self._url = url
        self._replicas = replicas
        self._name = f"{name}{suffix}"
        beside = re.sub(r"[^\w.-]+", "-", f"{self._name}-{blake2b(place_of(url).encode(), digest_size=4).hexdigest()}")
        super().__init__(state / STORES / f"{beside}{SUFFIX}", root, made_for, suffix=suffix)
        self._key = key
        self._connected: Connections | None = None
        self._is_there = False

    @property
    def place(self) -> str:
        """Return where the store is, for people."""
        return f"{place_of(self._url)}, vault '{self._name}'"

    @property
    def is_remote(self) -> bool:
        """Tell whether the store is on a server."""
        return True

    def retried(self, search: Callable[[], Answer]) -> Answer:
        """Return what a search finds; if its replica or node is lost meanwhile, repeat it without that one."""
        try:
            return search()
        except StoreUnreachable:
            if not self._replicas and not (self.exists and self._opened_store().asks_nodes):
                raise
            return search()

    def repaired(self) -> Store:
        """Return the store to rebuild: even one that is damaged can be opened, and gives way to another."""
        return self.store

    @property
    def exists(self) -> bool:
        """Tell whether the database has a store of this vault."""
        if not self._is_there:
            self._is_there = _engine().exists(self._connections, self._name)
        return self._is_there

    @property
    def is_made_here(self) -> bool:
        """Tell whether a stranger's folder may have brought the store: a server's never is in a folder."""
        return False

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what the user should know before a run."""
        try:
            self.store.about()
        except StoreDamaged:
            return (Notice("store_repaired"),)
        return ()

    def drop_build(self) -> None:
        """Delete a build that nobody uses any more: it may hold the text of notes that are gone."""
        self._opened_store().drop_build()

    def close(self) -> None:
        """Close the store and its connections; the next use opens it again."""
        super().close()
        if self._connected is not None:
            self._connected.close()

    @property
    def _connections(self) -> Connections:
        if self._connected is None:
            self._connected = _engine().Connections(self._url)
        return self._connected

    def _open(self, made_for: MadeFor | None = None) -> Store:
        check_folder(self.root)
        if made_for is None and not self.exists:
            # Before anything is made: an embedder that does not answer leaves no trace.
            made_for = self._made_for()
        store: PostgresStore = _engine().PostgresStore(
            self._connections,
            self._name,
            lambda: made_for or self._made_for(),
            key=self._key.value,
            replicas=_engine().Replicas(self._replicas),
        )
        self._check_owner(store)
        private_folder(self.file.parent)
        if not self.file.exists():
            write_private(self.file, f"{self.place}\n".encode())
        return store

    def _opened_store(self) -> PostgresStore:
        return cast("PostgresStore", self.store)

    def _check_owner(self, store: PostgresStore) -> None:
        """Record the owner of a new store; refuse a store of other notes, which a run here would replace."""
        owner = blake2b(os.fsencode(self.root), key=self._key.value, digest_size=16).hexdigest()
        if store.claimed_by(owner):
            return
        sizes = [(path, stamp.size) for path, stamp in store.files().notes.items()][:COMPARED]
        if 2 * sum(_has_size(self.root / path, size) for path, size in sizes) < len(sizes):
            raise StoreError(
                f"The vault '{self._name}' at {place_of(self._url)} has other notes than this folder",
                "Set store.name to another name: two vaults cannot share a store",
            )


def _engine() -> ModuleType:
    """Return the module of the store, which loads the driver: most vaults have a file, and need none of it."""
    try:
        from notewell.store.postgres import store  # noqa: PLC0415
    except ImportError as error:
        raise StoreError("A store on a server needs psycopg, which is not installed", INSTALL) from error
    return store


def name_of(root: Path, key: bytes) -> str:
    """Return the name of a vault in a database: its folder's, and a hash that differs from user to user.

    >>> name_of(Path("/home/ada/My notes"), b"key")[:9]
    'My-notes-'
    """
    path = os.path.realpath(root)
    plain = re.sub(r"[^\w.]+", "-", Path(path).name)[:LONGEST]
    return f"{plain or 'vault'}-{blake2b(os.fsencode(path), key=key, digest_size=DIGITS).hexdigest()}"


def _has_size(file: Path, size: int) -> bool:
    try:
        return file.stat().st_size == size
    except OSError:
        return False

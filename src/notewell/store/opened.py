"""The store of one vault, opened on first use: the one place that knows which kind of store it is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from notewell.errors import StoreDamaged, StoreError, StoreUnfit
from notewell.files.safe_open import check_folder, exists
from notewell.files.user import Key, home_folder, state_folder, user_key
from notewell.store import MadeFor, Store
from notewell.store.copying import copy_content
from notewell.store.partial import partial_folder
from notewell.store.sqlite import SqliteStore
from notewell.store.sqlite.files import BACKUP_HINT, UNCHANGED, check_backup, delete_beside, delete_unused
from notewell.store.sqlite.place import (
    OURS,
    check_no_link,
    check_place,
    claim,
    is_another,
    make_folder,
    name_for,
    owner_of,
)
from notewell.store.tables.seal import StoreOfAnother, not_yours
from notewell.types.notices import Notice

# Where a vault has its store, from its root, if no setting names another place.
USUAL_PLACE = Path(OURS, "store.db")
# The folder for stores in the user's folder of state.
STORES = "stores"
FORCE_HINT = "Use a backup of this vault, or restore this one with `notewell restore --force`"


def store_file(root: Path, path: str, folder: str, suffix: str = "") -> Path:
    """Return the file of a vault's store: at a `path` of its own, in the user's `folder` of stores, or in the vault.

    A `suffix` of its name stands for some of the notes; see `suffix_for`.
    """
    if folder and not path:
        file = Path(os.path.expanduser(folder), name_for(root))
    else:
        # Normalised by its text: a symbolic link on the way would make another place of `..`.
        file = Path(os.path.normpath(root / (os.path.expanduser(path) if path else USUAL_PLACE)))
    return file.with_name(f"{file.stem}{suffix}{file.suffix}")


def suffix_for(selection: str, domain: str = "") -> str:
    """Return what the name of a store ends in that has the notes of a selection, or of a domain.

    >>> suffix_for(""), suffix_for("1b2e3a4c"), suffix_for("", "fitness")
    ('', '-1b2e3a4c', '.fitness')
    """
    return f"{selection and f'-{selection}'}{domain and f'.{domain}'}"


Found = TypeVar("Found")


class OpenedStore:
    """The store of the vault at `root`, in a file; `made_for` returns the settings that a new one depends on.

    The `suffix` of its name says which notes are in it, if not all. `cache_kib` is how much of the file each
    thread keeps in memory; without it, SQLite's default.
    """

    def __init__(
        self,
        file: Path,
        root: Path,
        made_for: Callable[[], MadeFor],
        *,
        suffix: str = "",
        cache_kib: int | None = None,
    ) -> None:
        self.file = self._usual = file
        self._suffix = suffix
        self.root = root
        self._key = Key(b"")
        self._made_for = made_for
        self._cache_kib = cache_kib
        self._store: Store | None = None
        self._opening = threading.Lock()

    @property
    def place(self) -> str:
        """Return where the store is, for people."""
        return str(self.file)

    @property
    def is_remote(self) -> bool:
        """Tell whether the store is on a server."""
        return False

    @property
    def store(self) -> Store:
        """Return the store; if there is none yet, create it."""
        store = self._store
        if store is None or not store.in_place:
            # Several threads may ask at once; one opens it for all.
            with self._opening:
                if self._store is None or not self._store.in_place:
                    self.close()
                    self._store = self._open()
                store = self._store
        return store

    @property
    def stores(self) -> tuple[Store, ...]:
        """Return the stores behind it: this one."""
        return (self.store,)

    @property
    def bytes(self) -> int:
        """Return how large its file is."""
        return self.file.stat().st_size if self.exists else 0

    def retried(self, search: Callable[[], Found]) -> Found:
        """Return what a search finds; if its server is lost meanwhile, repeat it on another."""
        return search()

    def repaired(self) -> Store:
        """Return the store to rebuild; one that is damaged or unfit is not opened, and can only be replaced."""
        try:
            self.store.about()
        except (StoreDamaged, StoreUnfit):
            self.close()
            return SqliteStore(self.file, self._made_for, self._key.value, is_damaged=True)
        return self.store

    @property
    def exists(self) -> bool:
        """Tell whether there is a store file, whatever is in it."""
        try:
            return self.file.is_file() and self.file.stat().st_size > 0
        except OSError:
            return False

    @property
    def is_indexed(self) -> bool:
        """Tell whether the vault was ever indexed, by this user on this machine: another store is not read."""
        return self.exists and bool((state := self.store.state).indexed_at) and state.origin == "own"

    @property
    def is_foreign(self) -> bool:
        """Tell whether the store was made elsewhere or altered, so that it has to be rebuilt before it is read."""
        return self.exists and bool((state := self.store.state).indexed_at) and state.origin != "own"

    @property
    def is_made_here(self) -> bool:
        """Tell whether the store says that it was made for this folder."""
        return self.exists and owner_of(self.file) == self.root

    def check_indexed(self) -> None:
        """Raise an error if the vault was never indexed, or if its store cannot be trusted."""
        if self.is_foreign:
            raise not_yours(self.file)
        if not self.is_indexed:
            raise StoreError("This vault was never indexed", "Run `notewell index` first")

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what the user should know before a run: why the store is rebuilt, or why it is elsewhere."""
        try:
            if self.is_indexed:
                return ()
        except (StoreDamaged, StoreUnfit):
            return (Notice("store_repaired"),)
        rebuilt = (Notice("store_rebuilt"),) if self.is_foreign else ()
        elsewhere = Notice("store_of_another", {"file": str(self._usual), "own": str(self.file)})
        no_key = (Notice("no_key", {"reason": self._key.problem}),) if self._key.problem else ()
        return (*rebuilt, *((elsewhere,) if self.file != self._usual else ()), *no_key)

    def beside(self, suffix: str) -> Path:
        """Return the file beside the vault's store whose name has this suffix; one behind a link is an error."""
        # Even if this user's store is elsewhere: these files are about the folder.
        check_no_link(self._usual, self.root)
        return self._usual.with_name(self._usual.name + suffix)

    def drop_build(self) -> None:
        """Delete builds and stores that nobody uses any more: they may hold the text of notes that are gone."""
        delete_beside(self.file)
        delete_unused(self.file)

    def backup(self, file: Path) -> tuple[Path, ...]:
        """Write the store, as it is now, to another file, and return the files that there are now."""
        if exists(file):
            raise StoreError(f"{file} exists already", "Choose a new name: a backup never overwrites a file")
        self.check_indexed()
        if not file.parent.is_dir():
            raise StoreError(f"There is no folder {file.parent}", "Create it, or choose another folder")
        if not os.access(file.parent, os.W_OK):
            raise StoreError(f"{file.parent} cannot be written", "Choose a folder that you may write to")
        with partial_folder(file.parent) as folder:
            partial = folder / file.name
            self.store.copy_to(partial)
            partial.replace(file)
        return (file,)

    def restore(self, file: Path, wait: float, *, force: bool = False) -> Path | None:
        """Replace the store by a backup, waiting up to `wait` seconds for another process that is indexing.

        A damaged backup is refused, and one of another vault, unless `force`. Return where the vault was when the
        backup was made, if that was elsewhere.
        """
        owner = self.check_backup(file, force=force)
        if not self.exists:
            # What it is made for comes with the copy; no embedder is asked.
            self._store = self._open(MadeFor("", 0, ""))
        store = self.repaired()
        with store.locked(wait=wait):
            store.replace_by(store.beside(file))
        return owner if owner != self.root else None

    def check_backup(self, file: Path, *, force: bool = False) -> Path | None:
        """Return where the vault was when a backup was made; one that cannot be restored is an error."""
        if not exists(file):
            raise StoreError(f"There is no file {file}", BACKUP_HINT)
        if not file.is_file():
            raise StoreError(f"{file} is not a file", BACKUP_HINT)
        check_backup(file)
        try:
            owner = owner_of(file)
        except StoreDamaged as error:
            raise StoreError(f"{file} is damaged", UNCHANGED) from error
        if owner and is_another(owner, self.root) and not force:
            raise StoreError(f"{file} is a backup of another vault, {owner}", FORCE_HINT)
        return owner

    def take_over(self, source: Store, tell: Callable[[int, int], None], wait: float) -> Sequence[str]:
        """Replace the content by that of another kind of store, or return what is wrong with the copy of it.

        A copy that was interrupted is continued.
        """
        if not self.exists:
            self._store = self._open(source.state.made_for)
        store = self.repaired()
        with store.locked(wait=wait):
            copy = store.beside(source.state.made_for)
            copy_content(source, copy, tell)
            if problems := copy.check():
                copy.close()
                return problems
            store.replace_by(copy)
            store.tidy()
        return ()

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _open(self, made_for: MadeFor | None = None) -> Store:
        """Open the vault's store; if it belongs to another user or machine, open one in this user's state folder."""
        state = state_folder(os.environ, home_folder(os.environ))
        self.file, self._key = self._usual, user_key(state)
        # If the key cannot be saved, neither can another store: this one is rebuilt.
        if not self._key.problem:
            with suppress(StoreOfAnother):
                return self._open_file(made_for, only_own=True)
            # Its name says which notes are in it, too.
            self.file = store_file(self.root, "", str(state / STORES), self._suffix)
        return self._open_file(made_for)

    def _open_file(self, made_for: MadeFor | None, *, only_own: bool = False) -> Store:
        check_folder(self.root)
        check_no_link(self.file, self.root)
        check_place(self.file, self.root, USUAL_PLACE)
        if made_for is None and not self.exists:
            # Before anything is made: an embedder that does not answer leaves no trace.
            made_for = self._made_for()
        try:
            make_folder(self.file, self.root)
            store = SqliteStore(self.file, lambda: made_for or self._made_for(), self._key.value, only_own=only_own)
        except StoreError:
            # If the vault was moved away meanwhile, that is what the user has to know.
            check_folder(self.root)
            raise
        try:
            origin = store.state.origin
            if origin != "other" or self._key.problem:
                claim(store.db, self.file, self.root, is_own=origin == "own")
        except StoreError:
            store.close()
            raise
        if self._cache_kib is not None:
            store.limit_cache(self._cache_kib)
        return store

"""What a vault has open: its folder and settings, its store, and what turns texts into vectors."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Self

from notewell.config import FOLDER
from notewell.config.settings import Settings
from notewell.embed import Embedder, load_embedder, load_encoder
from notewell.errors import EmbedError, StoreDamaged, StoreError
from notewell.index import Source
from notewell.index.encode import keep_searched
from notewell.index.place import check_folder
from notewell.redact import rules_digest
from notewell.search import Embedders, Encoded
from notewell.store import MadeFor
from notewell.store.sqlite import SqliteStore, delete_store
from notewell.store.sqlite.place import check_place, check_way, claim, make_folder, name_for
from notewell.types.notices import Notice

# Where a vault has its store, from its root, if no setting names another place.
USUAL = Path(FOLDER, "store.db")
# Grows when terms, or what is embedded, change in a way that old stores do not have.
RECIPE = 4


class Opened:
    """A folder of notes, and what belongs to it, each opened on first use."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self._store: SqliteStore | None = None
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @property
    def store_file(self) -> Path:
        """Return where the store lies."""
        named, folder = self.settings.store.path, self.settings.store.folder
        if folder and not named:
            return Path(os.path.expanduser(folder), name_for(self.root))
        # By its name: what a link on the way would make of `..` is another place.
        return Path(os.path.normpath(self.root / (os.path.expanduser(named) if named else USUAL)))

    def beside_store(self, suffix: str) -> Path:
        """Return the file that lies beside the store with this at the end of its name; one behind a link is refused."""
        check_way(self.store_file, self.root)
        return self.store_file.with_name(self.store_file.name + suffix)

    @cached_property
    def embedder(self) -> Embedder:
        """Return the vault's embedder, loaded on first use."""
        return load_embedder(self.settings.embed)

    @cached_property
    def _hurried_remote(self) -> Embedder:
        return load_embedder(self.settings.embed, hurried=True)

    @property
    def _hurried_embedder(self) -> Embedder:
        """Return the embedder for what a search waits for; one on this machine is as quick as it can be."""
        return self._hurried_remote if self.settings.embed.is_remote else self.embedder

    @cached_property
    def encoder(self) -> Embedder | None:
        """Return what makes the better vectors that come behind the embedder's, loaded on first use."""
        return load_encoder(self.settings.embed)

    @property
    def store(self) -> SqliteStore:
        """Return the vault's store, made on first use, and opened again if its file is another than it was."""
        store = self._store
        if store is None or not store.in_place:
            # Several threads may ask at once; one opens it for all.
            with self._opening:
                if self._store is None or not self._store.in_place:
                    self.close()
                    self._store = self._open_store()
                store = self._store
        return store

    def _open_store(self, made_for: MadeFor | None = None) -> SqliteStore:
        file = self.store_file
        check_folder(self.root)
        check_way(file, self.root)
        if self.settings.store.path:
            check_place(file, self.root, USUAL)
        if made_for is None and not self.has_store:
            # Before anything is made: an embedder that does not answer leaves no trace.
            made_for = self._made_for
        try:
            make_folder(file, self.root)
            store = SqliteStore(file, lambda: made_for or self._made_for)
        except StoreError:
            # A vault that was moved away meanwhile is told of, and not a store that cannot be made in it.
            check_folder(self.root)
            raise
        try:
            claim(store.db, file, self.root)
        except StoreError:
            store.close()
            raise
        return store

    @property
    def has_store(self) -> bool:
        """Tell whether a store lies there, whatever is in it."""
        return _has_content(self.store_file)

    @property
    def indexed(self) -> bool:
        """Tell whether the vault was ever indexed."""
        return self.has_store and bool(self.store.state.indexed_at)

    @property
    def _recipe(self) -> str:
        # A store made before a rule was added may hold what that rule takes out.
        return f"{RECIPE} {rules_digest()} {self.settings.chunk}"

    @property
    def _made_for(self) -> MadeFor:
        return MadeFor(self.embedder.fingerprint, self.embedder.dimensions, self._recipe)

    def _suits(self, made_for: MadeFor) -> bool:
        """Tell whether a store is as one made now would be; a server is not asked for that."""
        return (made_for.embedder, made_for.recipe) == (self.embedder.fingerprint, self._recipe)

    def _matching_embedder(self, *, hurried: bool) -> tuple[Embedder | None, tuple[Notice, ...]]:
        """Return the embedder whose vectors the store holds, or none and the reason."""
        made_for = self.store.state.made_for.embedder
        try:
            embedder = self._hurried_embedder if hurried else self.embedder
            if embedder.fingerprint == made_for:
                return embedder, ()
        except EmbedError as error:
            return None, (Notice("words_only", {"reason": error.fact}),)
        return None, (Notice("other_embedder", {"embedder": made_for}),)

    def check_indexed(self) -> None:
        """Refuse to go on with a vault that was never indexed."""
        if not self.indexed:
            raise StoreError("This vault was never indexed", "Run `notewell index` first")

    @property
    def _source(self) -> Source:
        return Source(self.root, self.settings.index, self.settings.chunk)

    def embedders(self, *, hurried: bool = True) -> tuple[Embedders, tuple[Notice, ...]]:
        """Return the embedders of a search, and what the user should know of those that are missing."""
        embedder, notices = self._matching_embedder(hurried=hurried)
        encoder, more = self._ready_encoder() if embedder else (None, ())
        return Embedders(embedder, encoder, self.settings.embed.is_remote), (*notices, *more)

    def _store_encoded(self, encoded: Sequence[Encoded]) -> None:
        """Store the vectors that the encoder made during a search; what cannot be written at once is made again."""
        for chunks, vectors in encoded:
            with suppress(StoreError):
                keep_searched(self.store, self.encoder.fingerprint if self.encoder else "", chunks, vectors)

    def _ready_encoder(self) -> tuple[Embedder | None, tuple[Notice, ...]]:
        """Return the encoder, or none and the reason; one that fails when it is used is told of by the search."""
        try:
            return self.encoder, ()
        except EmbedError as error:
            return None, (Notice("searching_without", {"reason": error.fact}),)

    def _repaired_store(self) -> SqliteStore:
        """Return the store; a damaged one is thrown away first, as all of it can be made again."""
        try:
            self.store.about()
        except StoreDamaged:
            self.close()
            delete_store(self.store_file)
        return self.store


def _has_content(file: Path) -> bool:
    try:
        return file.is_file() and file.stat().st_size > 0
    except OSError:
        return False

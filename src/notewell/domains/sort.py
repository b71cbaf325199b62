"""Notes sorted into the stores of their domains after the registry changed, with their vectors: nothing is embedded."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from hashlib import blake2b
from pathlib import Path

from notewell.errors import StoreDamaged, StoreError
from notewell.files.safe_open import read_plain
from notewell.files.user import clean_up, home_folder, state_folder, write_private
from notewell.index.domains import Domains
from notewell.store.copying import copy_notes
from notewell.store.joined_opened import of_domain
from notewell.store.opened import OpenedStore
from notewell.store.sqlite.files import delete_store

# The folder in the user's state folder that remembers by which registry stores were sorted, and for how long.
FOLDER = "sorted"
KEPT_SECONDS, KEPT_FILES = 365 * 86_400.0, 1_000
# What the name of a domain is made of.
NAME = re.compile(r"[\w-]+")
# How long to wait for another process that indexes, in seconds.
WAIT_SECONDS = 5.0


class Sorting:
    """The stores of one vault's domains, by name, and the registry that sorts notes into them."""

    def __init__(
        self, stores: Mapping[str, OpenedStore], domains: Domains, file: Path, reopen: Callable[[Path], OpenedStore]
    ) -> None:
        """Take the stores; `file` is where one store for all of them would be, and `reopen` opens a former one."""
        self._stores = stores
        self._domains = domains
        self._file = file
        self._reopen = reopen
        name = blake2b(os.fsencode(file), digest_size=16).hexdigest()
        self._kept = state_folder(os.environ, home_folder(os.environ)) / FOLDER / name

    @property
    def is_due(self) -> bool:
        """Tell whether the stores were sorted by another registry, or whether that is not known."""
        last = self._last()
        # A vault that never had domains leaves no trace.
        return bool(self._domains) if last is None else last != self._now

    @property
    def _now(self) -> list[list[str]]:
        return [list(self._domains.names), *(list(claim) for claim in self._domains.claims)]

    def _last(self) -> list[list[str]] | None:
        """Return by which registry the stores were sorted last: the names of its domains, then what they claim."""
        try:
            kept = json.loads(read_plain(self._kept))
        except (OSError, ValueError, RecursionError):
            return None
        is_sound = isinstance(kept, list) and kept and all(isinstance(name, str) for name in kept[0])
        return kept if is_sound else None

    def sort(self) -> int:
        """Move each note to the store of its domain, and delete stores of domains that are no more; return how many."""
        moved = 0
        with ExitStack() as stack:
            stores = {name: opened for name, opened in self._stores.items() if opened.exists}
            former = [self._reopen(file) for file in self._former()]
            for opened in former:
                stack.callback(opened.close)
            sources = [opened for opened in (*stores.values(), *former) if _is_sound(opened)]
            if any(self._strays(opened) for opened in sources):
                every = [*self._stores.values(), *(opened for opened in former if opened in sources)]
                for opened in every:
                    stack.enter_context(opened.store.locked(wait=WAIT_SECONDS))
                moved = sum(self._empty(opened) for opened in sources)
        for file in self._former():
            delete_store(file)
        with suppress(OSError):
            write_private(self._kept, json.dumps(self._now).encode())
            clean_up(self._kept.parent, seconds=KEPT_SECONDS, most=KEPT_FILES)
        return moved

    def _former(self) -> list[Path]:
        """Return the files of stores that the vault has no more: of other domains, or of all notes."""
        present = {opened.file for opened in self._stores.values()}
        # Only those that we made: another file of such a name may be a backup.
        names = ["", *(self._last() or [[]])[0]]
        files = (of_domain(self._file, name) for name in names if not name or NAME.fullmatch(name))
        return [file for file in files if file not in present and not file.is_symlink() and file.is_file()]

    def _owner(self, opened: OpenedStore) -> str | None:
        return next((name for name, other in self._stores.items() if other is opened), None)

    def _strays(self, opened: OpenedStore) -> dict[str, list[str]]:
        """Return the notes of a store that belong to others, by the name of their domain."""
        own, strays = self._owner(opened), dict[str, list[str]]()
        for path in opened.store.files().notes:
            domain = self._domains.of(path)
            if domain != own:
                strays.setdefault(domain, []).append(path)
        return strays

    def _empty(self, source: OpenedStore) -> int:
        """Move what belongs to other stores out of one, and return how many notes these were."""
        strays = self._strays(source)
        for name, paths in strays.items():
            target = self._stores[name]
            # What it is made for is asked of the embedder, which is loaded only for a new store.
            if target.store.state.made_for == source.store.state.made_for:
                copy_notes(source.store, target.store, paths)
        if self._owner(source) is not None:
            _remove(source, [path for paths in strays.values() for path in paths])
        return sum(map(len, strays.values()))


def _remove(opened: OpenedStore, paths: Sequence[str]) -> None:
    with opened.store.writing() as writer:
        for path in paths:
            writer.remove(path)


def _is_sound(opened: OpenedStore) -> bool:
    """Tell whether a store is this user's and can be read; others are indexed anew."""
    try:
        return opened.is_indexed
    except (StoreDamaged, StoreError):
        return False

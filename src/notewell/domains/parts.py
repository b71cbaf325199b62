"""The stores of a vault, opened as its registry has them: one for each domain, or one for all notes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings
from notewell.domains.across import KeptAcross
from notewell.domains.runs import DomainIndexing
from notewell.domains.sort import Sorting
from notewell.embed import Models
from notewell.errors import StoreError
from notewell.files.survey import WalkRules
from notewell.frozen import frozen
from notewell.index import Linking, Source
from notewell.index.domains import Domains, Territory
from notewell.index.encode import EncoderVectors
from notewell.index.runs import Indexing
from notewell.index.shown import Shown
from notewell.index.walk import DomainWalk
from notewell.store.choose import open_storage
from notewell.store.joined_opened import JoinedStorage
from notewell.store.opened import OpenedStore, store_file, suffix_for


class Opened(NamedTuple):
    """What is open of a vault: all of it, or some of its domains."""

    storage: OpenedStore
    indexing: Indexing
    shown: Shown
    encoder: EncoderVectors
    models: Models


@frozen
class Wiring:
    """What the stores of a vault need of it, asked anew each time, as settings change."""

    root: Path
    files: Callable[[], SettingsFiles]
    walk: Callable[[], WalkRules]
    """Which files are notes."""
    source: Callable[[], Source]
    """Where and how notes are read."""
    linking: Linking
    models: Callable[[Settings], Models]
    """Makes the models of some settings."""
    cache_kib: int | None = None


class Parts:
    """The stores of a vault, by the names of its domains; without domains, there is one, without a name."""

    def __init__(self, wiring: Wiring, models: Models) -> None:
        self._wiring = wiring
        self._models = models
        self._lock = threading.Lock()
        self._of: tuple[Domains, Mapping[str, Opened]] | None = None
        self._views: dict[tuple[str, ...], Opened] = {}
        self._former: list[Opened] = []

    def opened(self, names: Sequence[str] = ()) -> Opened:
        """Return what is open of these domains, or of all; stores are opened anew when the registry changed."""
        domains = self._wiring.files().domains
        if self._of is None or self._of[0] != domains:
            with self._lock:
                if self._of is None or self._of[0] != domains:
                    self._open(domains)
        wanted = tuple(names or domains.names)
        view = self._views.get(wanted)
        if view is None:
            view = self._views[wanted] = self._view(wanted)
        return view

    def each(self, names: Sequence[str] = ()) -> dict[str, Opened]:
        """Return the stores of these domains one by one, or of all, by name."""
        self.opened(names)
        assert self._of is not None, "they were opened just now"
        return {name: part for name, part in self._of[1].items() if not names or name in names}

    def close(self) -> None:
        """Close all stores; the next use opens them again."""
        for part in (*(self._of[1].values() if self._of else ()), *self._former):
            part.storage.close()
        for view in self._views.values():
            view.storage.close()
        self._former = []

    def _open(self, domains: Domains) -> None:
        if self._of is not None:
            # Other threads may still read them.
            self._former += self._of[1].values()
        parts = {name: self._part(name, domains) for name in domains.names or ("",)}
        self._sort(parts, domains)
        self._of, self._views = (domains, parts), {}

    def _sort(self, parts: Mapping[str, Opened], domains: Domains) -> None:
        """Sort notes into the stores by a new registry; while another process writes, the next run does it."""
        settings, suffix = self._wiring.files().settings.store, suffix_for(self._wiring.files().selection)
        if settings.url:
            return
        file = store_file(self._wiring.root, settings.path, settings.folder, suffix)
        stores = {name: part.storage for name, part in parts.items()}

        def reopen(former: Path) -> OpenedStore:
            made_for = next(iter(parts.values())).indexing
            return OpenedStore(former, self._wiring.root, lambda: made_for.made_for)

        sorting = Sorting(stores, domains, file, reopen)
        if sorting.is_due:
            with suppress(StoreError):
                sorting.sort()

    def _part(self, name: str, domains: Domains) -> Opened:
        """Return the store of one domain, with all that keeps it."""
        wiring, files = self._wiring, self._wiring.files()
        own = files.of(name)
        models = wiring.models(own) if own.embed != files.settings.embed else self._models
        within = domains.part([name]) if domains else None

        def source() -> Source:
            found = wiring.source()
            return replace(found, walk=limited(found.walk, within))

        # The store asks what it is made for when it is new: the runs, which come after it.
        runs: list[Indexing] = []
        storage = open_storage(
            files.settings.store,
            wiring.root,
            lambda: runs[0].made_for,
            suffix_for(files.selection, name),
            wiring.cache_kib,
        )
        runs.append(Indexing(source, storage, models, wiring.linking))
        shown = Shown(wiring.root, lambda: limited(wiring.walk(), within), storage)
        return Opened(storage, runs[0], shown, EncoderVectors(storage, self._models), models)

    def _view(self, names: tuple[str, ...]) -> Opened:
        """Return several domains as one; a single one is its own."""
        assert self._of is not None, "they were opened before"
        domains, parts = self._of
        if len(names) <= 1:
            return parts[names[0] if names else ""]
        # Vectors are compared with those of the first, which has the vault's own embedder if any has.
        chosen = {name: parts[name] for name in sorted(names, key=lambda name: parts[name].models is not self._models)}
        models = next(iter(chosen.values())).models
        within, file = domains.part(names), self.file
        storage = JoinedStorage(
            {name: part.storage for name, part in chosen.items()}, file, domains.of, KeptAcross(file, names)
        )

        runs = {name: part.indexing for name, part in chosen.items()}
        indexing = DomainIndexing(self._wiring.source, storage, models, runs, lambda: self._wiring.files().domains)
        shown = Shown(self._wiring.root, lambda: limited(self._wiring.walk(), within), storage)
        return Opened(storage, indexing, shown, EncoderVectors(storage, self._models), models)

    @property
    def file(self) -> Path:
        """Return the file in which one store for all domains would be."""
        files = self._wiring.files()
        settings = files.settings.store
        return store_file(self._wiring.root, settings.path, settings.folder, suffix_for(files.selection))


def limited(rules: WalkRules, within: Territory | None) -> WalkRules:
    """Return the rules for some domains; those of the vault if it has none, or for all of them."""
    return DomainWalk.of(rules, within) if within else rules

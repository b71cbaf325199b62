"""The indexing runs of one vault: of everything that changed, anew beside the store, before a search, of one note."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event

from notewell.embed import Embedder, Models
from notewell.embed.none import NO_EMBEDDER, NoEmbedder
from notewell.errors import EmbedError, StoreBusy, StoreError, VaultError
from notewell.index import Changes, Linking, Progress, Report, Source, find_changes, index
from notewell.index.changes import change_of
from notewell.index.last_walk import LastWalk
from notewell.index.lent import NOTHING_LENT
from notewell.index.spread import Spread, check_workers
from notewell.index.watch import watch
from notewell.remote.address import Key
from notewell.store import MadeFor, State, Store
from notewell.store.opened import OpenedStore
from notewell.types.notices import Notice

# How long a run waits for another process that is indexing, in seconds.
WAIT_SECONDS = 5.0
# And how long writing or removing one note waits for that; otherwise the next search indexes it.
NOTE_WAIT_SECONDS = 2.0
# How long a watch waits before it tries again.
BUSY_SECONDS = 0.5


class Indexing:
    """The indexing runs of a vault: where it reads, where it writes, and with which models.

    `source` is asked for each run, as settings may change while a vault is open.
    """

    def __init__(self, source: Callable[[], Source], opened: OpenedStore, models: Models, linking: Linking) -> None:
        self._source = source
        self._opened = opened
        self._models = models
        self._linking = linking
        # Whether this run does without the embedder, because its server does not answer.
        self._by_words = False
        # Vectors of notes that this run takes over from other stores.
        self.lent = NOTHING_LENT
        # How many workers prepare the notes of this run, or where they are; none if empty.
        self._workers = ""

    @property
    def root(self) -> Path:
        """Return the vault's folder."""
        return self._source().root

    @property
    def store(self) -> Store:
        """Return the vault's store."""
        return self._opened.store

    @property
    def is_indexed(self) -> bool:
        """Tell whether the vault was ever indexed."""
        return self._opened.is_indexed

    @property
    def is_foreign(self) -> bool:
        """Tell whether the store was made elsewhere or altered, so that it has to be rebuilt."""
        return self._opened.is_foreign

    @property
    def made_for(self) -> MadeFor:
        """Return what a store would be made for today; a server is asked how long its vectors are."""
        embedder = self._embedder
        return MadeFor(embedder.fingerprint, embedder.dimensions, self._source().recipe)

    @property
    def _embedder(self) -> Embedder:
        return NoEmbedder() if self._by_words else self._models.embedder

    @property
    def is_compatible(self) -> bool:
        """Tell whether the store is as one made today would be, or lacks only vectors, without asking a server."""
        embedder, _, recipe = self.store.state.made_for
        return embedder in (self._models.embedder.fingerprint, NO_EMBEDDER) and recipe == self._source().recipe

    @property
    def state(self) -> tuple[Source, Store, str, int] | None:
        """Return what, besides the folder, decides whether the store is up to date; None if it was never indexed."""
        # With the time of indexing, because a backup that was put in the store's place is older than the folder; and
        # with the state of the notes, because another process may index within the same second.
        state = self.store.state if self.is_indexed else None
        return (self._source(), self.store, state.indexed_at, state.notes_changed) if state else None

    def find_changes(self, *, again: bool = False) -> Changes:
        """Compare the folder with the store, with the files to try `again` that were skipped."""
        source, last = self._source(), LastWalk(self._opened.file)
        return find_changes(source.root, source.walk, self.store, again=again, last=last)

    def run(self, *, progress: Progress, full: bool = False, wait: float = WAIT_SECONDS, workers: str = "") -> Report:
        """Index what changed; everything if `full`, or if the store was made with other settings."""
        began = time.perf_counter()
        self._workers = workers and check_workers(workers)
        try:
            report = self._run(progress, full, wait)
        finally:
            self._workers = ""
        # With the wait for another process, and for the copy of a store that was built beside.
        return replace(report, seconds=round(time.perf_counter() - began, 3))

    def _run(self, progress: Progress, full: bool, wait: float) -> Report:
        """Index with the embedder; if its server does not answer and the store has no vectors, by words alone."""
        self._by_words = False
        try:
            return self._run_once(progress, full, wait)
        except EmbedError as error:
            if not self._models.rules.is_remote or self._has_vectors:
                raise
            self._by_words = True
            report = self._run_once(progress, full, wait)
            return replace(report, notices=(*report.notices, Notice("indexed_by_words", {"reason": error.fact})))

    def _is_current(self, state: State, embedder: Embedder) -> bool:
        """Tell whether a store only needs what changed."""
        return state.origin == "own" and state.made_for.embedder == embedder.fingerprint and self.is_compatible

    @property
    def _has_vectors(self) -> bool:
        return self.is_indexed and self.store.state.made_for.embedder != NO_EMBEDDER

    def _run_once(self, progress: Progress, full: bool, wait: float) -> Report:
        # An embedder that does not answer is found out before anything is thrown away.
        made_for = self.made_for if full else None
        store = self._opened.repaired() if full else self._opened.store
        embedder = self._embedder
        with store.locked(wait=wait):
            notices = self._opened.notices
            if not full and self._is_current(store.state, embedder):
                self._opened.drop_build()
                changes = self.find_changes(again=True)
                report = self._index(store, embedder, progress, changes)
                return replace(report, notices=(*notices, *report.notices))
            with closing(store.beside(made_for or self.made_for)) as fresh:
                report = self._index(fresh, embedder, progress)
                if not report.interrupted:
                    store.replace_by(fresh)
            return replace(report, notices=(*notices, *report.notices))

    def run_quickly(self, progress: Progress) -> Report:
        """Index what changed for a search that waits: it needs where links lead, but not how notes stand."""
        source, linking = self._source(), replace(self._linking, measure=lambda store: None)
        source = replace(source, lent=self.lent)
        with self.store.locked():
            return index(source, store=self.store, embedder=self._quick_embedder, linking=linking, progress=progress)

    @property
    def _quick_embedder(self) -> Embedder:
        """Return the embedder for changes that somebody waits for; none for a store without vectors."""
        return self._models.quick_embedder if self._has_vectors else NoEmbedder()

    def run_note(self, path: str, progress: Progress) -> None:
        """Index one note that was written or removed, however much else changed."""
        with self.store.locked(wait=NOTE_WAIT_SECONDS):
            self._index(self.store, self._quick_embedder, progress, change_of(self.root, path, self.store))

    def while_unchanged(self, progress: Progress) -> Progress:
        """Return a progress that also stops when the settings say otherwise what is indexed, or with which models."""
        stop, began = progress.stop, (self._source().walk, self._models.rules)
        return replace(progress, stop=lambda: stop() or (self._source().walk, self._models.rules) != began)

    def follow(
        self,
        tell: Callable[[Report], None],
        stop: Event,
        warn: Callable[[str], None] | None,
        reread: Callable[[], tuple[Notice, ...]],
    ) -> None:
        """Index every change as it happens, until told to stop; see `Vault.watch` and `Vault.reread`."""
        for _ in watch(self.root, stop):
            for notice in reread():
                if warn:
                    warn(f"{notice.facts['reason']}; the previous settings are still in use")
            # While another process writes, no further event would say that a change is still to be indexed.
            while not self._index_changes(tell, stop, warn) and not stop.wait(BUSY_SECONDS):
                pass

    def _index_changes(self, tell: Callable[[Report], None], stop: Event, warn: Callable[[str], None] | None) -> bool:
        """Index what changed, and tell; return False if another process is writing to the store."""
        try:
            report = self.run(progress=Progress(stop=stop.is_set))
        except StoreBusy:
            return False
        except VaultError:
            # The vault's drive is gone; the next round begins when it is back.
            return True
        except EmbedError as error:
            if warn is None or not self._models.rules.is_remote:
                raise
            warn(f"{error.fact}; what changed is indexed with the next change")
            return True
        if report.added or report.changed or report.removed:
            tell(report)
        return True

    def resolve_links(self) -> tuple[Notice, ...]:
        """Resolve the links that an interrupted run, or an older Notewell, left; return what the user should know."""
        try:
            if not self.store.state.links_resolved:
                with self.store.locked():
                    self._linking.resolve(self.store)
        except StoreError as error:
            return (Notice("links_out_of_date", {"reason": error.fact}),)
        return ()

    def _index(self, store: Store, embedder: Embedder, progress: Progress, changes: Changes | None = None) -> Report:
        source, linking = replace(self._source(), lent=self.lent), self._linking
        if self._workers:
            source = replace(source, batches=replace(source.batches, spread=self._spread(store, embedder)))
        return index(source, store=store, embedder=embedder, linking=linking, progress=progress, changes=changes)

    def _spread(self, store: Store, embedder: Embedder) -> Spread:
        """Return how workers embed; a server for embeddings is asked from here, as its key is no business of theirs."""
        rules = self._models.rules
        alone = rules.is_remote or self._by_words
        embed = None if alone else replace(rules, key=Key(), url="")
        return Spread(self._workers, embed, embedder.fingerprint, store.state.made_for.dimensions)

"""Vault: the one object callers hold; it wires the rooms together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, Unpack

from notewell.config import find_root, here, load_settings
from notewell.embed import Embedder
from notewell.errors import EmbedError, StoreBusy, StoreDamaged, StoreError, VaultError
from notewell.index import Progress, Report, fill, find_changes, index
from notewell.index.changes import change_of, count_others
from notewell.index.encode import find_lacking, measure_filling
from notewell.index.place import Reading, check_folder, exists, find_place, folder_to_write, names_file, read_place
from notewell.index.report import Diagnosis, Filling, Status
from notewell.index.secrets import SecretReport, files_at, find_leaks, find_secrets
from notewell.linked import Linked, no_vectors
from notewell.names.addresses import Addresses
from notewell.names.find import find_chunks, find_exactly, find_named
from notewell.search import MODES, Rules, search
from notewell.search.plan import readable, readable_name
from notewell.store import About, MadeFor
from notewell.store.texts import stored_texts
from notewell.types.notices import Notice
from notewell.types.query import Asked, Query
from notewell.types.results import Compared, DeepResults, Results

if TYPE_CHECKING:
    from notewell.memory import Forgotten, Memories, Remembered

# A refresh before a search may take this long, in seconds, and is not begun for more bytes than these.
QUICK_SECONDS = 1.0
QUICK_BYTES = 50_000_000
# How long indexing waits for another process that is at it, in seconds.
PATIENCE = 5.0
# And how long whoever wrote one note waits for that to take it in; the next search does it otherwise.
BRIEFLY = 2.0
# How long encoding waits for a process that only asks whether somebody is at it, in seconds.
LOOK = 0.1


class Vault(Linked):
    """A folder of notes and its store."""

    @classmethod
    def open(cls, path: str | Path | None = None, settings: Mapping[str, Any] | None = None) -> Self:
        """Open the folder `path`; without one, the nearest vault from here upward, or this folder.

        `settings` such as `{"search.limit": 5}` win over the vault's file and the environment.
        """
        root = find_root(here()) if path is None else Path(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100
        check_folder(root)
        return cls(root, load_settings(root, os.environ, settings or {}))

    def index(self, *, full: bool = False, progress: Progress | None = None, wait: float = PATIENCE) -> Report:
        """Bring the store up to date; all of it when `full`, or when it was made with other settings."""
        return self._index_with(self.embedder, full=full, progress=progress or Progress(), wait=wait)

    def _index_with(
        self, embedder: Embedder, *, full: bool, progress: Progress, wait: float, hurried: bool = False
    ) -> Report:
        # An embedder that does not answer is found out before anything is thrown away.
        made_for = self._made_for if full else None
        store = self._repaired_store() if full else self.store
        # A search that waits for this run needs where links lead, but not how notes stand.
        linking = replace(self._linking, measure=lambda store: None) if hurried else self._linking
        run = partial(index, self._source, embedder=embedder, linking=linking, progress=progress)
        with store.locked(wait=wait):
            if not full and self._suits(store.state.made_for):
                return run(store=store)
            with closing(store.beside(made_for or self._made_for)) as fresh:
                report = run(store=fresh)
                if not report.interrupted:
                    store.replace_by(fresh)
            return report

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Take in what changed if that is quick, and index a new vault; return what the user should know."""
        if not self.indexed:
            report = self.index(progress=progress)
            skipped = len(self.store.about().skipped)
            notices = (Notice("skipped_files", {"count": skipped}),) if skipped else ()
            stopped = (Notice("indexing_stopped"),) if report.interrupted else ()
            return (*stopped, *notices)
        changes = find_changes(self.root, self.settings.index, self.store)
        try:
            if not self._suits(self.store.state.made_for):
                return (Notice("settings_changed"),)
            if changes and changes.work <= QUICK_BYTES:
                deadline = time.monotonic() + QUICK_SECONDS
                progress = Progress(stop=lambda: time.monotonic() > deadline)
                report = self._index_with(self._hurried_embedder, full=False, progress=progress, wait=0, hurried=True)
                left = report.total - report.done
            else:
                left = len(changes.read)
        except StoreBusy:
            return (Notice("being_indexed"),)
        except (EmbedError, StoreError) as error:
            # An old answer is better than none.
            left = len(changes.read)
            return (Notice("changes_not_indexed", {"count": left, "reason": error.fact}),) if changes else ()
        told = (Notice("files_left", {"count": left}),) if left else ()
        # A run that was stopped, or an older Notewell, may have left links unresolved though no file changed.
        return (*told, *self._resolve_now())

    def search(self, query: Query | str = "", /, **asked: Unpack[Asked]) -> Results:
        """Find the lines that answer a query: a text and what is asked beside it, or a `Query`.

        In deep mode, these are `DeepResults`: each note once, with how it was reached along links.
        """
        query = Query.of(query, **asked)
        notices = self.refresh() if query.refresh else ()
        began = time.perf_counter()
        query = replace(query, text=readable(query.text))
        self.settings.search.with_limits(query.limit, query.max_tokens)
        if query.mode == "related":
            query = replace(query, text="", like=tuple(map(self.find, query.places)))
        if query.mode == "deep":
            self.check_indexed()
            notices = (*notices, *self._resolve_now())
        if not self.indexed:
            told = (*notices, Notice("never_indexed"))
            return Results(query=query.text, hits=(), generation=0, took_ms=0.0, notices=told)
        embedders, missing = self.embedders()
        if query.mode == "deep" and embedders.quick is None:
            raise no_vectors(missing[0])
        with self.store.reading() as snapshot:
            walk, walks = self._walk_from(snapshot) if query.mode == "deep" else (None, [])
            rules = replace(self.search_rules, mode=MODES[query.mode], walk=walk)
            found = search(query, store=snapshot, embedders=embedders, rules=rules)
        self._store_encoded(found.encoded)
        results = replace(
            found.results,
            query=", ".join(query.places) if query.mode == "related" else query.text,
            took_ms=round((time.perf_counter() - began) * 1000, 3),
            notices=(*notices, *missing, *found.results.notices),
        )
        if not walks:
            return results
        from notewell.graph.deep import deep_results  # noqa: PLC0415

        return deep_results(results, walks[0])

    def related(self, *notes: str, **asked: Unpack[Asked]) -> Results:
        """Find the notes most like these, one hit each: notes by path, name or title, or `path:12`, `path#page 3`."""
        return self.search(replace(Query.of("", **asked), like=notes, mode="related"))

    def compare(self, query: Query | str, /, **asked: Unpack[Asked]) -> Compared:
        """Search as usual and in deep mode, and return both; without a `limit`, each has its own."""
        query = Query.of(query, **asked)
        deep = self.search(replace(query, mode="deep"))
        assert isinstance(deep, DeepResults), "deep mode returns deep results"
        return Compared.of(self.search(replace(query, mode="fast", refresh=False)), deep)

    @property
    def search_rules(self) -> Rules:
        """Return how this vault answers a query today."""
        settings = self.settings
        return Rules(settings.search, settings.decay, date.today(), Addresses.of(self.root))

    def find(self, place: str) -> str:
        """Return a place as the store names it: `Garden/Bees.md:12` for `bees:12`; one it does not hold is an error."""
        self.check_indexed()
        with self.store.reading() as snapshot:
            found = find_chunks(readable_name(place), snapshot)
        if found.past_end:
            # What ends a note may not be indexed; whether it has such lines, reading says.
            self.read(found.place)
        return found.place

    @property
    def filling(self) -> Filling:
        """Return how far the encoder's vectors are."""
        try:
            # To say how long its vectors are a stranger's model is loaded: whether that works is told here.
            if not self.indexed or self.encoder is None or not self.encoder.dimensions:
                return Filling()
            return measure_filling(self.store, self.encoder)
        except EmbedError as error:
            return Filling(problem=error.fact)

    @property
    def unfilled(self) -> int:
        """Return how many chunks lack the encoder's vector; none, where there is no encoder."""
        if self.encoder is None or not self.indexed:
            return 0
        return len(find_lacking(self.store, self.encoder))

    def fill(self, progress: Progress | None = None, turn: AbstractContextManager[None] | None = None) -> int:
        """Give the chunks that lack it the encoder's vector, the newest notes' first; return how many still do.

        Who has to wait for its `turn` is at it already: nobody else begins with this vault meanwhile.
        """
        if self.encoder is None or not self.indexed:
            return 0
        store, progress = self.store, progress or Progress()
        asked = progress.stop
        with store.locked("encode", wait=LOOK), turn or nullcontext():
            return fill(store, self.encoder, replace(progress, stop=lambda: asked() or not store.in_place))

    def read(self, place: str, *, raw: bool = False) -> Reading:
        """Return lines of a note, without secrets unless `raw`: `path:12`, `path:12-20`, `path#page 3`, `path#Heading`.

        In place of a path, which comes first, stands a name, title or alias that no other note has.
        """
        if not names_file(self.root, place) and self.indexed:
            with self.store.reading() as snapshot:
                place = find_named(readable_name(place), snapshot)
        return read_place(self.root, find_place(self.root, place), self.settings.index, raw=raw)

    def secrets(self, paths: Sequence[str] = (), progress: Progress | None = None) -> SecretReport:
        """Return where secrets are in the files and folders at these paths, or in all notes; never the secrets."""
        rules = self.settings.index
        return find_secrets(self.root, files_at(self.root, rules, paths), rules, progress or Progress())

    def watch(self, tell: Callable[[Report], None], stop: Event, warn: Callable[[str], None] | None = None) -> None:
        """Take in every change as it happens, until told to stop; `tell` gets a report of each.

        `warn` is told of a server for embeddings that does not answer, and the next change asks it again; without it,
        that is an error.
        """
        # What watches costs a cold command line 15 ms.
        from notewell.index.watch import watch  # noqa: PLC0415

        for _ in watch(self.root, stop):
            # Another process may be at it, or the vault's drive may be gone: the next round tries again.
            with suppress(StoreBusy, VaultError):
                try:
                    report = self.index(progress=Progress(stop=stop.is_set))
                except EmbedError as error:
                    if warn is None or not self.settings.embed.is_remote:
                        raise
                    warn(f"{error.fact}; what changed is taken in with the next change")
                    continue
                if report.added or report.changed or report.removed:
                    tell(report)

    def remember(
        self, text: str, *, title: str = "", tags: Sequence[str] = (), source: str = "", anyway: bool = False
    ) -> Remembered:
        """Write a text, without its secrets, as a note into `memory.folder`, and take it in.

        What says nearly the same already is returned instead, and nothing is written, unless `anyway`.
        """
        from notewell.memory.page import Memory  # noqa: PLC0415

        memories = self._memories
        if not self.indexed:
            # What a new vault says already is known only then; a memory does not fail for it.
            with suppress(StoreBusy, EmbedError):
                self.refresh()
        memory = Memory(text, datetime.now().astimezone(), title, tuple(tags), source)
        done = memories.remember(memory, anyway=anyway)
        return replace(done, notices=self._take_in(done.path)) if done.written else done

    def forget(self, note: str) -> Forgotten:
        """Move a note that was remembered to the vault's trash, and out of the store; any other is refused."""
        memories = self._memories
        path = os.path.relpath(note, self.root) if Path(note).is_absolute() else note
        if not os.path.lexists(self.root / path):
            self.check_indexed()
            with self.store.reading() as snapshot:
                path = find_exactly(readable_name(note), snapshot)
        done = memories.forget(path)
        return replace(done, notices=self._take_in(done.path))

    def _take_in(self, path: str) -> tuple[Notice, ...]:
        """Bring the store up to date with one note, however much else changed; return what the user should know."""
        try:
            self.check_indexed()
            with self.store.locked(wait=BRIEFLY):
                if self._suits(self.store.state.made_for):
                    change, deadline = change_of(self.root, path, self.store), time.monotonic() + QUICK_SECONDS
                    progress = Progress(stop=lambda: time.monotonic() > deadline)
                    index(
                        self._source,
                        store=self.store,
                        embedder=self._hurried_embedder,
                        linking=self._linking,
                        progress=progress,
                        changes=change,
                    )
                    return ()
            fact = "This vault was indexed with other settings. Run `notewell index` to index it again"
        except (StoreError, EmbedError) as error:
            # The note itself is as it was asked for.
            fact = error.fact
        return (Notice("note_not_indexed", {"path": path, "reason": fact}),)

    @property
    def _memories(self) -> Memories:
        # Two commands of many need it, and a cold command line does not pay for it.
        from notewell.memory import Memories, allowed_folder  # noqa: PLC0415

        folder = allowed_folder(self.root, self.settings.memory.folder, self.settings.index)
        lock = self.beside_store(".memory")
        return Memories(self.root, folder, self.settings.index, self.store, lock)

    def doctor(self, *, repair: bool = False) -> Diagnosis:
        """Prove that the store is sound and holds no secret; with `repair`, make it anew if it is not."""
        try:
            # Whoever interrupts it leaves no reading open behind a store that is closed.
            with self.store.reading() as snapshot, closing(stored_texts(snapshot)) as texts:
                problems = (*self.store.check(), *find_leaks(texts))
        except StoreDamaged as error:
            problems = (error.fact,)
        if not problems or not repair:
            return Diagnosis(problems, repaired=False)
        self.index(full=True)
        return Diagnosis(problems, repaired=True)

    def backup(self, file: Path) -> None:
        """Write the store, as it is now, to another file; others may read and write it meanwhile."""
        if exists(file):
            raise StoreError(f"{file} exists already", "Name a file that does not")
        self.check_indexed()
        # One command of many needs it.
        from tempfile import TemporaryDirectory  # noqa: PLC0415

        with TemporaryDirectory(prefix=".notewell-", dir=folder_to_write(file)) as folder:
            partial = Path(folder) / file.name
            self.store.copy_to(partial)
            partial.replace(file)

    def restore(self, file: Path) -> None:
        """Put a backup in the place of the store; what changed in the folder since is taken in by the next index."""
        if not exists(file):
            raise StoreError(f"There is no file {file}", "Name a file that `notewell backup` wrote")
        if not self.has_store:
            # What it is made for comes with the copy; no embedder is asked.
            self._store = self._open_store(MadeFor("", 0, ""))
        store = self._repaired_store()
        with store.locked(wait=PATIENCE):
            store.replace_by(store.beside(file))

    def status(self) -> Status:
        """Return how the store stands against the folder."""
        if not self.indexed:
            return Status(self.root, self.store_file, About(), 0)
        changes = find_changes(self.root, self.settings.index, self.store)
        stale = len(changes.read) + len(changes.gone)
        others = count_others(self.root, self.settings.index)
        return Status(self.root, self.store_file, self.store.about(), stale, self.filling, others)

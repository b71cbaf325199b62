"""Vault: the one object callers hold; it wires the rooms together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, Unpack

from notewell.config import find_root, here
from notewell.config.files import SettingsFiles, settings_files
from notewell.config.settings import Settings
from notewell.domains.asking import embedders_for, narrowed, rules_for, vector_of, with_entities
from notewell.domains.health import problems_of, status_of
from notewell.domains.listing import DomainList, list_domains
from notewell.domains.view import View
from notewell.embed import Models
from notewell.errors import EmbedError, StoreBusy
from notewell.files.safe_open import check_folder
from notewell.freshness import BY_PYTHON, Freshness, Opening
from notewell.index import Progress, Report
from notewell.index.encode import EncoderVectors
from notewell.index.place import Reading, as_place, find_place, names_file, read_place
from notewell.index.report import QUIET, Diagnosis, Status
from notewell.index.runs import WAIT_SECONDS
from notewell.index.secrets import SecretReport, files_at, find_secrets
from notewell.index.shown import Shown, lag, without
from notewell.names.find import find_chunks, find_exactly, find_named
from notewell.search import ParseContext, Rules, Searched, make_plan, search
from notewell.search.expand import expand
from notewell.search.plan import checked_query, readable, readable_name
from notewell.store import Store
from notewell.store.opened import OpenedStore
from notewell.types.aliases import with_aliases
from notewell.types.notices import Notice
from notewell.types.query import Names, Query, QueryFields
from notewell.types.results import Compared, DeepResults, Results

if TYPE_CHECKING:
    from notewell.entities.report import Entities
    from notewell.graph.link_graph import LinkGraph
    from notewell.graph.link_report import Links
    from notewell.graph.overview import Graph
    from notewell.graph.traverse import Walk
    from notewell.memory import Forgotten, Memories, Remembered


class Vault:
    """A folder of notes and its store, or a store for each of its domains."""

    def __init__(self, root: Path, files: SettingsFiles, opening: Opening = BY_PYTHON) -> None:
        self.root = root
        self._view = View(root, files, opening.models, opening.batches, opening.cache_kib)
        self._stays_open, self._loads = opening.stays_open, opening.loads
        self.freshness = Freshness(root, lambda: self._view.all_indexing, opening.policy)

    @classmethod
    def open(
        cls, path: str | Path | None = None, settings: Mapping[str, Any] | None = None, opening: Opening = BY_PYTHON
    ) -> Self:
        """Open the vault in the folder `path`; without one, the nearest vault above the current folder, or that folder.

        `settings` such as `{"search.limit": 5}` win over the vault's file and the environment.
        """
        root = find_root(here()) if path is None else Path(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100
        check_folder(root)
        return cls(root, settings_files(root, os.environ, settings or {}), opening)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._stays_open:
            self.close()

    def close(self) -> None:
        """Close the store, and stop a background run and the folder watch; the next use opens it again."""
        self.freshness.close()
        self._view.close()

    def within(self, domain: Names) -> Self:
        """Return the vault as far as it belongs to these domains; the vault itself if none is named.

        It shares its stores, and whatever it answers comes from those of the domains alone.
        """
        view = self._view.within(domain)
        if view is self._view:
            return self
        (other := copy(self))._view = view
        return other

    def domains(self) -> DomainList:
        """Return the domains of the vault, each with its folders, its settings and what is indexed of it."""
        self.reread()
        return list_domains(self.root, self.settings_files, self._view.parts)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """Return the names of the domains that are asked; none for a vault without domains."""
        return self._view.names

    @property
    def settings_files(self) -> SettingsFiles:
        """Return the settings files, and the registry of domains."""
        return self._view.settings_files

    @settings_files.setter
    def settings_files(self, files: SettingsFiles) -> None:
        """Take other settings files."""
        self._view.settings_files = files

    @property
    def settings(self) -> Settings:
        """Return the settings as they were last read; for one domain alone, with its own."""
        return self._view.settings

    def reread(self) -> tuple[Notice, ...]:
        """Take over the settings files if one has changed, all but `store`; return a notice if one is invalid."""
        return self._view.reread()

    @property
    def models(self) -> Models:
        """Return the embedder and the encoder."""
        return self._view.models

    @property
    def shown(self) -> Shown:
        """Return what may be shown of the store."""
        return self._view.shown

    @property
    def encoder(self) -> EncoderVectors:
        """Return the encoder's vectors."""
        return self._view.encoder

    @property
    def storage(self) -> OpenedStore:
        """Return where the vault's store is, or where its stores are."""
        return self._view.storage

    @property
    def store(self) -> Store:
        """Return the vault's store, which is created on first use; for several domains, their stores as one."""
        return self.storage.store

    @property
    def store_file(self) -> Path:
        """Return the path of the store's file; domains have theirs beside it."""
        return self.storage.file

    @property
    def indexed(self) -> bool:
        """Tell whether the vault was ever indexed."""
        return self.storage.is_indexed

    def index(
        self, *, full: bool = False, progress: Progress | None = None, wait: float = WAIT_SECONDS, workers: str = ""
    ) -> Report:
        """Index new and changed notes; every note if `full`, or if the store was made with other settings.

        Another process that is indexing is waited for, at most `wait` seconds. `workers` prepare the notes.
        """
        return self._view.indexing.run(full=full, progress=progress or Progress(), wait=wait, workers=workers)

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Index what changed if that is quick, and a new vault in full; return what the user should know."""
        return self.freshness.refresh(progress)

    def search(self, query: Query | str = "", /, **fields: Unpack[QueryFields]) -> Results:
        """Find the lines that answer a query, by text and keywords or as one `Query`; in deep mode, `DeepResults`."""
        query = checked_query(Query.of(query, **fields))
        query, domains, told = narrowed(query, self._view)
        results = self.within(domains)._answer(query)
        return replace(results, notices=(*told, *results.notices)) if told else results

    def _answer(self, query: Query) -> Results:
        """Find what answers a query in this view of the vault."""
        new = self._index_new() if query.refresh is None else ()
        notices = new or (() if query.refresh is False else self.freshness.look(query.refresh))
        began = time.perf_counter()
        rules = rules_for(query, self._view)
        query = replace(query, text=readable(query.text))
        if not self.indexed:
            if rules.mode.needs_index or self.storage.is_foreign:
                self.storage.check_indexed()
            notices = (*notices, Notice("never_indexed"))
            return Results(query=query.text, hits=(), generation=0, took_ms=0.0, notices=notices)
        if rules.mode.only_like:
            named = (query.like,) if isinstance(query.like, str) else query.like
            query = replace(query, text="", like=tuple(map(self.find, named)))
        if rules.mode.seeds:
            self.shown.forget_excluded()
            notices = (*notices, *self._view.indexing.resolve_links())
        query, rules, told = expand(query, rules, self.settings.llm)
        found = self.storage.retried(lambda: self._search(query, rules))
        self.encoder.keep(found.encoded)
        self.encoder.wish(found.lacking)
        results = with_entities(self.freshness.without_gone(found.results), query, rules, self._view)
        took = round((time.perf_counter() - began) * 1000, 3)
        return replace(results, took_ms=took, notices=(*notices, *told, *results.notices))

    def _search(self, query: Query, rules: Rules) -> Searched:
        with self.shown.searching(hides=not rules.mode.seeds) as (snapshot, excluded):
            embedders, missing = embedders_for(snapshot, self._view, required=bool(rules.mode.seeds))
            embedders = embedders._replace(waits=self._loads == "first")
            found = search(query, store=snapshot, embedders=embedders, rules=rules)
        if self._loads == "behind" and embedders.encoder and snapshot.state.encoder:
            self.models.load_encoder_behind()
        results = without(found.results, excluded)
        return found._replace(results=replace(results, notices=(*lag(snapshot), *missing, *results.notices)))

    def related(self, *note: str | Path, **fields: Unpack[QueryFields]) -> Results:
        """Find the notes most like these, one hit each: notes by path, name or title, or `path:12`, `path#page 3`."""
        return self.search(replace(Query.of("", **fields), like=tuple(map(as_place, note)), mode="related"))

    def compare(self, query: Query | str, /, **fields: Unpack[QueryFields]) -> Compared:
        """Search in fast and in deep mode, and return both; without a `limit`, each mode has its own."""
        query = Query.of(query, **fields)
        deep = self.search(replace(query, mode="deep"))
        assert isinstance(deep, DeepResults), "deep mode returns deep results"
        return Compared.of(self.search(replace(query, mode="fast", refresh=False)), deep)

    @with_aliases
    def find(self, note: str | Path) -> str:
        """Return a place by its full path, `Garden/Bees.md:12` for `bees:12`; one that is not indexed is an error."""
        self._index_new()
        self.storage.check_indexed()
        with self.shown.answering() as snapshot:
            found = find_chunks(readable_name(as_place(note)), snapshot)
        if found.past_end:
            # The last lines of a note may not be indexed: read the file to check that the line exists.
            self.read(found.place)
        return found.place

    def encode(self, progress: Progress | None = None) -> int:
        """Encode the chunks that lack it, the most important first, in one process; return how many are left."""
        self.shown.forget_excluded()
        return self.encoder.encode(self._view.indexing.while_unchanged(progress or Progress()))

    @with_aliases
    def read(self, note: str | Path, *, raw: bool = False) -> Reading:
        """Return lines of a note, without secrets unless `raw`: `path:12`, `path:12-20`, `path#page 3`, `path#Heading`.

        Instead of a path, a unique name, title or alias is enough; paths come first.
        """
        place = as_place(note)
        if not names_file(self.root, place) and self.indexed:
            with self.shown.answering() as snapshot:
                place = find_named(readable_name(place), snapshot)
        found = find_place(self.root, place)
        self._view.check_within(found.path)
        return read_place(self.root, found, self.settings.index, raw=raw)

    @with_aliases
    def links(
        self,
        note: str | Path = "",
        *,
        broken: bool = False,
        wanted: bool = False,
        orphans: bool = False,
        to: str = "",
        domain: Names = (),
    ) -> Links:
        """Return the links and backlinks of a note; for all notes, counts, and the `broken` links and `orphans`.

        With a note, `broken` keeps only its broken links; `to` keeps links to missing `notes`, `files` or `anchors`.
        `wanted` lists the missing notes that links point to. For a file that is not a note, its backlinks are returned.
        With a `domain`, only notes of it count.
        """
        from notewell.graph.link_report import LinkQuery  # noqa: PLC0415

        query = LinkQuery(readable_name(as_place(note)), broken=broken, wanted=wanted, orphans=orphans, to=to)
        return self.within(domain).link_graph.links(query)

    def entities(
        self, name: str = "", progress: Progress = QUIET, *, kind: str = "", relations: bool = False, domain: Names = ()
    ) -> Entities:
        """Return the people, places and other entities of the vault, or one; read new and changed notes first."""
        self._index_new()
        return self.within(domain)._view.entities.answer(name, kind, progress.tell, progress.stop, relations=relations)

    def graph(self, *, domain: Names = ()) -> Graph:
        """Return an overview of the vault: its notes and links, communities, the bridges between them, and orphans."""
        return self.within(domain).link_graph.overview()

    @with_aliases
    def traverse(
        self,
        note: str | Path,
        *,
        text: str = "",
        depth: int | None = None,
        floor: float | None = None,
        domain: Names = (),
    ) -> Walk:
        """Follow links from a note, in both directions, to notes similar to the text, or else to the note itself.

        `depth` is the most links in a row, 4 by default. `floor` is the lowest similarity that is kept: 0.5 by default;
        with a text, 0.7 of the most similar note's if that is lower. Each visit says why it was kept or dropped.
        """
        from notewell.graph.traverse import walk_rules  # noqa: PLC0415

        rules, view = walk_rules(depth, floor, with_query=bool(text)), self.within(domain)
        plan = make_plan(readable(text), context=ParseContext(syntax=False))
        vector = (lambda snapshot: vector_of(plan, snapshot, view._view)) if text else None
        return view.link_graph.walk(readable_name(as_place(note)), rules, text, vector)

    def secrets(self, paths: Sequence[str | Path] = (), progress: Progress | None = None) -> SecretReport:
        """Return where secrets are in the files and folders at these paths, or in all notes; never the secrets."""
        rules, named = self.settings.index, [as_place(path) for path in paths]
        return find_secrets(self.root, files_at(self.root, rules, named), rules, progress or Progress())

    def watch(self, tell: Callable[[Report], None], stop: Event, warn: Callable[[str], None] | None = None) -> None:
        """Index every change as it happens, until `stop` is set, and pass each report to `tell`.

        If a server for embeddings does not answer, that is an error, or `warn` is told and the next change tries again.
        """
        self._view.indexing.follow(tell, stop, warn, self.reread)

    @with_aliases
    def remember(
        self, text: str, *, title: str = "", tag: str | Sequence[str] = (), source: str = "", anyway: bool = False
    ) -> Remembered:
        """Write a text, without its secrets, as a note in `memory.folder`, and index it.

        If a note already says nearly the same, nothing is written, unless `anyway`; the result names that note.
        """
        from notewell.memory.page import Memory  # noqa: PLC0415

        memories = self._memories()
        if not self.indexed:
            # Index first, so that duplicates can be found. If that fails, write the memory anyway.
            with suppress(StoreBusy, EmbedError):
                self.refresh()
        tags = (tag,) if isinstance(tag, str) else tuple(tag)
        memory = Memory(text, datetime.now().astimezone(), title, tags, source)
        done = memories.remember(memory, anyway=anyway)
        return replace(done, notices=self.freshness.index_note(done.path)) if done.path else done

    @with_aliases
    def forget(self, note: str | Path) -> Forgotten:
        """Move a note that `remember` wrote to the vault's trash, and out of the store; any other note is refused."""
        memories = self._memories()
        path = os.path.relpath(note, self.root) if Path(note).is_absolute() else as_place(note)
        if not os.path.lexists(self.root / path):
            self.storage.check_indexed()
            with self.shown.answering() as snapshot:
                path = find_exactly(readable_name(path), snapshot)
        done = memories.forget(path)
        return replace(done, notices=self.freshness.index_note(done.path))

    def _memories(self) -> Memories:
        """Return the memories of this vault; raise an error if the settings allow no folder for them."""
        # Two commands of many need it, and a cold command line does not pay for it.
        from notewell.memory import Memories, allowed_folder  # noqa: PLC0415

        self.reread()
        folder = allowed_folder(self.root, self.settings.memory.folder, self.settings.index)
        return Memories(self.root, folder, self.settings.index, self.shown, self.storage.beside(".memory"))

    def doctor(self, *, repair: bool = False) -> Diagnosis:
        """Check the store for errors and secrets, and return the problems; with `repair`, rebuild it if it has any."""
        problems = tuple(dict.fromkeys(problems_of(self._view)))
        if repaired := bool(problems) and repair:
            self.index(full=True)
        return Diagnosis(problems, repaired)

    def backup(self, file: str | Path) -> tuple[Path, ...]:
        """Copy the store to a file, or each domain's to one beside it, also while others use it; return the files."""
        return self.storage.backup(Path(file))

    def restore(self, file: str | Path, *, force: bool = False, wait: float = WAIT_SECONDS) -> tuple[Notice, ...]:
        """Replace the store with a backup, and return notices; the next `index` adds what changed since.

        A backup of another vault is an error, unless `force`. Wait at most `wait` seconds for a process that indexes.
        """
        other = self.storage.restore(Path(file), wait, force=force)
        return (Notice("backup_of_another_vault", {"vault": str(other)}),) if other else ()

    def status(self) -> Status:
        """Return what is indexed, and how many files changed since."""
        return status_of(self._view)

    def _index_new(self) -> tuple[Notice, ...]:
        """Index a vault that was never indexed; one domain does not ask for the stores of others."""
        return () if self.indexed else self.freshness.index_new()

    @property
    def link_graph(self) -> LinkGraph:
        """Return the graph of a vault that is indexed."""
        self._index_new()
        self.shown.forget_excluded()
        return self._view.graph

"""Vault: the one object callers hold; it wires the rooms together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self, Unpack

from notewell.config import find_root, here
from notewell.config.files import SettingsFiles, settings_files
from notewell.config.settings import Settings
from notewell.embed import Models
from notewell.errors import EmbedError, NoteError, StoreBusy
from notewell.files.formats import is_sandboxed
from notewell.files.safe_open import check_folder
from notewell.freshness import BY_PYTHON, Freshness, Opening
from notewell.index import Linking, Progress, Report, Source
from notewell.index.changes import count_others, list_others
from notewell.index.dates import with_vault_formats
from notewell.index.diagnose import find_problems
from notewell.index.encode import EncoderVectors
from notewell.index.place import Place, Reading, as_place, find_place, names_file, read_place
from notewell.index.report import Diagnosis, Status
from notewell.index.runs import WAIT_SECONDS, Indexing
from notewell.index.secrets import SecretReport, files_at, find_secrets
from notewell.index.shown import Shown, lag, visible, without
from notewell.index.walk import WalkRules, left_out_by
from notewell.names.addresses import Addresses
from notewell.names.find import find_chunks, find_exactly, find_named
from notewell.search import Embedders, ParseContext, Rules, Searched, make_plan, mode_of, search
from notewell.search.embedding import no_vectors, plan_vector, usable_embedders, without_secrets
from notewell.search.expand import expand
from notewell.search.plan import checked_query, readable, readable_name
from notewell.search.rank.decay import Decay
from notewell.search.rerank import reranking_of
from notewell.search.rules import DecayRules
from notewell.store import About, Snapshot, Store
from notewell.store.choose import open_storage
from notewell.types.aliases import with_aliases
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.types.query import Plan, Query, QueryFields
from notewell.types.results import Compared, DeepResults, Results

if TYPE_CHECKING:
    from notewell.graph.deep import DeepWalk
    from notewell.graph.link_graph import LinkGraph
    from notewell.graph.link_report import Links
    from notewell.graph.overview import Graph
    from notewell.graph.traverse import Walk
    from notewell.memory import Forgotten, Memories, Remembered


class Vault:
    """A folder of notes and its store."""

    def __init__(self, root: Path, files: SettingsFiles, opening: Opening = BY_PYTHON) -> None:
        self.root = root
        self.settings_files = files
        settings = self.settings
        self.models = Models(settings.embed, opening.load_embedder, opening.load_encoder)
        self._stays_open, self._loads, self._batches = opening.stays_open, opening.loads, opening.batches
        self.storage = open_storage(
            settings.store, root, lambda: self._indexing.made_for, files.selection, opening.cache_kib
        )
        # Most commands need no graph: it is loaded with the first link to resolve.
        linking = Linking(lambda store: self._graph.resolve(store), lambda store: self._graph.measure(store))
        self._indexing = Indexing(self._source, self.storage, self.models, linking)
        self.freshness = Freshness(self._indexing, opening.policy)
        self.shown = Shown(root, self._walk_rules, self.storage)
        self.encoder = EncoderVectors(self.storage, self.models)

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
        self.storage.close()

    @property
    def settings(self) -> Settings:
        """Return the settings as they were last read."""
        return self.settings_files.settings

    def reread(self) -> tuple[Notice, ...]:
        """Take over the settings files if one has changed, all but `store`; return a notice if one is invalid."""
        notices = self.settings_files.look()
        self.models.use(self.settings.embed)
        return notices

    @property
    def store(self) -> Store:
        """Return the vault's store, which is created on first use."""
        return self.storage.store

    @property
    def store_file(self) -> Path:
        """Return the path of the store's file."""
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
        return self._indexing.run(full=full, progress=progress or Progress(), wait=wait, workers=workers)

    def refresh(self, progress: Progress | None = None) -> tuple[Notice, ...]:
        """Index what changed if that is quick, and a new vault in full; return what the user should know."""
        return self.freshness.refresh(progress)

    def search(self, query: Query | str = "", /, **fields: Unpack[QueryFields]) -> Results:
        """Find the lines that answer a query, by text and keywords or as one `Query`; in deep mode, `DeepResults`."""
        query = checked_query(Query.of(query, **fields))
        self.reread()
        new = self.freshness.index_new() if query.refresh is None else ()
        notices = new or (() if query.refresh is False else self.freshness.look(query.refresh))
        began = time.perf_counter()
        rules = self._rules_for(query)
        query = replace(query, text=readable(query.text))
        if not self.indexed:
            if rules.mode.needs_index or self.storage.is_foreign:
                self.storage.check_indexed()
            never = (*notices, Notice("never_indexed"))
            return Results(query=query.text, hits=(), generation=0, took_ms=0.0, notices=never)
        if rules.mode.only_like:
            named = (query.like,) if isinstance(query.like, str) else query.like
            query = replace(query, text="", like=tuple(map(self.find, named)))
        if rules.mode.seeds:
            self.shown.forget_excluded()
            notices = (*notices, *self._indexing.resolve_links())
        query, rules, told = expand(query, rules, self.settings.llm)
        found = self.storage.retried(lambda: self._search(query, rules))
        self.encoder.keep(found.encoded)
        self.encoder.wish(found.lacking)
        results = self.freshness.without_gone(found.results)
        took = round((time.perf_counter() - began) * 1000, 3)
        return replace(results, took_ms=took, notices=(*notices, *told, *results.notices))

    def _search(self, query: Query, rules: Rules) -> Searched:
        with self.shown.searching(hides=not rules.mode.seeds) as (snapshot, excluded):
            embedders, missing = self._embedders(snapshot, required=bool(rules.mode.seeds))
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

    def _rules_for(self, query: Query) -> Rules:
        """Return the rules for a query: settings, mode and today's date; an invalid mode or limit is an error."""
        mode, decay, today = mode_of(query), self.settings.decay, date.today()
        settings = self.settings.search.with_limits(query.limit, query.max_tokens)
        walk = self._follow_links(decay, today) if mode.seeds else None
        reranking = reranking_of(query, settings, mode, self.settings.rerank)
        return Rules(settings, decay, today, Addresses.of(self.root), mode, walk, reranking=reranking)

    def _follow_links(self, decay: DecayRules, today: date) -> DeepWalk:
        # Most searches follow no links, and a cold command line does not pay for it.
        from notewell.graph.deep import DeepWalk  # noqa: PLC0415

        return DeepWalk(lambda snapshot: Decay(decay, today, snapshot.notes))

    def _embedders(self, snapshot: Snapshot, *, required: bool) -> tuple[Embedders, tuple[Notice, ...]]:
        embedders, missing = usable_embedders(self.models, snapshot.state.made_for.embedder)
        if required and embedders.quick is None:
            raise no_vectors(missing[0])
        return embedders._replace(waits=self._loads == "first"), missing

    def _vector_of(self, plan: Plan, snapshot: Snapshot) -> Vectors:
        embedders, _ = self._embedders(snapshot, required=True)
        return plan_vector(without_secrets(plan) if embedders.remote else plan, embedders.quick, snapshot)

    @with_aliases
    def find(self, note: str | Path) -> str:
        """Return a place by its full path, `Garden/Bees.md:12` for `bees:12`; one that is not indexed is an error."""
        self.freshness.index_new()
        self.storage.check_indexed()
        with self.shown.answering() as snapshot:
            found = find_chunks(readable_name(as_place(note)), snapshot)
        if found.past_end:
            # The last lines of a note may not be indexed: read the file to check that the line exists.
            self.read(found.place)
        return found.place

    def encode(self, progress: Progress | None = None) -> int:
        """Encode the chunks that lack it, the newest and most linked notes first; return how many are left.

        One process at a time encodes a vault.
        """
        self.shown.forget_excluded()
        return self.encoder.encode(self._indexing.while_unchanged(progress or Progress()))

    @with_aliases
    def read(self, note: str | Path, *, raw: bool = False) -> Reading:
        """Return lines of a note, without secrets unless `raw`: `path:12`, `path:12-20`, `path#page 3`, `path#Heading`.

        Instead of a path, a unique name, title or alias is enough; paths come first.
        """
        place = as_place(note)
        if not names_file(self.root, place) and self.indexed:
            with self.shown.answering() as snapshot:
                place = find_named(readable_name(place), snapshot)
        return read_place(self.root, find_place(self.root, place), self.settings.index, raw=raw)

    @with_aliases
    def links(
        self, note: str | Path = "", *, broken: bool = False, wanted: bool = False, orphans: bool = False, to: str = ""
    ) -> Links:
        """Return the links and backlinks of a note; for all notes, counts, and the `broken` links and `orphans`.

        With a note, `broken` keeps only its broken links; `to` keeps links to missing `notes`, `files` or `anchors`.
        `wanted` lists the missing notes that links point to. For a file that is not a note, its backlinks are returned.
        """
        from notewell.graph.link_report import LinkQuery  # noqa: PLC0415

        query = LinkQuery(readable_name(as_place(note)), broken=broken, wanted=wanted, orphans=orphans, to=to)
        return self.link_graph.links(query)

    def graph(self) -> Graph:
        """Return an overview of the vault: its notes and links, communities, the bridges between them, and orphans."""
        return self.link_graph.overview()

    @with_aliases
    def traverse(
        self, note: str | Path, *, text: str = "", depth: int | None = None, floor: float | None = None
    ) -> Walk:
        """Follow links from a note, in both directions, to notes similar to the text, or else to the note itself.

        `depth` is the most links in a row, 4 by default. `floor` is the lowest similarity that is kept: 0.5 by default;
        with a text, 0.7 of the most similar note's if that is lower. Each visit says why it was kept or dropped.
        """
        from notewell.graph.traverse import walk_rules  # noqa: PLC0415

        rules = walk_rules(depth, floor, with_query=bool(text))
        plan = make_plan(readable(text), context=ParseContext(syntax=False))
        vector = (lambda snapshot: self._vector_of(plan, snapshot)) if text else None
        return self.link_graph.walk(readable_name(as_place(note)), rules, text, vector)

    def secrets(self, paths: Sequence[str | Path] = (), progress: Progress | None = None) -> SecretReport:
        """Return where secrets are in the files and folders at these paths, or in all notes; never the secrets."""
        rules, named = self.settings.index, [as_place(path) for path in paths]
        return find_secrets(self.root, files_at(self.root, rules, named), rules, progress or Progress())

    def watch(self, tell: Callable[[Report], None], stop: Event, warn: Callable[[str], None] | None = None) -> None:
        """Index every change as it happens, until `stop` is set, and pass each report to `tell`.

        If a server for embeddings does not answer, `warn` gets a message and the next change tries again; without
        `warn`, that is an error.
        """
        self._indexing.follow(tell, stop, warn, self.reread)

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
        memory = Memory(
            text, datetime.now().astimezone(), title, (tag,) if isinstance(tag, str) else tuple(tag), source
        )
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
        problems = tuple(dict.fromkeys(find_problems(self.storage, lambda: self.models.embedder, self._graph.check)))
        if not problems or not repair:
            return Diagnosis(problems, repaired=False)
        self.index(full=True)
        return Diagnosis(problems, repaired=True)

    def backup(self, file: str | Path) -> None:
        """Copy the store to a file; others may read and write the store meanwhile."""
        self.storage.backup(Path(file))

    def restore(self, file: str | Path, *, force: bool = False, wait: float = WAIT_SECONDS) -> tuple[Notice, ...]:
        """Replace the store with a backup, and return notices; the next `index` adds what changed since.

        A backup of another vault is an error, unless `force`. If another process is indexing, wait for it, at most
        `wait` seconds.
        """
        other = self.storage.restore(Path(file), wait, force=force)
        return (Notice("backup_of_another_vault", {"vault": str(other)}),) if other else ()

    def status(self) -> Status:
        """Return what is indexed, and how many files changed since."""
        if not self.indexed:
            return Status.of(self.root, self.storage.place, About())
        with self.shown.searching() as (_, excluded):
            status = Status.of(self.root, self.storage.place, visible(self.store.about(tags=True), excluded))
        changes, others = self._indexing.find_changes(), count_others(self.root, self.settings.index)
        stale = len(changes.read) + len(changes.gone)
        return replace(status, stale=stale, filling=self.encoder.progress, others=others)

    def _walk_rules(self) -> WalkRules:
        self.reread()
        return self.settings.index

    def _source(self) -> Source:
        walk, dates = self._walk_rules(), with_vault_formats(self.settings.dates, self.root)
        return Source(self.root, walk, self.settings.chunk, self._batches, dates)

    @cached_property
    def _graph(self) -> LinkGraph:
        # Most commands need no graph, and a cold command line does not pay for it.
        from notewell.graph.link_graph import FolderFiles, LinkGraph  # noqa: PLC0415

        files = FolderFiles(
            lambda store: list_others(self.root, self.settings.index, store),
            self._text_of,
            lambda path: left_out_by(path, self.settings.index),
        )
        return LinkGraph(self.storage, files, self._indexing.resolve_links, self.shown.answering)

    @property
    def link_graph(self) -> LinkGraph:
        """Return the graph of a vault that is indexed."""
        self.freshness.index_new()
        self.shown.forget_excluded()
        return self._graph

    def _text_of(self, path: str) -> str:
        """Return the whole text of a note; an empty text if it is gone, or its format needs the sandbox."""
        try:
            return "" if is_sandboxed(path) else read_place(self.root, Place(path), self.settings.index).text
        except NoteError:
            return ""

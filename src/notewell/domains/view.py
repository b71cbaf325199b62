"""What a vault is made of: its settings, its stores and what keeps them; of all domains, or of some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Self

from notewell.config.files import SettingsFiles
from notewell.config.settings import Settings
from notewell.domains.parts import Opened, Parts, Wiring
from notewell.embed import Models
from notewell.entities.place import entity_file, entity_files
from notewell.errors import NoteError, QueryError
from notewell.files.formats import is_sandboxed
from notewell.files.survey import WalkRules, left_out_by
from notewell.index import Batches, Linking, Source
from notewell.index.changes import list_others
from notewell.index.dates import with_vault_formats
from notewell.index.encode import EncoderVectors
from notewell.index.place import Place, read_place
from notewell.index.runs import Indexing
from notewell.index.shown import Shown, lag
from notewell.search.rules import OwnRules
from notewell.store import Store
from notewell.store.opened import OpenedStore
from notewell.types.notices import Notice

if TYPE_CHECKING:
    from notewell.entities.vault_entities import VaultEntities
    from notewell.graph.link_graph import LinkGraph


class View:
    """The stores of a vault, or those of some of its domains, which share everything with it."""

    def __init__(
        self,
        root: Path,
        files: SettingsFiles,
        load: Callable[[Settings], Models],
        batches: Batches,
        cache_kib: int | None,
    ) -> None:
        """Take the folder and its settings; `load` makes the models of some settings."""
        self.root = root
        self.settings_files = files
        # The domains of this view, by name; none for all.
        self.asked: tuple[str, ...] = ()
        self._batches = batches
        self._models = load(files.settings)
        # Most commands need no graph: it is loaded with the first link to resolve.
        linking = Linking(self._resolve, lambda store: self.graph.measure(store))
        wiring = Wiring(root, lambda: self.settings_files, self._walk_rules, self._source, linking, load, cache_kib)
        self._parts = Parts(wiring, self._models)

    def within(self, domain: str | Sequence[str]) -> Self:
        """Return the view of these domains; this one if none is named. A domain that is not in it is an error."""
        self.reread()
        names = self.settings_files.domains.chosen(domain)
        if not names:
            return self
        if other := next((name for name in names if name not in self.names), ""):
            raise QueryError(f"The domain '{other}' is not part of this search", f"Ask {' or '.join(self.names)}")
        view = copy(self)
        view.asked = names
        return view

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the domains that are asked; none for a vault without domains."""
        return self.asked or self.settings_files.domains.names

    @property
    def parts(self) -> dict[str, Opened]:
        """Return the stores one by one, by the names of their domains."""
        return self._parts.each(self.asked)

    @property
    def settings(self) -> Settings:
        """Return the settings as they were last read; for one domain alone, with its own."""
        names = self.asked
        return self.settings_files.of(names[0]) if len(names) == 1 else self.settings_files.settings

    def reread(self) -> tuple[Notice, ...]:
        """Take over the settings files if one has changed, all but `store`; return a notice if one is invalid."""
        notices = self.settings_files.look()
        self._models.use(self.settings_files.settings.embed)
        return notices

    def check_within(self, path: str) -> None:
        """Refuse a file that belongs to none of the domains that are asked."""
        if self.asked and self.settings_files.domains.of(path) not in self.asked:
            raise NoteError(f"{path} is in another domain", f"Ask without a domain, or read notes of {self.asked[0]}")

    @property
    def storage(self) -> OpenedStore:
        """Return where the vault's store is, or where its stores are."""
        return self.opened.storage

    @property
    def models(self) -> Models:
        """Return the embedder and the encoder."""
        return self.opened.models

    @property
    def shown(self) -> Shown:
        """Return what may be shown of the store."""
        return self.opened.shown

    @property
    def encoder(self) -> EncoderVectors:
        """Return the encoder's vectors."""
        return self.opened.encoder

    @property
    def indexing(self) -> Indexing:
        """Return the indexing runs."""
        return self.opened.indexing

    @property
    def opened(self) -> Opened:
        """Return what is open."""
        return self._parts.opened(self.asked)

    @property
    def own_rules(self) -> dict[str, OwnRules]:
        """Return how domains rank their notes that have settings of their own, if several are asked."""
        files, names = self.settings_files, self.names
        own = {name: files.of(name) for name in names} if len(names) > 1 else {}
        return {name: OwnRules(one.search, one.decay) for name, one in own.items() if one is not files.settings}

    @property
    def all_indexing(self) -> Indexing:
        """Return the indexing runs of the whole vault, whatever domains are asked."""
        return self._parts.opened().indexing

    def close(self) -> None:
        """Close all stores of the vault; the next use opens them again."""
        self._parts.close()

    def _walk_rules(self) -> WalkRules:
        self.reread()
        return self.settings_files.settings.index

    def _source(self) -> Source:
        walk, settings = self._walk_rules(), self.settings_files.settings
        dates = with_vault_formats(settings.dates, self.root)
        return Source(self.root, walk, settings.chunk, self._batches, dates)

    @property
    def graph(self) -> LinkGraph:
        """Return the graph of the links."""
        # Most commands need no graph, and a cold command line does not pay for it.
        from notewell.graph.link_graph import FolderFiles, LinkGraph  # noqa: PLC0415

        # Links of a store may lead to notes of another; a view of some domains sees no others.
        has_others = bool(self.settings_files.domains) and not self.asked
        files = FolderFiles(
            lambda store: list_others(self.root, self.settings.index, store, notes=has_others),
            self._text_of,
            lambda path: left_out_by(path, self.settings.index),
        )
        return LinkGraph(self.storage, files, self.indexing.resolve_links, self.shown.answering)

    @property
    def entities(self) -> VaultEntities:
        """Return the entities of these notes."""
        # Only who asks for entities pays for what extracts them.
        from notewell.entities.vault_entities import VaultEntities  # noqa: PLC0415

        self.storage.check_indexed()
        return VaultEntities(
            entity_file(self._parts.file, self.asked),
            self.shown.answering,
            lambda: self.storage.store.files().notes,
            self.settings_files.settings.llm,
            lag,
        )

    @property
    def has_entities(self) -> bool:
        """Tell whether entities of these notes were extracted."""
        return entity_file(self._parts.file, self.asked).is_file()

    def _resolve(self, store: Store) -> None:
        """Resolve links after notes changed; what the entities' files have of other notes than these is deleted."""
        self.graph.resolve(store)
        if files := entity_files(self._parts.file):
            from notewell.entities.file import EntityFile  # noqa: PLC0415

            # A run has the notes of one domain; those of the others are as they were.
            parts = self._parts.each().values() if self.settings_files.domains else ()
            every = [part.storage.store.files().notes for part in parts if part.storage.is_indexed]
            notes = {path: stamp for of_part in (*every, store.files().notes) for path, stamp in of_part.items()}
            for file in files:
                EntityFile(file).forget(notes)

    def _text_of(self, path: str) -> str:
        """Return the whole text of a note; an empty text if it is gone, or its format needs the sandbox."""
        try:
            return "" if is_sandboxed(path) else read_place(self.root, Place(path), self.settings.index).text
        except NoteError:
            return ""

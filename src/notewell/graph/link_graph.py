"""The graph of one vault: its links, the vault from above, and walks, each made complete before it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from notewell.errors import NoteError, SettingsError, StoreError
from notewell.frozen import frozen
from notewell.graph.check import find_wrong_links
from notewell.graph.edges import resolve_links
from notewell.graph.link_report import MISSING, LinkQuery, Links, report_links
from notewell.graph.map import GraphMap, make_map
from notewell.graph.net import Net
from notewell.graph.overview import Graph, survey
from notewell.graph.standing import Standings, load_standings, measure, measure_standings
from notewell.graph.traverse import TraverseRules, Walk, traverse
from notewell.graph.walk_source import StoredWalkSource
from notewell.names.find import find_chunks, find_file
from notewell.store import Snapshot, Store
from notewell.store.opened import OpenedStore
from notewell.types.note import Vectors
from notewell.types.notices import Notice


@frozen
class FolderFiles:
    """What the graph needs from the vault's folder.

    That is its files that are not notes, the whole text of a note, and whether the settings leave out a file: links may
    lead to one that is not in an included folder, but nobody may ask for it.
    """

    others: Callable[[Store], Iterable[str]]
    text: Callable[[str], str]
    excluded: Callable[[str], object]


class LinkGraph:
    """The notes of a vault, joined by their links."""

    def __init__(
        self,
        opened: OpenedStore,
        folder: FolderFiles,
        resolve_missing: Callable[[], tuple[Notice, ...]],
        reading: Callable[[], AbstractContextManager[Snapshot]],
    ) -> None:
        """Take the store and the folder; `resolve_missing` resolves the links that an interrupted run left.

        `reading` reads a state to answer from.
        """
        self._opened = opened
        self._folder = folder
        self._resolve_missing = resolve_missing
        self._reading = reading

    def resolve(self, store: Store) -> None:
        """Resolve new links, and links whose target may have changed."""
        resolve_links(store, lambda: self._folder.others(store))

    def measure(self, store: Store) -> None:
        """Compute how notes stand, if links changed."""
        measure_standings(store)

    def check(self, store: Store) -> list[str]:
        """Return what is wrong with stored links and standings, one sentence each."""
        with store.reading(shown=False) as snapshot:
            return list(find_wrong_links(snapshot, lambda: self._folder.others(store)))

    def complete(self) -> tuple[Notice, ...]:
        """Resolve links and measure standings where that is missing; return what the user should know."""
        notices = self._resolve_missing()
        for store in self._opened.stores if not notices else ():
            if not store.state.standings_current:
                # If another process is writing, standings are computed for this answer alone.
                with suppress(StoreError), store.locked():
                    measure_standings(store)
        return notices

    def links(self, query: LinkQuery) -> Links:
        """Return the links of a note, or of all notes; see `LinkQuery`."""
        if query.to not in MISSING:
            choices = ", ".join(filter(None, MISSING))
            raise SettingsError(f"Unknown value '{query.to}' for `to`", f"Choose one of {choices}")
        if query.to and not query.broken:
            raise SettingsError("`to` chooses among broken links", "Ask for `broken` links, too")
        self._opened.check_indexed()
        notices, store = self.complete(), self._opened.store
        with self._reading() as snapshot:
            if query.called:
                query = self._found(query, snapshot, store)
            report = report_links(snapshot, lambda: self._folder.others(store), self._folder.text, query)
        return replace(report, notices=(*notices, *report.notices))

    def _found(self, query: LinkQuery, snapshot: Snapshot, store: Store) -> LinkQuery:
        """Return the query with the note that is called so; if there is none, with another file of the vault."""
        try:
            return replace(query, note=path_of(query.called, snapshot))
        except NoteError:
            file = find_file(query.called, self._folder.others(store))
            if file and not self._folder.excluded(file):
                return replace(query, file=file)
            raise

    def overview(self) -> Graph:
        """Return the vault from above: its notes and links, communities, the bridges between them, and orphans."""
        self._opened.check_indexed()
        notices = self.complete()
        with self._reading() as snapshot:
            net, standings = _measured(snapshot)
        return replace(survey(net, standings), notices=notices)

    def map(self, note: str = "", hops: int = 2) -> GraphMap:
        """Return a map of the vault; with a note, of the notes at most `hops` links away from it."""
        self._opened.check_indexed()
        notices = self.complete()
        with self._reading() as snapshot:
            path = path_of(note, snapshot) if note else ""
            net, standings = _measured(snapshot)
            titles = {named.path: named.title for named in snapshot.names()}
        return replace(make_map(net, standings, titles, path, hops), notices=notices)

    def walk(
        self, note: str, rules: TraverseRules, query: str, vector: Callable[[Snapshot], Vectors] | None = None
    ) -> Walk:
        """Walk from a note along links to notes near the vector of a query; without one, near the note itself."""
        self._opened.check_indexed()
        notices = self._resolve_missing()
        with self._reading() as snapshot:
            near = vector(snapshot) if vector else None
            trail = traverse(path_of(note, snapshot), StoredWalkSource(snapshot), rules, near)
        return Walk.of(trail, query, notices)


def _measured(snapshot: Snapshot) -> tuple[Net, Standings]:
    """Return the links of a state, and how its notes stand."""
    net, state = Net.of(snapshot), snapshot.state
    # In a store that cannot be written, standings may belong to other links than these.
    stored = state.links_resolved and state.standings_current
    return net, load_standings(snapshot, net, state.standings_mark) if stored else measure(net)


def path_of(note: str, snapshot: Snapshot) -> str:
    """Return the path of the note that is called so: by path, name, title or alias."""
    chunk = find_chunks(note, snapshot).chunks[0]
    return snapshot.chunks([chunk])[chunk].path

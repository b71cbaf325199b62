"""What a vault knows by its links: where they lead, how notes stand, and walks along them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from notewell.errors import EmbedError, NoteError, SettingsError, StoreError
from notewell.index import Linking
from notewell.index.changes import list_others
from notewell.index.place import Place, read_place
from notewell.index.readers.formats import is_sandboxed
from notewell.names.find import find_chunks, find_file
from notewell.opened import Opened
from notewell.search import Known, make_plan
from notewell.search import Walk as SearchWalk
from notewell.search.embedding import plan_vector, without_secrets
from notewell.search.plan import readable, readable_name
from notewell.search.rank.decay import Decay
from notewell.store import Snapshot, Store
from notewell.types.candidates import Candidate
from notewell.types.note import Vectors
from notewell.types.notices import Notice
from notewell.types.query import Plan

if TYPE_CHECKING:
    from notewell.graph.link_report import Links
    from notewell.graph.overview import Graph
    from notewell.graph.traverse import Walk


class Linked(Opened):
    """A folder of notes as a graph."""

    @property
    def _linking(self) -> Linking:
        return Linking(self._resolve_links, _measure_standings)

    def _resolve_links(self, store: Store) -> None:
        # Most commands change nothing, and a cold command line does not pay for it.
        if not store.state.links_resolved:
            from notewell.graph.edges import resolve_links  # noqa: PLC0415

            resolve_links(store, lambda: self._others(store))

    def _others(self, store: Store) -> list[str]:
        return list_others(self.root, self.settings.index, store)

    def links(self, note: str = "", *, broken: bool = False, orphans: bool = False, to: str = "") -> Links:
        """Return the links of a note and those that lead to it; of all, counts, the `broken` ones and the `orphans`.

        With a note, `broken` leaves only those of its links; `to` is what they miss: `notes`, `files` or `anchors`. In
        place of a note, a file that is none has the links that lead to it.
        """
        # One command of many needs it, and costs a cold command line 5 ms.
        from notewell.graph.link_report import MISSING, Folder, Wanted, tell_links  # noqa: PLC0415

        if to not in MISSING:
            raise SettingsError(f"Links miss no {to}", f"Choose one of {', '.join(filter(None, MISSING))}")
        if to and not broken:
            raise SettingsError("`to` says which broken links are meant", "Ask for the broken ones, too")
        self.check_indexed()
        notices = self._complete_graph_now()
        folder = Folder(lambda: self._others(self.store), self._text_of)
        with self.store.reading() as snapshot:
            path, file = self._note_or_file(note, snapshot) if note else ("", "")
            told = tell_links(snapshot, folder, Wanted(path, note, file, broken, orphans, to))
        return replace(told, notices=(*notices, *told.notices))

    def _note_or_file(self, called: str, snapshot: Snapshot) -> tuple[str, str]:
        """Return the path of the note that is called so; or, if none is, that of another file of the vault."""
        name = readable_name(called)
        try:
            return _path_of(find_chunks(name, snapshot).chunks[0], snapshot), ""
        except NoteError:
            if file := find_file(called, self._others(self.store)):
                return "", file
            raise

    def _text_of(self, path: str) -> str:
        """Return the whole text of a note; nothing, if it takes a program of its own to read, or is gone."""
        try:
            return "" if is_sandboxed(path) else read_place(self.root, Place(path), self.settings.index).text
        except NoteError:
            return ""

    def _complete_graph_now(self) -> tuple[Notice, ...]:
        """Do what a run that was stopped, or an older Notewell, left undone; return what the user should know."""
        notices = self._resolve_now()
        if not notices and not self.store.state.standings_current:
            # If another process is writing, standings are computed for this answer alone.
            with suppress(StoreError), self.store.locked():
                _measure_standings(self.store)
        return notices

    def _resolve_now(self) -> tuple[Notice, ...]:
        """Resolve the links that a run left, if no other process is writing; return what the user should know."""
        try:
            if not self.store.state.links_resolved:
                with self.store.locked():
                    self._resolve_links(self.store)
        except StoreError as error:
            return (Notice("links_out_of_date", {"reason": error.fact}),)
        return ()

    def graph(self) -> Graph:
        """Return the vault from above: its notes and links, communities, the bridges between them, and orphans."""
        from notewell.graph.net import Net  # noqa: PLC0415
        from notewell.graph.overview import Graph, survey  # noqa: PLC0415
        from notewell.graph.standing import load_standings, measure  # noqa: PLC0415

        self.check_indexed()
        notices = self._complete_graph_now()
        with self.store.reading() as snapshot:
            net, store = Net.of(snapshot), self.store
            # Of a store that cannot be written, standings may be of other links than these.
            known = store.state.links_resolved and store.state.standings_current
            standings = load_standings(snapshot, net, store.state.standings_mark) if known else measure(net)
        return Graph(net, standings, survey(net, standings), notices)

    def traverse(self, note: str, *, query: str = "", depth: int | None = None, floor: float | None = None) -> Walk:
        """Walk from a note along links, both ways, to notes near the query, or without one near the note itself.

        It goes `depth` hops (4), and keeps notes of at least the similarity `floor` (0.5; with a query 0.7 of
        the nearest, if that is less); the walk says what it looked at, and why it kept what.
        """
        # One command of many needs it, and a cold command line does not pay for it.
        from notewell.graph.traverse import traverse, walk_rules  # noqa: PLC0415
        from notewell.graph.walk_source import StoredGround  # noqa: PLC0415

        self.check_indexed()
        rules = walk_rules(depth, floor, with_query=bool(query))
        notices = self._resolve_now()
        with self.store.reading() as snapshot:
            start = _path_of(find_chunks(readable_name(note), snapshot).chunks[0], snapshot)
            plan = make_plan(readable(query), known=Known(syntax=False))
            vector = self._vector_of(plan, snapshot) if query else None
            return replace(traverse(start, StoredGround(snapshot), rules, vector), notices=notices)

    def _walk_from(self, snapshot: Snapshot) -> tuple[SearchWalk, list[Walk]]:
        """Return what follows links from the best candidates of a search, and the list that its walk is put into."""
        # Most searches follow no links, and a cold command line does not pay for it.
        from notewell.graph.deep import as_candidates, deepen, kept_chunks, with_decay  # noqa: PLC0415
        from notewell.graph.walk_source import StoredGround  # noqa: PLC0415

        walks: list[Walk] = []

        def follow(plan: Plan, found: Sequence[Candidate], vector: Vectors) -> list[Candidate]:
            # The first candidate of a note is its best.
            seeds = {candidate.chunk.path: candidate for candidate in reversed(found)}
            ground = StoredGround(snapshot, plan.scope)
            walk = deepen(list(dict.fromkeys(candidate.chunk.path for candidate in found)), vector, ground)
            chunks = kept_chunks(walk, seeds, vector, ground, snapshot)
            # What age leaves of 1 is its factor.
            ones = [Candidate(chunks[visit.note], 1.0) for visit in walk.kept]
            aged = Decay(self.settings.decay, date.today(), snapshot.notes)(plan, ones)
            walks[:] = [with_decay(walk, {one.chunk.path: one.score for one in aged})]
            return as_candidates(walks[0], seeds, chunks)

        return follow, walks

    def _vector_of(self, plan: Plan, snapshot: Snapshot) -> Vectors:
        embedder, notices = self._matching_embedder(hurried=True)
        if embedder is None:
            raise no_vectors(notices[0])
        return plan_vector(without_secrets(plan) if self.settings.embed.is_remote else plan, embedder, snapshot)


def _measure_standings(store: Store) -> None:
    if not store.state.standings_current:
        from notewell.graph.standing import measure_standings  # noqa: PLC0415

        measure_standings(store)


def _path_of(chunk: int, snapshot: Snapshot) -> str:
    return snapshot.chunks([chunk])[chunk].path


def no_vectors(notice: Notice) -> EmbedError:
    """Return the error for what needs vectors, where a notice says why there are none."""
    reason = notice.facts.get("reason", "Run `notewell index` to make them")
    return EmbedError("There are no vectors to compare the query with", str(reason))

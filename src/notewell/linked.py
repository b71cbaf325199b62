"""What a vault knows by its links: where they lead, how notes stand, and walks along them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from notewell.embed import check_length
from notewell.errors import EmbedError, NoteError, SettingsError, StoreError
from notewell.index import Linking
from notewell.index.changes import list_others
from notewell.index.place import Place, read_place
from notewell.index.readers.formats import is_apart
from notewell.names.find import chunks_in, find_chunks, find_file
from notewell.opened import Opened
from notewell.search import Ages, Embedders, Known, find_hits, make_plan, plan_query, read_filters
from notewell.search.budget import fit
from notewell.search.excerpt import make_excerpts
from notewell.search.plan import make_scope, readable, readable_name
from notewell.search.rank.decay import Decay, DecayRules
from notewell.search.related import liked
from notewell.search.retrieve import embed_plan, nearness, without_secrets
from notewell.store import Snapshot, Store
from notewell.types.note import Vectors
from notewell.types.query import ALL, Filters, Plan
from notewell.types.results import Hit, Results

if TYPE_CHECKING:
    from notewell.graph.deep import Deep
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
            return "" if is_apart(path) else read_place(self.root, Place(path), self.settings.index).text
        except NoteError:
            return ""

    def _complete_graph_now(self) -> tuple[str, ...]:
        """Do what a run that was stopped, or an older Notewell, left undone; return what the user should know."""
        notices = self._resolve_now()
        if not notices and not self.store.state.standings_current:
            # If another process is writing, standings are computed for this answer alone.
            with suppress(StoreError), self.store.locked():
                _measure_standings(self.store)
        return notices

    def _resolve_now(self) -> tuple[str, ...]:
        """Resolve the links that a run left, if no other process is writing; return what the user should know."""
        try:
            if not self.store.state.links_resolved:
                with self.store.locked():
                    self._resolve_links(self.store)
        except StoreError as error:
            return (f"some links may be told as they were before: {error.fact}",)
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

    def deepen(
        self,
        text: str,
        *,
        limit: int | None = None,
        under: str = "",
        only: Filters = ALL,
        max_tokens: int | None = None,
    ) -> Deep:
        """Search wide: from the best notes far along their links; all that was found says why, and no age drops any.

        Each note is there once, with its best lines; without a `limit`, all that were kept, which are fifty at most.
        """
        from notewell.graph.deep import Deep  # noqa: PLC0415

        self.check_indexed()
        began, text, told = time.perf_counter(), readable(text), self._resolve_now()
        rules = self.settings.search.asking(limit, max_tokens)
        with self._searching() as (embedders, notices), self.store.reading() as snapshot:
            plan = self._plan(text, under, only, snapshot)
            walk, found = self._walk_from(self._seeds(plan, embedders, snapshot), plan, snapshot)
            kept = fit(found[:limit], rules.max_tokens)
            excerpts = tuple(make_excerpts(kept, plan, nearness(plan, embedders.quick)))
            took = round((time.perf_counter() - began) * 1000, 3)
            notices, left_out = (*told, *notices, *plan.notices), len(found[:limit]) - len(kept)
            return Deep(Results(text, excerpts, snapshot.state.generation, took, notices, plan.read_as, left_out), walk)

    def _seeds(self, plan: Plan, embedders: Embedders, snapshot: Snapshot) -> list[Hit]:
        """Return the hits that deep mode begins with, the best first."""
        from notewell.graph.deep import SEED_HITS  # noqa: PLC0415

        # How old a note is does not choose the seeds; the time that a query asks for does.
        ages, rules = Ages(DecayRules(), date.today()), self.settings.search.asking(SEED_HITS, 0)
        return find_hits(plan, store=snapshot, embedders=embedders, rules=rules, ages=ages)

    def _walk_from(self, found: Sequence[Hit], plan: Plan, snapshot: Snapshot) -> tuple[Walk, list[Hit]]:
        """Walk from the notes of the best hits, and return with the walk a hit for each note that it kept."""
        from notewell.graph.deep import as_hits, deepen, kept_chunks, with_decay  # noqa: PLC0415
        from notewell.graph.walk_source import StoredGround  # noqa: PLC0415

        # The first hit of a note is its best.
        seeds = {hit.chunk.path: hit for hit in reversed(found)}
        ground, vector = StoredGround(snapshot, plan.scope), self._vector_of(plan, snapshot)
        walk = deepen(list(dict.fromkeys(hit.chunk.path for hit in found)), vector, ground)
        chunks = kept_chunks(walk, seeds, vector, ground, snapshot)
        # What age leaves of 1 is its factor.
        ones = [Hit(chunks[visit.note], 1.0) for visit in walk.kept]
        aged = Decay(self.settings.decay, date.today(), snapshot.notes)(plan, ones)
        walk = with_decay(walk, {hit.chunk.path: hit.score for hit in aged})
        return walk, as_hits(walk, seeds, chunks)

    def _plan(self, text: str, under: str, only: Filters, snapshot: Snapshot) -> Plan:
        known = Known(lambda: snapshot.values("key"), date.today(), chunks_at=chunks_in(snapshot))
        scope = make_scope(under, self.root, read_filters(only, known), only.places)
        plan = plan_query(text, scope, known, snapshot)
        if not (plan.text or plan.terms or plan.passage or plan.like):
            hint = 'Say what is looked for, as in `notewell search "bees in winter" --deep --under Garden`'
            raise SettingsError("Deep mode begins with what a text finds, and there is none", hint)
        return plan

    def _vector_of(self, plan: Plan, snapshot: Snapshot) -> Vectors:
        embedder, notices = self._matching_embedder(hurried=True)
        if embedder is None:
            raise EmbedError("There are no vectors to compare the query with", f"Without them, {notices[0]}")
        plan = without_secrets(plan) if self.settings.embed.is_remote else plan
        return check_length(
            embed_plan(plan, embedder, liked(plan, snapshot)), snapshot.state.made_for.dimensions, embedder
        )


def _measure_standings(store: Store) -> None:
    if not store.state.standings_current:
        from notewell.graph.standing import measure_standings  # noqa: PLC0415

        measure_standings(store)


def _path_of(chunk: int, snapshot: Snapshot) -> str:
    return snapshot.chunks([chunk])[chunk].path

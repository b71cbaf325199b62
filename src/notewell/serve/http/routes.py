"""The routes: parse the parameters, make one call to the vault, return the result as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial, reduce
from operator import or_
from typing import Annotated, Any, NamedTuple, get_type_hints

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Depends, Path, Request, Response
from fastapi import Query as QueryModel
from fastapi.responses import JSONResponse

from notewell.chat.sessions import LONGEST_NAME
from notewell.curate.intake import Intake
from notewell.curate.promote import Promoted, Queue
from notewell.curate.renames import Renamed
from notewell.curate.suggest import TagProposals
from notewell.curate.tag_report import TagReport
from notewell.domains.listing import DomainList
from notewell.entities.report import Entities
from notewell.errors import StoreBusy
from notewell.files.safe_open import check_folder
from notewell.graph.link_report import Links
from notewell.graph.map import GraphMap
from notewell.graph.overview import Graph
from notewell.graph.traverse import Walk
from notewell.index.place import Reading
from notewell.index.report import Report, Status
from notewell.search.plan import readable_name
from notewell.serve.answering import IndexingProgress, answer, notices_in_errors, place_at, read_indexed
from notewell.serve.background import encode_wished, pause, resume
from notewell.serve.http import curate
from notewell.serve.http.access import is_own_page
from notewell.serve.http.arguments import AROUND, HOPS, LINES, PART, RouteArguments, check_query, route_arguments
from notewell.serve.http.health import Health, Indexed, Paused, VaultHealth, count_notes, health_of, indexing_of
from notewell.serve.http.problems import Failure, Problem
from notewell.serve.http.rag import ARGUMENTS, Questions, line_schemas
from notewell.serve.http.reload import JsonLines, RunLines, wait_for_start
from notewell.serve.json_data import as_data, json_bytes
from notewell.serve.last_search import remember_search
from notewell.serve.parameters import QUERY
from notewell.serve.schema import schema_of
from notewell.serve.web.choices import FilterChoices, filter_choices
from notewell.serve.web.conversations import Session, SessionList, list_sessions, read_session
from notewell.serve.web.duplicates import Duplicates, list_duplicates
from notewell.serve.web.findings import BrokenLinks, Findings, find_broken, find_findings
from notewell.serve.web.images import image_response
from notewell.serve.web.kept import Kept
from notewell.serve.web.note_page import NotePage, note_page
from notewell.types.answer import Answer
from notewell.types.results import Compared, DeepResults, Results
from notewell.vault import Vault

# Why the guard refuses a request, on every route.
REFUSED = {
    400: "A parameter is wrong, or this is not an HTTP request",
    401: "The token is missing or wrong",
    403: "The request comes from a web page of another site",
    413: "The body is too large",
    421: "The Host header names another server",
    429: "Too many requests from this address",
    431: "The request is too long",
}
ABSENT = {404: "There is no such note, or it has no such lines"}
NO_SESSION = {404: "There is no such session"}
UNABLE = {503: "The vault cannot answer now"}
BUSY = {409: "The vault is already being indexed"}

NotePath = Annotated[str, Path(description="A note by path, name or title; or some of its lines: Garden/Bees.md:12")]
PlacePath = Annotated[
    str, Path(description="A note, or lines or a part of it: Bees.md, Bees.md:12-20, Bees.pdf%23page 3")
]
SessionName = Annotated[str, Path(description="The name of a session", max_length=LONGEST_NAME)]
FilePath = Annotated[str, Path(description="An image, by its path from the vault's root")]
# The codes of the notices, which the answer has as sentences: for programs that word one themselves.
NOTICES = "notewell-notices"
# Answers that may take seconds, such as rendered notes, that are made at once.
PAGES = 2
# Seconds for which the broken links that were found are shown again.
BROKEN_SECONDS = 60.0


class Routes:
    """The answers of one vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._questions = Questions(vault)
        self._pages: CapacityLimiter | None = None
        self._notes = Kept(count_notes)
        self._filters = Kept(filter_choices)
        self._duplicates = Kept(list_duplicates)
        # Whether a file is there may change without the store.
        self._broken = Kept(find_broken, BROKEN_SECONDS)

    def health(self, request: Request) -> Response:
        """Report that the server is running and, unless a token is missing, the state of its vault."""
        return _response(as_data(health_of(self._vault, request, self._notes)))

    def progress(self) -> Response:
        """Tell whether the vault is indexed, and the progress of a current run."""
        return _response(as_data(indexing_of(self._vault)))

    async def reload(self) -> Response:
        """Index new and changed notes.

        The answer is a stream of JSON lines: the progress, and at last the report. If the client disconnects, indexing
        stops, and what was done is kept.
        """
        try:
            run = await wait_for_start(self._vault.freshness.reload())
        except StoreBusy as error:
            return Problem(409, error.fact, error.hint).response()
        return RunLines(run)

    def search(self, asked: RouteArguments, request: Request) -> Response:
        """Find the lines that answer a text.

        The header `notewell-notices` has the codes of the notices, in their order.
        """
        return self._answer(asked, page=is_own_page(request))

    def related(self, asked: RouteArguments) -> Response:
        """Find the notes most like several notes."""
        return self._answer(asked)

    def related_to(self, note: NotePath, asked: RouteArguments) -> Response:
        """Find the notes most like one note."""
        return self._answer(asked, {"note": [note]})

    def traverse(self, note: NotePath, asked: RouteArguments) -> Response:
        """Follow links from a note to notes similar to it, or to a text."""
        return self._answer(asked, {"note": note})

    def node(self, note: PlacePath, asked: RouteArguments) -> Response:
        """Show a note, some of its lines, or a part such as a page; secrets are redacted."""
        lines, part, refresh = (asked.given[name] for name in ("lines", "part", "refresh"))
        with notices_in_errors(self._vault.freshness.look(refresh=refresh)):
            return _response(as_data(read_indexed(self._vault, place_at(note, lines, part))))

    async def page(self, note: PlacePath, asked: RouteArguments) -> Response:
        """Show a note as HTML, with its outline, properties and tags; lines or a part are marked in it."""
        lines, part, refresh = (asked.given[name] for name in ("lines", "part", "refresh"))
        return await self._slowly(partial(self._page, place_at(note, lines, part), refresh))

    async def _slowly(self, make: Callable[[], Response]) -> Response:
        """Answer in a thread of its own, not in those of searches, which would wait for what takes seconds."""
        self._pages = self._pages or CapacityLimiter(PAGES)
        return await run_sync(make, limiter=self._pages)

    def _page(self, place: str, refresh: bool) -> Response:
        with notices_in_errors(self._vault.freshness.look(refresh=refresh)):
            return _response(as_data(note_page(self._vault, place)))

    def filters(self) -> Response:
        """List the values that filters can take: folders, tags, types and properties of the vault."""
        return _response(as_data(self._filters.of(self._vault)))

    async def broken_links(self) -> Response:
        """Count the broken links, and list the first hundred; `/links?broken=true` lists all."""
        return await self._slowly(lambda: _response(as_data(self._broken.of(self._vault))))

    async def duplicates(self) -> Response:
        """List notes that say nearly the same."""
        return await self._slowly(lambda: _response(as_data(self._duplicates.of(self._vault))))

    def sessions(self) -> Response:
        """List the saved conversations, the latest first."""
        return _response(as_data(list_sessions(self._vault)))

    def session(self, name: SessionName) -> Response:
        """Show the questions and answers of a conversation."""
        return _response(as_data(read_session(self._vault, name)))

    async def answer_once(self, asked: RouteArguments) -> Response:
        """Answer a question in one piece, with a language model only if the settings name one."""
        return await self._slowly(lambda: self._answer(asked))

    def findings(self) -> Response:
        """List where secrets were redacted, and the largest notes."""
        return _response(as_data(find_findings(self._vault)))

    def tags(self, asked: RouteArguments) -> Response:
        """List the tags, and compare them with the taxonomy."""
        return _response(as_data(curate.list_tags(self._vault, asked)))

    def suggest_tags(self, asked: RouteArguments) -> Response:
        """Propose one to five tags of the taxonomy for each note, with reasons."""
        return _response(as_data(curate.propose_tags(self._vault, asked)))

    def queue(self, asked: RouteArguments) -> Response:
        """Show the review queue; nothing is written."""
        return _response(as_data(curate.show_queue(self._vault, asked)))

    def review(self, asked: RouteArguments = curate.REVIEW_ALL) -> Response:
        """Write proposals into the review queue; off until the vault's settings name `curate.folders`."""
        return _response(as_data(curate.write_queue(self._vault, asked)))

    def promote(self, asked: RouteArguments) -> Response:
        """Apply the ticks in the review queue, and update it; off until the settings name `curate.folders`."""
        return _response(as_data(curate.apply_ticks(self._vault, asked)))

    def apply_renames(self, asked: RouteArguments) -> Response:
        """Rename, merge or split tags in all notes or in none; off until the vault's settings name `curate.folders`."""
        return _response(as_data(curate.rename(self._vault, asked)))

    def intake(self, asked: RouteArguments) -> Response:
        """Score the signals in a text, and keep the best as notes; off until the settings name `curate.folders`."""
        return _response(as_data(curate.take_in_text(self._vault, asked)))

    def intake_log(self, asked: RouteArguments) -> Response:
        """List the last decisions of intake, with their reasons."""
        return _response(as_data(curate.last_decisions(self._vault, asked)))

    def undo_intake(self, asked: RouteArguments) -> Response:
        """Undo the last run of intake, or one decision."""
        return _response(as_data(curate.undo_intake(self._vault, asked)))

    def pause(self) -> Response:
        """Pause background work, such as encoding."""
        pause()
        return _response(as_data(Paused(paused=True)))

    def resume(self) -> Response:
        """Resume background work."""
        resume()
        encode_wished(self._vault)
        return _response(as_data(Paused(paused=False)))

    def file(self, path: FilePath) -> Response:
        """Show an image of the vault."""
        return image_response(self._vault, path)

    async def ask(self, asked: RouteArguments) -> Response:
        """Answer a question from the notes alone, with citations that are checked.

        The answer is a stream of JSON lines, each with its `type`: `metadata` for each passage, as soon as it is found;
        the model's `thinking` and `text`, piece by piece; `memory`, if a session is named; `error`, if the model fails;
        and last, the whole `answer`. If the client disconnects, the model stops.
        """
        return await self._questions.answer(asked)

    def links(self, asked: RouteArguments) -> Response:
        """Count the links of all notes; list broken links, and notes without links."""
        return self._answer(asked)

    def links_of(self, note: NotePath, asked: RouteArguments) -> Response:
        """Show the links and backlinks of a note."""
        return self._answer(asked, {"note": note})

    async def entities(self, asked: RouteArguments) -> Response:
        """List the people, places and other things in the notes, or show one of them."""
        return await self._slowly(lambda: self._answer(asked))

    def graph(self, asked: RouteArguments) -> Response:
        """Show the communities of the vault and the links between them."""
        return self._answer(asked)

    def graph_map(self, asked: RouteArguments) -> Response:
        """Return a map of the vault, or of the notes around one: notes, links and their positions."""
        note, hops, refresh = (asked.given[name] for name in ("note", "hops", "refresh"))
        with notices_in_errors(self._vault.freshness.look(refresh=refresh)):
            return _response(as_data(self._vault.link_graph.map(readable_name(note), hops)))

    def domains(self) -> Response:
        """List the domains of the vault, with their folders, settings and counts."""
        return _response(as_data(self._vault.domains()))

    def status(self) -> Response:
        """Show what is indexed and what is not."""
        check_folder(self._vault.root)
        return _response(as_data(self._vault.status()))

    def _answer(self, asked: RouteArguments, more: Mapping[str, Any] | None = None, *, page: bool = False) -> Response:
        found = answer(self._vault, asked.operation, {**asked.given, **(more or {})})
        if page and isinstance(found, Results):
            remember_search(self._vault.root, found)
        response = _response(as_data(found, explain=asked.given.get("explain", False)))
        response.headers[NOTICES] = ",".join(notice.code for notice in getattr(found, "notices", ()))
        return response


def router(vault: Vault, *, describes: bool = False) -> APIRouter:
    """Return the routes of a vault, the most needed first; only `describes` what they answer on request."""
    routes, made = Routes(vault), APIRouter(dependencies=[Depends(check_query)])
    found = (Results, DeepResults, Compared)
    add, add_post = Adding(made, describes).add, Adding(made, describes, posts=True).add
    add("/health", routes.health, (VaultHealth, Health), {})
    add("/progress", routes.progress, Indexed, UNABLE)
    add("/search", routes.search, found, {**ABSENT, **UNABLE}, route_arguments("search"))
    add("/related", routes.related, Results, {**ABSENT, **UNABLE}, route_arguments("related"))
    one = route_arguments("related", without=("note",))
    add("/related/{note:path}", routes.related_to, Results, {**ABSENT, **UNABLE}, one)
    walk = route_arguments("traverse", without=("note",))
    add("/traverse/{note:path}", routes.traverse, Walk, {**ABSENT, **UNABLE}, walk)
    node = route_arguments("read", LINES, PART, QUERY["refresh"], without=("note",))
    add("/node/{note:path}", routes.node, Reading, {**ABSENT, **UNABLE}, node)
    add("/page/{note:path}", routes.page, NotePage, {**ABSENT, **UNABLE}, node)
    add("/filters", routes.filters, FilterChoices, UNABLE)
    add("/findings", routes.findings, Findings, UNABLE)
    add("/broken-links", routes.broken_links, BrokenLinks, UNABLE)
    add("/duplicates", routes.duplicates, Duplicates, UNABLE)
    add("/ask", routes.answer_once, Answer, UNABLE, route_arguments("ask"))
    add("/sessions", routes.sessions, SessionList, UNABLE)
    add("/sessions/{name:path}", routes.session, Session, {**NO_SESSION, **UNABLE})
    add("/tags", routes.tags, TagReport, UNABLE, curate.LISTED)
    add("/tags/suggest", routes.suggest_tags, TagProposals, {**ABSENT, **UNABLE}, curate.SUGGESTED)
    add("/queue", routes.queue, Queue, UNABLE, curate.SHOWN)
    add_post("/review", routes.review, Queue, UNABLE, curate.REVIEW)
    add_post("/promote", routes.promote, Promoted, UNABLE, curate.PROMOTE)
    add_post("/apply-renames", routes.apply_renames, Renamed, UNABLE, curate.RENAMES)
    add_post("/intake", routes.intake, Intake, UNABLE, curate.INTAKE)
    add("/intake/log", routes.intake_log, Intake, UNABLE, curate.INTAKE_LOG)
    add_post("/intake/undo", routes.undo_intake, Intake, UNABLE, curate.INTAKE_UNDO)
    add_post("/pause", routes.pause, Paused, UNABLE)
    add_post("/resume", routes.resume, Paused, UNABLE)
    # Its answers are images, which no schema describes.
    made.add_api_route("/file/{path:path}", routes.file, methods=["GET"], include_in_schema=False)
    add("/links", routes.links, Links, UNABLE, route_arguments("links", without=("note",)))
    links = route_arguments("links", without=("note", "orphans"))
    add("/links/{note:path}", routes.links_of, Links, {**ABSENT, **UNABLE}, links)
    add("/entities", routes.entities, Entities, UNABLE, route_arguments("entities"))
    add("/graph", routes.graph, Graph, UNABLE, route_arguments("graph"))
    around = route_arguments("graph", AROUND, HOPS)
    add("/graph/map", routes.graph_map, GraphMap, {**ABSENT, **UNABLE}, around)
    add("/domains", routes.domains, DomainList, UNABLE)
    add("/status", routes.status, Status, UNABLE)
    add_post("/rag", routes.ask, line_schemas() if describes else None, UNABLE, ARGUMENTS)
    lines = (Report, IndexingProgress, Failure)
    add_post("/reload", routes.reload, lines, {**BUSY, **UNABLE})
    return made


class Adding(NamedTuple):
    """How routes are added: whether what they answer is described, too, and whether they are posted to."""

    made: APIRouter
    describes: bool
    posts: bool = False

    def add(
        self,
        path: str,
        method: Callable[..., Response | Awaitable[Response]],
        answer: Any,
        problems: Mapping[int, str],
        asked: type[RouteArguments] | None = None,
    ) -> None:
        """Add a route whose parameters, or whose body, are those of the model `asked`.

        A coroutine that is posted to answers line by line.
        """
        in_lines = self.posts and inspect.iscoroutinefunction(method)
        told = "JSON lines" if in_lines else "The answer"
        self.made.add_api_route(
            path,
            _with_arguments(method, Annotated[asked, Body() if self.posts else QueryModel()]),
            methods=["POST" if self.posts else "GET"],
            name=method.__name__,
            operation_id=method.__name__,
            description=inspect.getdoc(method),
            response_class=JsonLines if in_lines else JSONResponse,
            # The result is JSON already: its schema is published here, and checked in tests.
            response_model=None,
            responses=_answers(answer, told, problems) if self.describes else None,
        )


def _with_arguments(method: Callable[..., Any], asked: Any) -> Any:
    """Return a method whose signature has the model of its arguments, which exists only at run time."""
    hints = {**get_type_hints(method, include_extras=True), "asked": asked}
    signature = inspect.signature(method)
    endpoint: Any = partial(method)
    endpoint.__signature__ = signature.replace(
        parameters=[one.replace(annotation=hints[name]) for name, one in signature.parameters.items()]
    )
    return endpoint


def _answers(answer: Any, told: str, problems: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return what a route answers, by status: its result, or one of several, or why it fails."""
    failures = {**REFUSED, **problems}.items()
    kinds = answer if isinstance(answer, tuple) else (answer,)
    schema = reduce(or_, (schema_of(kind) if isinstance(kind, type) else kind for kind in kinds))
    described: dict[int | str, dict[str, Any]] = {200: {"model": schema, "description": told}}
    return described | {status: {"model": schema_of(Failure), "description": why} for status, why in failures}


def _response(value: Mapping[str, object]) -> Response:
    return Response(json_bytes(value), media_type="application/json")

"""The routes: parse, one call of the vault, answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from notewell.errors import StoreBusy
from notewell.files.vault_folder import check_folder
from notewell.serve import forms
from notewell.serve.answers import (
    as_data,
    of_graph,
    of_links,
    of_reading,
    of_status,
    of_walk,
    with_notices,
)
from notewell.serve.http.arguments import (
    HitsAsked,
    LinksAsked,
    Looking,
    NodeAsked,
    NoteLinksAsked,
    RelatedAsked,
    SearchAsked,
    TraverseAsked,
    check_query,
)
from notewell.serve.http.problems import Problem, encoded
from notewell.serve.http.reload import Lines, RunLines, begun
from notewell.serve.parameters import check_asked, query_by
from notewell.serve.served import read_indexed
from notewell.types.notices import Notice
from notewell.types.results import Results
from notewell.vault import Vault

# Why a request is refused before it is asked, on every route.
REFUSED = {
    400: "A parameter is wrong, or the request is no HTTP",
    401: "A token is needed, and there is none or another",
    403: "A page of another site asks",
    413: "The body is too large",
    421: "The Host header names another server",
    429: "Too many requests from this address",
    431: "The request is too long",
}
ABSENT = {404: "There is no such note, or not such lines"}
UNABLE = {503: "The vault cannot answer now"}
BUSY = {409: "The vault is being brought up to date already"}

Note = Annotated[str, Path(description="A note by path, name or title; or some of its lines: Garden/Bees.md:12")]
Place = Annotated[str, Path(description="A note, or lines or a part of it: Bees.md, Bees.md:12-20, Bees.pdf%23page 3")]


class Routes:
    """What can be asked of one vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._version = version("notewell")

    def health(self) -> Response:
        """Say that the server is there."""
        return _answer({"ok": True, "version": self._version})

    async def reload(self) -> Response:
        """Bring the store up to date with the folder.

        Only what changed is read. The answer is a stream of lines, each JSON: how far it is, and last the report.
        Whoever hangs up ends it, and what was done is kept.
        """
        try:
            run = await begun(self._vault.freshness.reload())
        except StoreBusy as error:
            return Problem(409, error.fact, error.hint).response()
        return RunLines(run)

    def search(self, asked: Annotated[SearchAsked, Query()]) -> Response:
        """Find the lines that answer a text."""
        query = query_by(asked, asked.text, like=asked.like, mode=asked.mode)
        check_asked(query)
        notices = self._looked(asked)
        return self._found(self._vault.search(query), notices, asked)

    def related(self, asked: Annotated[RelatedAsked, Query()]) -> Response:
        """Find the notes most like several."""
        return self._related(asked.note, asked)

    def related_to(self, note: Note, asked: Annotated[HitsAsked, Query()]) -> Response:
        """Find the notes most like one."""
        return self._related([note], asked)

    def _related(self, notes: list[str], asked: HitsAsked) -> Response:
        notices = self._looked(asked)
        return self._found(self._vault.search(query_by(asked, like=notes, mode="related")), notices, asked)

    def _found(self, results: Results, notices: tuple[Notice, ...], asked: HitsAsked) -> Response:
        return _answer(as_data(with_notices(results, notices), explain=asked.explain))

    def traverse(self, note: Note, asked: Annotated[TraverseAsked, Query()]) -> Response:
        """Walk from a note along links, to notes that are near it or a query."""
        notices = self._looked(asked)
        walk = self._vault.traverse(note, query=asked.query, depth=asked.depth, floor=asked.floor)
        return _answer(of_walk(with_notices(walk, notices)))

    def node(self, place: Place, asked: Annotated[NodeAsked, Query()]) -> Response:
        """Show a note, some of its lines, or a part such as a page; without secrets."""
        self._looked(asked)
        lines, part = (f":{asked.lines}" if asked.lines else ""), (f"#{asked.part}" if asked.part else "")
        return _answer(of_reading(read_indexed(self._vault, place + lines + part)))

    def links(self, asked: Annotated[LinksAsked, Query()]) -> Response:
        """Count the links of all notes, and list the broken ones and the notes without any."""
        notices = self._looked(asked)
        links = self._vault.links(broken=asked.broken, orphans=asked.orphans, to=asked.to)
        return _answer(of_links(with_notices(links, notices)))

    def links_of(self, note: Note, asked: Annotated[NoteLinksAsked, Query()]) -> Response:
        """Say where the links of a note lead, and which lead to it."""
        notices = self._looked(asked)
        links = self._vault.links(note, broken=asked.broken, to=asked.to)
        return _answer(of_links(with_notices(links, notices)))

    def graph(self, asked: Annotated[Looking, Query()]) -> Response:
        """Show the vault from above: its communities, and what joins them."""
        notices = self._looked(asked)
        graph = self._vault.graph()
        return _answer(of_graph(with_notices(graph, notices)))

    def status(self) -> Response:
        """Say what is indexed, and what is not."""
        check_folder(self._vault.root)
        return _answer(of_status(self._vault.status()))

    def _looked(self, asked: Looking) -> tuple[Notice, ...]:
        return self._vault.freshness.look(refresh=asked.refresh)


def router(vault: Vault) -> APIRouter:
    """Return the routes of a vault, in the order in which one needs them."""
    routes, made = Routes(vault), APIRouter(dependencies=[Depends(check_query)])
    add = _adder(made)
    add("/health", routes.health, forms.Health, {})
    add("/search", routes.search, forms.Results | forms.DeepResults, {**ABSENT, **UNABLE})
    add("/related", routes.related, forms.Results, {**ABSENT, **UNABLE})
    add("/related/{note:path}", routes.related_to, forms.Results, {**ABSENT, **UNABLE})
    add("/traverse/{note:path}", routes.traverse, forms.Walk, {**ABSENT, **UNABLE})
    add("/node/{place:path}", routes.node, forms.Reading, {**ABSENT, **UNABLE})
    add("/links", routes.links, forms.Links, UNABLE)
    add("/links/{note:path}", routes.links_of, forms.Links, {**ABSENT, **UNABLE})
    add("/graph", routes.graph, forms.Graph, UNABLE)
    add("/status", routes.status, forms.Status, UNABLE)
    made.add_api_route(
        "/reload",
        routes.reload,
        methods=["POST"],
        operation_id="reload",
        response_class=Lines,
        response_model=None,
        responses={
            200: {"model": forms.Report | forms.Progress | forms.Failure, "description": "Lines, each of them JSON"},
            **_failures({**BUSY, **UNABLE}),
        },
    )
    return made


def _adder(made: APIRouter) -> Callable[[str, Callable[..., Response], Any, Mapping[int, str]], None]:
    def add(path: str, answer: Callable[..., Response], form: Any, problems: Mapping[int, str]) -> None:
        # Answers are made whole in `serve/answers.py`: their form is published here, and checked in tests.
        made.add_api_route(
            path,
            answer,
            methods=["GET"],
            operation_id=answer.__name__,
            response_model=None,
            responses={200: {"model": form, "description": "The answer"}, **_failures(problems)},
        )

    return add


def _failures(problems: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": forms.Failure, "description": why} for status, why in {**REFUSED, **problems}.items()}


def _answer(value: Mapping[str, object]) -> Response:
    return Response(encoded(value), media_type="application/json")

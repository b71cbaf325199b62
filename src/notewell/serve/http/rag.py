"""A question over HTTP, answered line by line; if the client disconnects, the model stops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Literal, Union

import anyio
import anyio.to_thread
from fastapi import Response
from pydantic import Field
from starlette.types import Receive, Scope, Send

from notewell.chat import answering, checked_question
from notewell.chat.sessions import chatting
from notewell.errors import NotewellError, QueryError
from notewell.llm import StoppableModel, find_model
from notewell.serve.background import encode_wished
from notewell.serve.http.arguments import RouteArguments, route_arguments
from notewell.serve.http.problems import INTERNAL, Failure, Problem, problem_of
from notewell.serve.http.reload import JsonLines
from notewell.serve.json_data import as_data, json_bytes
from notewell.serve.parameters import Parameter, query_of
from notewell.serve.schema import part_schema
from notewell.serve.wording import REFUSALS, sentence_of, with_notices
from notewell.types.answer import Answer, Event, Memory, Metadata, Text, Thinking
from notewell.types.notices import Notice
from notewell.vault import Vault

# Questions that are answered at once. Each waits for a model in a thread of its own, beside those of the other routes.
QUESTIONS = 8
BUSY = Problem(
    HTTPStatus.SERVICE_UNAVAILABLE, "Too many questions at once", "Try again in a moment", {"retry-after": "5"}
)
SESSION = Parameter("session", "Continue this conversation. Default: answer this question alone", str, "")
EDIT = Parameter("edit", "With session: replace question N, and forget what came after it", int, None, (1, 10**9))
ARGUMENTS = route_arguments("ask", SESSION, EDIT)

# The types of the lines, by what happened.
TYPES: Mapping[type, str] = {
    Thinking: "thinking",
    Metadata: "metadata",
    Text: "text",
    Memory: "memory",
    Failure: "error",
    Answer: "answer",
}
# Notices that a model failed.
FAILED = ("model_failed", "model_silent", "model_endless", "model_slow")
WITHOUT = "Drop the text so far; the answer follows without a model"


def line_schemas() -> Any:
    """Return the schema of a line: one of several, told apart by its `type`."""
    kinds = [
        part_schema(
            kind,
            name=f"{name.title()}Line",
            more={"type": Annotated[Literal[name], Field(description="What the line is")]},
        )
        for kind, name in TYPES.items()
    ]
    return Annotated[Union[tuple(kinds)], Field(discriminator="type")]  # noqa: UP007


class Questions:
    """The questions that a server answers at this moment."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._open = 0

    async def answer(self, asked: RouteArguments) -> Response:
        """Begin to answer a question; a wrong question is an error before the first line."""
        if self._open >= QUESTIONS:
            return BUSY.response()
        self._open += 1
        work = Work(self._vault, asked.given)
        try:
            first = await work.next()
        except BaseException:
            self._open -= 1
            work.stop()
            raise
        return AnswerLines(work, first, self._end)

    def _end(self) -> None:
        self._open -= 1


class AnswerLines(JsonLines):
    """The lines of an answer; when they end, or the client is gone, nobody waits for the model any more."""

    def __init__(self, work: Work, first: bytes | None, end: Callable[[], None]) -> None:
        super().__init__(_following(work, first))
        self._work = work
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._end()
            self._work.stop()


async def _following(work: Work, line: bytes | None) -> AsyncIterator[bytes]:
    while line is not None:
        yield line
        line = await work.next_or_error()


class Work:
    """One question: its lines as they come, each made in a thread."""

    def __init__(self, vault: Vault, given: Mapping[str, Any]) -> None:
        self._lines = self._run(vault, given)
        self._threads = anyio.CapacityLimiter(1)
        self._model: StoppableModel | None = None
        self._stopped = False
        self._failed = False

    async def next(self) -> bytes | None:
        """Return the next line, or None after the last."""
        return await anyio.to_thread.run_sync(next, self._lines, None, abandon_on_cancel=True, limiter=self._threads)

    async def next_or_error(self) -> bytes | None:
        """Return the next line; an error is a line, too, and the last one."""
        try:
            return None if self._failed else await self.next()
        except Exception as error:  # the edge: the status was sent long ago
            self._failed = True
            problem = problem_of(error) if isinstance(error, NotewellError) else INTERNAL
            return _line(Failure(problem.fact, problem.hint))

    def stop(self) -> None:
        """End the reply of the model, from any thread; nobody reads the lines after that."""
        self._stopped = True
        if self._model:
            self._model.stop()

    def _run(self, vault: Vault, given: Mapping[str, Any]) -> Generator[bytes, None, None]:
        query = query_of("ask", given)
        checked_question(query)
        if given["edit"] and not given["session"]:
            raise QueryError("Only a question of a session can be edited", "Send its name as session")
        notices = (*vault.reread(), *vault.freshness.look(refresh=given["refresh"]))
        if found := find_model(vault.settings.llm):
            self._model = StoppableModel(found)
            if self._stopped:
                return
        talk = partial(chatting, session=given["session"], edit=given["edit"]) if given["session"] else answering
        for event in talk(vault, query, self._model):
            yield from _lines_of(event, notices)
        encode_wished(vault)


def _lines_of(event: Event, notices: tuple[Notice, ...]) -> Generator[bytes, None, None]:
    """Yield the lines of an event; before an answer that no model wrote, its text, for clients that show only text."""
    if not isinstance(event, Answer):
        yield _line(event)
        return
    yield from (_line(Failure(sentence_of(one), WITHOUT)) for one in event.notices if one.code in FAILED)
    if not event.model:
        refusals = [f"{sentence_of(one)}." for one in event.notices if one.code in REFUSALS]
        yield _line(Text("\n\n".join(filter(None, (*refusals, event.text)))))
    yield _line(with_notices(event, notices))


def _line(value: Event | Failure) -> bytes:
    return json_bytes({"type": TYPES[type(value)], **as_data(value)}) + b"\n"

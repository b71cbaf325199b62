"""What the dialects of servers have in common: what they are asked, what a line says, and values in their JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from notewell.frozen import frozen
from notewell.llm.messages import Ended, Message, Piece, Tool
from notewell.remote.endpoint import parse_json

NOT_JSON, HTML = "answers with something that is not JSON", "answers with HTML, not JSON"
NO_ANSWER = "answers with JSON that contains no message"


@frozen
class Question:
    """What a model is asked."""

    model: str
    messages: Sequence[Message]
    tools: Sequence[Tool]
    max_tokens: int
    context: int


@frozen
class End:
    """The server says that the answer is complete."""

    how: Ended = "stop"


@frozen
class Fault:
    """What is wrong with a line; its body may contain the server's own message."""

    fact: str
    body: bytes = b""


Said = Piece | End | Fault


class Reader(Protocol):
    """Understands the lines of one answer."""

    def read(self, line: bytes) -> Iterable[Said]:
        """Return what a line says."""

    def finish(self) -> Iterable[Said]:
        """Return what is left to say if the lines end before the answer does."""


class Dialect(Protocol):
    """How a kind of server is asked, and how it answers."""

    @property
    def title(self) -> str:
        """Return what the server is called."""

    @property
    def url(self) -> str:
        """Return the address where it usually is, or nothing."""

    @property
    def path(self) -> str:
        """Return the path of its chat endpoint."""

    @property
    def when_down(self) -> str:
        """Return the hint for a server that is not there."""

    @property
    def when_missing(self) -> str:
        """Return the hint for a model that is not there."""

    @property
    def when_wrong(self) -> str:
        """Return the hint for a server that answers with something else."""

    def body(self, question: Question) -> dict[str, Any]:
        """Return the message that is posted."""

    def repair(self, body: dict[str, Any], refusal: str) -> dict[str, Any] | None:
        """Return the message without what the server refused, or None."""

    def reader(self, first: int) -> Reader:
        """Return a reader that numbers calls without an id from `first` on."""


def parse_line(line: bytes) -> dict[str, Any] | Fault:
    """Return the JSON object of a line, or what is wrong with it.

    >>> parse_line(b"<html>")
    Fault(fact='answers with HTML, not JSON', body=b'')
    """
    try:
        value = parse_json(line)
    except ValueError:
        return Fault(HTML if line.startswith(b"<") else NOT_JSON)
    if not isinstance(value, dict):
        return Fault(NO_ANSWER)
    return Fault("reports an error", line) if value.get("error") else value


def text_of(value: Any) -> str:
    """Return a text, or the texts of a list of parts, without halves of characters.

    >>> text_of([{"type": "text", "text": "Be"}, {"text": "es\\ud83d"}]), text_of(None)
    ('Bees\ufffd', '')
    """
    if isinstance(value, list):
        return "".join(text_of(part.get("text")) for part in value if isinstance(part, dict))
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def arguments_of(value: Any) -> str:
    """Return the arguments of a call as JSON text; servers send them as such, or as an object.

    >>> arguments_of({"query": "bees"}), arguments_of('{"query"'), arguments_of(None)
    ('{"query": "bees"}', '{"query"', '{}')
    """
    if isinstance(value, str):
        return text_of(value)
    return text_of(json.dumps({} if value is None else value, ensure_ascii=False))


def object_of(value: Any) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a JSON list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def tool_body(tool: Tool) -> dict[str, Any]:
    """Return a tool as both dialects write it."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}

"""A server that speaks Ollama's and OpenAI's chat protocols over real HTTP, and says what a script tells it to.

    with ScriptedServer([Call("1", "search", '{"text": "bees"}')], [Thinking("Hm."), Text("They buzz.")]) as server:
        model = find_model(LlmRules("ollama:any", url=server.url))

Each turn of the script answers one request, and the last one answers all that follow. A turn is a list of pieces, of
which each is sent as one line, and faults; or a function that makes it from the request. `requests` has what was asked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

from notewell.llm.messages import Call, Piece, Text, Thinking

# Ends a hang that would be a failure; no test waits for it.
GUARD = 30.0


@dataclass(frozen=True)
class Stall:
    """Say nothing more, if it comes first not even a status, and keep the connection open until the client is gone."""


@dataclass(frozen=True)
class Cut:
    """Close the connection in the middle of the answer; if `clean`, as if it were complete."""

    clean: bool = False


@dataclass(frozen=True)
class Raw:
    """Send these bytes as they are, instead of a line of the protocol, as often as told."""

    data: bytes
    times: int = 1


@dataclass(frozen=True)
class Endless:
    """Send the same text again and again until the client is gone, with a pause of some seconds between."""

    text: str = "and so on "
    pause: float = 0.0


@dataclass(frozen=True)
class Status:
    """Refuse the request with a status and a body; must be the first of its turn."""

    status: int
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Length:
    """End the answer because it is too long."""


HTML = Raw(b"<!DOCTYPE html>\n<html><body>It works!</body></html>\n")
GARBAGE = Raw(b"\x00\xff}{ not json\n")
HUGE = Raw(b" " * 999_999 + b"\n", 40)

Step = Piece | Stall | Cut | Raw | Endless | Status | Length


@dataclass(frozen=True)
class Asked:
    """A request that the server got."""

    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any] = field(default_factory=dict)


Turn = Sequence[Step] | Callable[[Asked], Sequence[Step]]


class ScriptedServer(ThreadingHTTPServer):
    """Answers `/api/chat`, `/v1/chat/completions`, `/api/tags` and `/v1/models`."""

    daemon_threads = True

    def __init__(self, *script: Turn) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.script: list[Turn] = list(script)
        self.requests: list[Asked] = []
        # As Ollama lists them; a model that is asked for and not listed is missing, if any are listed.
        self.models: list[dict[str, Any]] = []
        # What `/api/tags` and `/v1/models` do instead of listing models.
        self.lists: Stall | Status | Raw | None = None
        self.takes_tools = True
        # Whether thinking is written into the text between tags, and whether `stream` is obeyed.
        self.inline_thinking = False
        self.streams = True
        # Set when an answer found its client gone, and when one has begun.
        self.dropped, self.begun = Event(), Event()
        self._thread = Thread(target=self.serve_forever, args=[0.01])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    def next_turn(self, asked: Asked) -> Sequence[Step]:
        """Return the next turn; the last one is repeated."""
        turn = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return turn(asked) if callable(turn) else turn

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client had enough."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: ScriptedServer
    answers = False

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.requests.append(Asked(self.path, dict(self.headers)))
        lists, models = self.server.lists, self.server.models
        if isinstance(lists, Stall):
            self.wait_for_the_client_to_go()
        elif isinstance(lists, Status):
            self.refuse(lists)
        elif isinstance(lists, Raw):
            self.refuse(Status(200, lists.data.decode()))
        elif self.path == "/api/tags":
            self.refuse(Status(200, json.dumps({"models": models})))
        else:
            self.refuse(Status(200, json.dumps({"data": [{"id": model.get("name")} for model in models]})))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, dict(self.headers), body)
        self.server.requests.append(asked)
        names = [model.get("name") for model in self.server.models]
        if names and body["model"] not in names:
            return self.refuse(Status(404, json.dumps({"error": f"model '{body['model']}' not found"})))
        if body.get("tools") and not self.server.takes_tools:
            return self.refuse(Status(400, json.dumps({"error": f"{body['model']} does not support tools"})))
        turn = self.server.next_turn(asked)
        if turn and isinstance(turn[0], Status):
            return self.refuse(turn[0])
        dialect = _Ollama() if self.path == "/api/chat" else _OpenAI()
        pieces = _inlined(turn) if self.server.inline_thinking else turn
        if not self.server.streams:
            return self.refuse(Status(200, dialect.whole(pieces)))
        return self.play(pieces, dialect)

    def play(self, turn: Sequence[Step], dialect: _Ollama | _OpenAI) -> None:
        """Send a turn piece by piece."""
        for step in turn:
            if isinstance(step, Stall):
                return self.wait_for_the_client_to_go()
            if isinstance(step, Endless):
                return self.repeat(dialect.line(Text(step.text)), step.pause)
            if isinstance(step, Cut):
                self.close_connection = True
                return self.chunk(b"") if step.clean else None
            if isinstance(step, Raw):
                for _ in range(step.times):
                    self.chunk(step.data)
            elif isinstance(step, Piece):
                self.chunk(dialect.line(step))
        if not any(isinstance(step, Raw) for step in turn):
            self.chunk(dialect.end("length" if Length() in turn else "stop"))
        return self.chunk(b"")

    def chunk(self, data: bytes) -> None:
        if not self.answers:
            self.answers = True
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        try:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        except OSError:
            self.server.dropped.set()
            raise

    def repeat(self, line: bytes, pause: float) -> None:
        with suppress(OSError):
            while True:
                self.chunk(line)
                self.server.begun.set()
                time.sleep(pause)

    def wait_for_the_client_to_go(self) -> None:
        self.close_connection = True
        self.server.begun.set()
        self.connection.settimeout(GUARD)
        # A client that goes before it has read everything resets the connection.
        with suppress(ConnectionError):
            assert self.connection.recv(1) == b""
        self.server.dropped.set()

    def refuse(self, status: Status) -> None:
        data = status.body.encode()
        self.send_response(status.status)
        for name, value in (("Content-Length", str(len(data))), *status.headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class _Ollama:
    """Lines of JSON."""

    def line(self, *pieces: Piece) -> bytes:
        return self._line({"message": self._message(pieces), "done": False})

    def end(self, how: str) -> bytes:
        return self._line({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": how})

    def whole(self, turn: Sequence[Step]) -> str:
        pieces = [step for step in turn if isinstance(step, Piece)]
        return json.dumps({"message": self._message(pieces), "done": True, "done_reason": "stop"})

    def _message(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        calls = [
            {"function": {"name": piece.name, "arguments": json.loads(piece.arguments)}}
            for piece in pieces
            if isinstance(piece, Call)
        ]
        message: dict[str, Any] = {"role": "assistant", "content": _joined(pieces, Text)}
        if thinking := _joined(pieces, Thinking):
            message["thinking"] = thinking
        return {**message, "tool_calls": calls} if calls else message

    def _line(self, message: dict[str, Any]) -> bytes:
        return json.dumps({"model": "any", **message}).encode() + b"\n"


class _OpenAI:
    """Server-sent events; a call comes in three of them, as with OpenAI."""

    def __init__(self) -> None:
        self._calls = 0

    def line(self, piece: Piece) -> bytes:
        return b"".join(
            self._event({"index": 0, "delta": delta, "finish_reason": None}) for delta in self._parts(piece)
        )

    def end(self, how: str) -> bytes:
        return self._event({"index": 0, "delta": {}, "finish_reason": how}) + b"data: [DONE]\n\n"

    def whole(self, turn: Sequence[Step]) -> str:
        pieces = [step for step in turn if isinstance(step, Piece)]
        calls = [
            {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": piece.arguments}}
            for piece in pieces
            if isinstance(piece, Call)
        ]
        message = {
            "role": "assistant",
            "content": _joined(pieces, Text),
            "reasoning_content": _joined(pieces, Thinking),
            "tool_calls": calls,
        }
        return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}, indent=2)

    def _parts(self, piece: Piece) -> Iterator[dict[str, Any]]:
        if isinstance(piece, Text):
            yield {"content": piece.text}
        elif isinstance(piece, Thinking):
            yield {"reasoning_content": piece.text}
        else:
            index, middle = self._calls, len(piece.arguments) // 2
            self._calls += 1
            yield {"tool_calls": [{"index": index, "id": piece.id, "function": {"name": piece.name, "arguments": ""}}]}
            for part in (piece.arguments[:middle], piece.arguments[middle:]):
                yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}

    def _event(self, choice: dict[str, Any]) -> bytes:
        return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode()


def _joined(pieces: Sequence[Piece], kind: type[Text] | type[Thinking]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, kind))


def _inlined(turn: Sequence[Step]) -> list[Step]:
    """Return a turn whose thinking is in the text, in tags that are cut in two."""
    steps: list[Step] = []
    for step in turn:
        if isinstance(step, Thinking):
            steps += [Text("<th"), Text(f"ink>{step.text}</"), Text("think>\n\n")]
        else:
            steps.append(step)
    return steps

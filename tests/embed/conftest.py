"""A server with the interfaces of Ollama and OpenAI, over real HTTP, that can fail in many ways."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

Rows = list[list[Any]]


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    model: str
    texts: list[str]


class Server(ThreadingHTTPServer):
    """Answers with the vectors of the words embedder; a fault is taken from `faults` for each request, or `always`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Request] = []
        self.faults: deque[str] = deque()
        self.always = ""
        self.closing = Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client had enough."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, dict(self.headers), message["model"], message["input"])
        self.server.requests.append(request)
        fault = self.server.faults.popleft() if self.server.faults else self.server.always
        if fault.partition(" ")[0].isdecimal():
            status, _, text = fault.partition(" ")
            self.send(int(status), text or json.dumps({"error": "the server is tired"}))
        elif fault in BREAKS:
            BREAKS[fault](self, request)
            self.close_connection = True
        else:
            rows = vectors(request.texts)
            self.send(200, self.body(CHANGES[fault](rows) if fault in CHANGES else rows, fault))

    def body(self, rows: Rows, fault: str) -> str:
        if fault in BODIES:
            return BODIES[fault]
        if self.path == "/api/embed":
            return json.dumps({"model": "any", "embeddings": rows})
        items = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
        if fault == "the same index twice":
            items[-1]["index"] = 0
        return json.dumps({"object": "list", "data": items[::-1]})

    def send(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        wait = {"Retry-After": "7"} if status == 429 else {}
        for name, value in {"Content-Length": str(len(data)), **wait, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def vectors(texts: list[str]) -> Rows:
    from notewell.embed.words import WordsEmbedder  # noqa: PLC0415

    # Not of length 1: scaling is left to the client.
    rows: Rows = (3 * WordsEmbedder().embed(texts)).tolist()
    return rows


def trickle(handler: Handler, request: Request) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.closing.wait(0.02):
        handler.wfile.write(b"X-More: 1\r\n")


def trickle_and_close(handler: Handler, request: Request) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while not handler.server.closing.wait(0.02):
        handler.wfile.write(b" ")


def huge(handler: Handler, request: Request) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(40):
        handler.wfile.write(b" " * 1_000_000)


BREAKS: dict[str, Callable[[Handler, Request], Any]] = {
    "slow": lambda handler, _: handler.server.closing.wait(10),
    "trickle": trickle,
    "trickle and close": trickle_and_close,
    "huge": huge,
    "closed": lambda handler, _: None,
    "half": lambda handler, _: handler.send(200, '{"embeddings": [[0.1, 0.2', {"Content-Length": "5000"}),
    "half of chunks": lambda handler, _: handler.wfile.write(
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"embeddi\r\n'
    ),
    "not HTTP": lambda handler, _: handler.wfile.write(b"220 mail.example.org ESMTP ready\r\n"),
    "redirect": lambda handler, _: handler.send(307, "", {"Location": f"{handler.server.url}/elsewhere"}),
    "echo": lambda handler, request: handler.send(400, json.dumps({"error": f"bad input: {request.texts[0]}"})),
    "echo of the key": lambda handler, request: handler.send(403, f"no: {request.headers['Authorization']}"),
}
CHANGES: dict[str, Callable[[Rows], Rows]] = {
    "another dimension": lambda rows: [row[:5] for row in rows],
    "varying dimension": lambda rows: [row[: 5 + number] for number, row in enumerate(rows)],
    "far too long": lambda rows: [row * 1_000 for row in rows],
    "too few": lambda rows: rows[1:],
    "too many": lambda rows: [*rows, rows[0]],
    "no numbers": lambda rows: [[str(number) for number in row] for row in rows],
    "truth": lambda rows: [[True for _ in row] for row in rows],
    "empty vectors": lambda rows: [[] for _ in rows],
    "a text for a vector": lambda rows: ["0.1" for _ in rows],  # type: ignore[misc]
    "not a number": lambda rows: [[float("nan"), *row[1:]] for row in rows],
    "infinite": lambda rows: [[float("inf"), *row[1:]] for row in rows],
    "too large for a float": lambda rows: [[10**400, *row[1:]] for row in rows],
    "squares are infinite": lambda rows: [[1e300, *row[1:]] for row in rows],
}
BODIES = {
    "garbage": "<html>It works!</html>",
    "nothing": "",
    "no object": "[1, 2, 3]",
    "null": "null",
    "another object": '{"data": {"embedding": 1}, "embeddings": 3}',
    "deep": "[" * 100_000,
    "1e999": '{"embeddings": [[1e999]], "data": [{"index": 0, "embedding": [1e999]}]}',
}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()

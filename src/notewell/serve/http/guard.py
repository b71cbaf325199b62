"""The guard in front of every route: who may send requests, how large, how often and how slowly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import field
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from notewell.frozen import frozen
from notewell.serve.http.access import Allowed, Rate, Sessions, bearer, has_token, plain_address
from notewell.serve.http.mounted import Mounted
from notewell.serve.http.problems import INTERNAL, Problem
from notewell.serve.mistakes import describe_mistake
from notewell.serve.web.shell import LOGIN, is_public

# Needs no token, as the files of the page do: it says only that there is a server.
OPEN_PATH = "/health"
# Whether a request may search: it has the token, or needs none. A key of its scope.
TRUSTED = "notewell.trusted"
SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
CORS_METHODS = ("GET", "POST", "DELETE")
CORS_HEADERS = ("authorization", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id")
CORS_EXPOSED = ("mcp-session-id", "retry-after")


@frozen
class Limits:
    """How large a request may be, and how long the server waits for a client."""

    # Longer than any query. The server reads no more than this of a request line and its headers.
    header_bytes: int = 32_000
    # An MCP message with a memory of 100,000 characters, most of them escaped.
    body_bytes: int = 1 << 20
    # Of a larger one, this much is read and dropped before the refusal, which a client that still sends would not see.
    dropped_bytes: int = 16 << 20
    dropped_seconds: float = 1.0
    # For the request line and headers, for the body, and for a client that does not read the answer.
    request_seconds: float = 8.0
    body_seconds: float = 10.0
    write_seconds: float = 30.0
    # More than the tools and browser tabs of one user open.
    connections: int = 128


@frozen
class GuardRules:
    """Which requests are accepted: by names and pages, the hash of a required token, rate, limits and logins."""

    allowed: Allowed = Allowed()
    digest: str = ""
    rate: float = 0.0
    limits: Limits = Limits()
    sessions: Sessions = field(default_factory=Sessions)


class Guard:
    """An ASGI application around another one, which never sees a refused request."""

    def __init__(
        self,
        app: ASGIApp,
        rules: GuardRules,
        log: Callable[[str], None] | None = None,
        detailed: Sequence[Mounted] = (),
    ) -> None:
        self.limits = rules.limits
        self._app = app
        self._allowed = rules.allowed
        self._digest = rules.digest
        self._rate = Rate(rules.rate)
        self._sessions = rules.sessions
        self._log = log
        self._detailed = detailed
        self._shared = CORSMiddleware(
            self._admit,
            allow_origins=rules.allowed.origins,
            allow_methods=CORS_METHODS,
            allow_headers=CORS_HEADERS,
            expose_headers=CORS_EXPOSED,
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer, began = SafeSend(send), time.perf_counter()
            try:
                if problem := self._refuse_sender(Request(scope)):
                    await self._refuse(problem, scope, receive, answer)
                else:
                    # Only pages that may read our answers get this far: it answers their preflights, and marks every
                    # other answer, also a refusal, as readable to them.
                    await self._shared(scope, receive, answer)
            finally:
                if self._log:
                    took = (time.perf_counter() - began) * 1000
                    status = answer.status or "-"
                    self._log(f"{_address(scope)} {scope['method']} {_route(scope)} {status} {took:.1f} ms")

    def _refuse_sender(self, request: Request) -> Problem | None:
        """Return why this sender is refused, or None; the cheapest checks come first."""
        if _size(request) > self.limits.header_bytes:
            fact = f"The request is longer than {self.limits.header_bytes:,} bytes"
            return Problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, fact, "Send a shorter query")
        if {"content-length", "transfer-encoding"} <= set(request.headers):
            # Two servers in a row could disagree about where such a request ends and the next one begins.
            fact = "The request has both Content-Length and Transfer-Encoding"
            return Problem(HTTPStatus.BAD_REQUEST, fact, "Send one of them")
        if not self._allowed.is_host(request):
            hint = "Use the address that `notewell serve` printed, or start it with --allow-host NAME"
            return Problem(HTTPStatus.MISDIRECTED_REQUEST, "The Host header names another server", hint)
        if not self._allowed.is_page(request):
            hint = "Start `notewell serve` with --allow-origin if this page may read your notes"
            return Problem(HTTPStatus.FORBIDDEN, "The request comes from a web page of another site", hint)
        return None

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check rate, token and body, then let the application answer."""
        request = Request(scope, receive)
        try:
            body = self._refuse_rate(request) or self._refuse_token(request) or await self._read_body(request)
        except ClientDisconnect:
            return
        if isinstance(body, Problem):
            await self._refuse(body, scope, receive, send)
        else:
            scope[TRUSTED] = self._may_search(request)
            await self._answer(scope, replay(body, receive), send)

    def _refuse_rate(self, request: Request) -> Problem | None:
        wait = self._rate.wait(_address(request.scope), time.monotonic())
        again = {"retry-after": str(int(wait) + 1)}
        too_many = Problem(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests", "Try again in a moment", again)
        return too_many if wait else None

    def _refuse_token(self, request: Request) -> Problem | None:
        path = request.scope["path"]
        if path == OPEN_PATH or is_public(request.scope) or self._may_search(request):
            return None
        if path == LOGIN and self._sessions.redeem(bearer(request)):
            return None
        fact = "The token is wrong" if bearer(request) else "A token is required"
        hint = "Send the header 'Authorization: Bearer TOKEN'; `notewell serve --new-token` creates one"
        return Problem(HTTPStatus.UNAUTHORIZED, fact, hint, {"www-authenticate": "Bearer"})

    def _may_search(self, request: Request) -> bool:
        return not self._digest or has_token(request, self._digest) or self._sessions.knows(request)

    async def _read_body(self, request: Request) -> bytes | Problem:
        """Return the whole body, or why it is refused: it is too large, or comes too slowly."""
        limits, body = self.limits, bytearray()
        fact = f"The body is longer than {limits.body_bytes:,} bytes"
        too_large = Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, fact, "Send less")
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and (len(announced) > 9 or int(announced) > limits.body_bytes):
            if len(announced) <= 9 and int(announced) <= limits.dropped_bytes:
                await self._drop_body(request)
            return too_large
        try:
            async with asyncio.timeout(limits.body_seconds):
                async for part in request.stream():
                    body += part
                    if len(body) > limits.body_bytes:
                        break
                else:
                    return bytes(body)
        except TimeoutError:
            fact = f"The body did not arrive within {limits.body_seconds:.0f} seconds"
            return Problem(HTTPStatus.REQUEST_TIMEOUT, fact, "Send it at once")
        await self._drop_body(request)
        return too_large

    async def _drop_body(self, request: Request) -> None:
        """Read what is left of a body that is refused, up to a limit."""
        left = self.limits.dropped_bytes
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.dropped_seconds):
                async for part in _parts(request):
                    left -= len(part)
                    if left < 0:
                        return

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; an error that it did not expect reveals nothing of where it happened."""
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # the edge: nothing above could act on it
            if self._log:
                self._log(f"error: {describe_mistake(error)}")
            if not started:
                await self._refuse(INTERNAL, scope, receive, send)

    async def _refuse(self, problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
        detailed = any(one.answers(scope.get("path", "")) for one in self._detailed)
        # The rest of the request may be unread, so the connection cannot be used again.
        await problem.response({"connection": "close"}, detailed=detailed)(scope, receive, send)


class SafeSend:
    """Sends an answer with the headers that keep it from being cached, framed or misread; remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        """Send a message on."""
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            headers = MutableHeaders(scope=message)
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


async def _parts(request: Request) -> AsyncIterator[bytes]:
    """Yield the parts of a body that were not read yet; `Request.stream` can be asked only once."""
    more = True
    while more:
        message = await request.receive()
        yield message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)


def is_trusted(scope: Scope) -> bool:
    """Tell whether the guard knows that a request may search the vault."""
    return bool(scope.get(TRUSTED))


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first returns a body that was read already."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def hand_out() -> Message:
        return left.pop() if left else await receive()

    return hand_out


def _size(request: Request) -> int:
    """Return the bytes of a request line and its headers."""
    path, query = request.scope.get("raw_path") or b"", request.scope["query_string"]
    return len(path) + len(query) + sum(len(name) + len(value) for name, value in request.headers.raw)


def _address(scope: Scope) -> str:
    return plain_address((scope.get("client") or ("",))[0])


def _route(scope: Scope) -> str:
    """Return the route that answered, as published: the path itself would contain what was asked."""
    return str(getattr(scope.get("route"), "path", "-"))

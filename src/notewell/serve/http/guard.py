"""The guard before every route, and what is mounted beside them: who may ask, how much, how often and how slowly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from notewell.serve.http.callers import Allowed, Caller
from notewell.serve.http.problems import INSIDE, INSIDE_HINT, Problem
from notewell.serve.http.rate import Rate
from notewell.serve.http.token import is_token
from notewell.serve.mistakes import told_mistake

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

# Longer than any question; the server reads no more than this of a request without its body.
MOST_HEADER_BYTES = 32_000
# A message of an agent, with a memory of 100,000 characters in it, most of them escaped.
MOST_BODY_BYTES = 1 << 20
# A body that is not here by then does not come.
BODY_SECONDS = 10.0
# Says only that there is a server, and needs no token.
OPEN_PATH = "/health"
# For as long as a browser may remember what a page of another's may do, in seconds.
PREFLIGHT_SECONDS = 600

SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
PREFLIGHT_HEADERS = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id",
    "access-control-max-age": str(PREFLIGHT_SECONDS),
}
# What a page of another's may read of an answer's headers.
EXPOSED = b"mcp-session-id, retry-after"


@dataclass(frozen=True, slots=True)
class GuardRules:
    """Whom to let in: names and pages, the hash of the token if one is needed, and requests a second (0: any)."""

    allowed: Allowed = Allowed()
    digest: str = ""
    rate: float = 0.0


class Guard:
    """An ASGI application around another: what it refuses never reaches that one."""

    def __init__(self, app: App, rules: GuardRules, log: Callable[[str], None] | None = None) -> None:
        self._app = app
        self._allowed = rules.allowed
        self._digest = rules.digest
        self._rate = Rate(rules.rate)
        self._log = log

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            caller, began = Caller.of(scope), time.perf_counter()
            answer = Answer(send, self._shared_with(caller))
            try:
                await self._let_in(caller, scope, receive, answer)
            finally:
                if self._log:
                    took = (time.perf_counter() - began) * 1000
                    self._log(f"{caller.address} {caller.method} {_route(scope)} {answer.status or '-'} {took:.1f} ms")

    async def _let_in(self, caller: Caller, scope: MutableMapping[str, Any], receive: Receive, answer: Answer) -> None:
        if refused := self._refuse(caller):
            await answer.refuse(refused)
            return
        if self._is_preflight(caller):
            await answer.allow(_preflight_headers(caller))
            return
        body = await _body(caller, receive)
        if isinstance(body, Problem):
            await answer.refuse(body)
        elif body is not None:
            await self._ask(scope, _again(body, receive), answer)

    async def _ask(self, scope: MutableMapping[str, Any], receive: Receive, answer: Answer) -> None:
        """Let the application answer; what it did not foresee is told without a word of where."""
        try:
            await self._app(scope, receive, answer)
        except Exception as error:  # the edge: nothing above could act on it
            if self._log:
                self._log(f"error: {told_mistake(error)}")
            if not answer.status:
                await answer.refuse(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, INSIDE, INSIDE_HINT))

    def _refuse(self, caller: Caller) -> Problem | None:
        """Return why a request is refused, or nothing; the cheapest reasons first, and the token last."""
        if caller.size > MOST_HEADER_BYTES:
            return Problem(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"The request is longer than {MOST_HEADER_BYTES:,} bytes",
                "Ask with fewer words",
            )
        if {b"content-length", b"transfer-encoding"} <= caller.headers.keys():
            # Two servers in a row could disagree where such a request ends, and where the next begins.
            fact = "The request has both Content-Length and Transfer-Encoding"
            return Problem(HTTPStatus.BAD_REQUEST, fact, "Send one of them")
        if not self._allowed.is_host(caller):
            hint = "Use the address that `notewell serve` printed, or start it with --allow-host NAME"
            return Problem(HTTPStatus.MISDIRECTED_REQUEST, "The Host header names another server", hint)
        if not self._allowed.is_page(caller):
            hint = "Start `notewell serve` with --allow-origin if that page may read your notes"
            return Problem(HTTPStatus.FORBIDDEN, "A page of another site asks", hint)
        if wait := self._rate.wait(caller.address, time.monotonic()):
            again = {"retry-after": str(int(wait) + 1)}
            return Problem(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests", "Ask again in a moment", again)
        return self._without_token(caller)

    def _without_token(self, caller: Caller) -> Problem | None:
        is_open = caller.path == OPEN_PATH or self._is_preflight(caller)
        if not self._digest or is_open or is_token(caller.bearer, self._digest):
            return None
        fact = "The token is wrong" if caller.bearer else "A token is needed"
        hint = "Send the header 'Authorization: Bearer TOKEN'; `notewell serve --new-token` makes one"
        return Problem(HTTPStatus.UNAUTHORIZED, fact, hint, {"www-authenticate": "Bearer"})

    def _is_preflight(self, caller: Caller) -> bool:
        """Tell whether a browser asks whether a page may ask, and it may."""
        asks = caller.method == "OPTIONS" and b"access-control-request-method" in caller.headers
        return asks and self._allowed.is_guest(caller)

    def _shared_with(self, caller: Caller) -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers by which a page that may ask can read the answer."""
        if not self._allowed.origins:
            return ()
        vary = (b"vary", b"Origin")
        if not self._allowed.is_guest(caller):
            return (vary,)
        origin = (b"access-control-allow-origin", caller.headers[b"origin"])
        return (vary, origin, (b"access-control-expose-headers", EXPOSED))


class Answer:
    """What goes back to a client: every answer gets the headers that keep it where it belongs."""

    def __init__(self, send: Send, more: tuple[tuple[bytes, bytes], ...]) -> None:
        self._send = send
        self._more = more
        self.status = 0

    async def __call__(self, message: Message) -> None:
        """Send a message on."""
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            own = list(message.get("headers", ()))
            names = {name.lower() for name, _ in own}
            safe = [pair for pair in SAFE_HEADERS if pair[0] not in names]
            message = {**message, "headers": [*own, *safe, *self._more]}
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer without having asked anyone; a connection whose request was not read to its end is of no more use."""
        own = {"content-type": "application/json", "connection": "close", "content-length": str(len(problem.body))}
        await self._tell(problem.status, {**problem.headers, **own}, problem.body)

    async def allow(self, headers: Mapping[str, str]) -> None:
        """Answer a browser that a page may ask, and by which headers."""
        await self._tell(HTTPStatus.NO_CONTENT, headers)

    async def _tell(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": int(status), "headers": pairs})
        await self({"type": "http.response.body", "body": body})


def _preflight_headers(caller: Caller) -> dict[str, str]:
    private = b"access-control-request-private-network" in caller.headers
    more = {"access-control-allow-private-network": "true"} if private else {}
    return {**PREFLIGHT_HEADERS, **more}


async def _body(caller: Caller, receive: Receive) -> bytes | Problem | None:
    """Return a request's body, all of it, or why it is refused; nothing if the client went away."""
    large = Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is longer than {MOST_BODY_BYTES:,} bytes", "Send less"
    )
    announced = caller.said(b"content-length")
    if announced.isdigit() and (len(announced) > 9 or int(announced) > MOST_BODY_BYTES):
        return large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > MOST_BODY_BYTES:
                    return large
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        hint = "Send it at once"
        return Problem(HTTPStatus.REQUEST_TIMEOUT, f"The body did not come within {BODY_SECONDS:.0f} seconds", hint)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what hands a body out that was read already, and then whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def hand_out() -> Message:
        return left.pop() if left else await receive()

    return hand_out


def _route(scope: MutableMapping[str, Any]) -> str:
    """Return the route that answered, as it is published: what stands in its place in a path is what was asked."""
    return str(getattr(scope.get("route"), "path", "-"))

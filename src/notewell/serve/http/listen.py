"""Listens for connections, closes slow ones, and runs the server until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http import HTTPStatus
from threading import Thread
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from notewell.errors import SettingsError
from notewell.serve.http.access import is_loopback
from notewell.serve.http.guard import Guard, Limits
from notewell.serve.http.problems import Problem
from notewell.vault import Vault

# An idle connection is closed after this many seconds.
IDLE_SECONDS = 5
# Requests in progress get this many seconds when the server is stopped.
GRACE_SECONDS = 3
BACKLOG = 128
# How often a server that is to stop is asked whether it has begun.
LOOK_SECONDS = 0.05


@contextmanager
def bound(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Yield sockets that listen on every address of the host; port 0 picks a free one."""
    with ExitStack() as stack:
        yield [stack.enter_context(one) for one in bind(host, port)]


def bind(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of the host, all on one port."""
    sockets: list[socket.socket] = []
    try:
        for family, address in dict.fromkeys(_addresses(host, port)):
            sockets.append(_listening(family, address, sockets[0].getsockname()[1] if sockets else port))
    except (OSError, UnicodeError) as error:
        for one in sockets:
            one.close()
        raise _cannot_listen(host, port, error) from error
    return sockets


def _cannot_listen(host: str, port: int, error: OSError | UnicodeError) -> SettingsError:
    """Return an error that says whether the address or the port is the problem."""
    if isinstance(error, (socket.gaierror, UnicodeError)) or error.errno == errno.EADDRNOTAVAIL:
        fact = f"'{host}' is not an address of this machine"
        return SettingsError(fact, "Set --host to 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses")
    hint = "Stop the program that uses it, or set --host or --port; port 0 picks a free one"
    return SettingsError(f"Cannot listen on port {port} at {host}: {error.strerror or error}", hint)


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return [(family, str(address[0])) for family, *_, address in found]


def _listening(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # With the protocol given, asyncio sets TCP_NODELAY; else answers wait 40 ms for the client's acknowledgement.
    one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # On Windows, SO_REUSEADDR would let another program take the port over.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind((address, port))
        # Whoever reads the printed address can connect at once.
        one.listen(BACKLOG)
    except OSError:
        one.close()
        raise
    return one


def only_here(sockets: Sequence[socket.socket]) -> bool:
    """Tell whether only this machine can reach the sockets."""
    return all(is_loopback(str(one.getsockname()[0])) for one in sockets)


def address_of(one: socket.socket) -> str:
    """Return a socket's address as a URL that answers; for one that listens on all addresses, that of this machine."""
    host, port = one.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class ImpatientProtocol(H11Protocol):
    """HTTP on one connection, closed when there are too many, or its client neither sends nor reads in time."""

    def __init__(
        self,
        limits: Limits,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self._awaiting: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        # What the client is expected to do, and since when.
        self._state: object = None
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many connections already."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections and not self._close_waiting():
            hint = "Close some, or try again in a moment"
            self._refuse(Problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections", hint))
            return
        self._time()

    def _close_waiting(self) -> bool:
        """Close the connection that has waited longest for its client, and tell whether there is one."""
        others = [one for one in self.connections if isinstance(one, ImpatientProtocol) and one is not self]
        waiting = [one for one in others if one._waits_for_client]
        if not waiting:
            return False
        min(waiting, key=lambda one: one._since).transport.abort()
        return True

    @property
    def _waits_for_client(self) -> bool:
        """Tell whether the client has yet to send a request, or the rest of one, or to read its answer."""
        # One that is closed already is still among the connections until the loop goes on.
        return not self.transport.is_closing() and (self._state in (h11.IDLE, h11.SEND_BODY) or bool(self._writing))

    def data_received(self, data: bytes) -> None:
        """Read what arrived."""
        super().data_received(data)
        self._time()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        for timer in (self._awaiting, self._writing):
            if timer:
                timer.cancel()

    def pause_writing(self) -> None:
        """Give a client that does not read a limited time."""
        super().pause_writing()
        self._since = self.loop.time()
        self._writing = self.loop.call_later(self._limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        if self._writing:
            self._writing.cancel()
            self._writing = None

    def send_400_response(self, msg: str) -> None:
        """Refuse anything that is not HTTP."""
        self._refuse(Problem(HTTPStatus.BAD_REQUEST, "This is not an HTTP request, or it is too long", "Send it again"))

    def _time(self) -> None:
        """Start the timer while a request is awaited, and stop it once one has arrived."""
        if self.conn.their_state is not self._state:
            self._state, self._since = self.conn.their_state, self.loop.time()
        awaited = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if awaited and self._awaiting is None:
            self._awaiting = self.loop.call_later(self._limits.request_seconds, self._give_up)
        elif not awaited and self._awaiting is not None:
            self._awaiting.cancel()
            self._awaiting = None

    def _give_up(self) -> None:
        fact = f"The request did not arrive within {self._limits.request_seconds:.0f} seconds"
        self._refuse(Problem(HTTPStatus.REQUEST_TIMEOUT, fact, "Send it at once"))

    def _refuse(self, problem: Problem) -> None:
        """Write a response by hand, since h11 may be in no state to send one, and close the connection."""
        if self.transport.is_closing():
            return
        status = HTTPStatus(problem.status)
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\nconnection: close\r\n"
            f"content-length: {len(problem.body)}\r\n\r\n"
        )
        # In the middle of another answer, it would only spoil that one.
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(head.encode() + problem.body)
        self.transport.close()


class Server(uvicorn.Server):
    """A server that stops an indexing run as soon as it is stopped itself."""

    def __init__(self, app: Guard, vault: Vault) -> None:
        # uvicorn's own log is not for users: the guard and the command say what they should know.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=partial(ImpatientProtocol, app.limits),  # type: ignore[arg-type]
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                # The client is whoever is connected, whatever a header says.
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
                h11_max_incomplete_event_size=app.limits.header_bytes,
            )
        )
        self._vault = vault

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the current note; a second Ctrl-C stops at once."""
        self._vault.freshness.stop()
        super().handle_exit(sig, frame)

    def stop_after(self, wait: Callable[[], None]) -> None:
        """Wait for something beside the server, and stop it then; called in a thread of its own."""
        wait()
        while not self.started:
            time.sleep(LOOK_SECONDS)
        self._vault.freshness.stop()
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End requests in progress, and close every connection: uvicorn leaves those open whose time was up."""
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()
        # Sockets are closed in the next turn of the loop.
        await asyncio.sleep(0)


def serve(
    app: Guard, vault: Vault, sockets: Sequence[socket.socket], *, until: Callable[[], None] | None = None
) -> bool:
    """Serve until Ctrl-C, SIGTERM or the end of `until`, and leave nothing behind; tell whether it was Ctrl-C."""
    server, received = Server(app, vault), list[int]()
    if until:
        Thread(target=server.stop_after, args=(until,), daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn raises the signal again when it has ended.
        signal.signal(number, lambda number, _: received.append(number))
    try:
        server.run(list(sockets))
    finally:
        vault.freshness.close()
    return signal.SIGINT in received

"""Where the server listens, and how it runs until it is told to end."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType

import uvicorn

from notewell.errors import SettingsError
from notewell.serve.http.callers import is_loopback
from notewell.serve.http.guard import MOST_HEADER_BYTES, Guard
from notewell.serve.http.protocol import ImpatientProtocol
from notewell.serve.upkeep import Upkeep

# An idle connection is closed after so many seconds.
IDLE_SECONDS = 5
# Answers that are under way when the server is told to end get so many seconds.
GRACE_SECONDS = 3
WAITING = 128


@contextmanager
def bound(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Yield sockets that listen at every address of the host; port 0 takes any."""
    with ExitStack() as stack:
        yield [stack.enter_context(one) for one in bind(host, port)]


def bind(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen at every address of the host, all at one port."""
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
    """Return what is wrong with a place to listen at: its address is none, or none of this machine, or it is taken."""
    if isinstance(error, (socket.gaierror, UnicodeError)) or error.errno == errno.EADDRNOTAVAIL:
        fact = f"'{host}' is no address of this machine"
        return SettingsError(
            fact, "Name one with --host: 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses"
        )
    hint = "End what listens there, or name another place with --host or --port; port 0 takes any that is free"
    return SettingsError(f"Port {port} at {host} cannot be listened at: {error.strerror or error}", hint)


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return [(family, str(address[0])) for family, *_, address in found]


def _listening(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # With the protocol named, asyncio sends at once what it has; else answers wait 40 ms for the client's receipt.
    one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There, what is called reuse lets another program take the port over.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind((address, port))
        # Whoever reads the address that is printed can call at once.
        one.listen(WAITING)
    except OSError:
        one.close()
        raise
    return one


def only_here(sockets: Sequence[socket.socket]) -> bool:
    """Tell whether only this machine can reach the sockets."""
    return all(is_loopback(str(one.getsockname()[0])) for one in sockets)


def address_of(one: socket.socket) -> str:
    """Return a socket's address as one opens it."""
    host, port = one.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A server that ends a run of indexing as soon as it is told to end itself."""

    def __init__(self, app: Guard, upkeep: Upkeep) -> None:
        # Its own talk is not for users: what they should know, the guard and the command say.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=ImpatientProtocol,
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                # Who is asking is who is connected, whatever a header says.
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
                h11_max_incomplete_event_size=MOST_HEADER_BYTES,
            )
        )
        self._upkeep = upkeep

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End with the note at hand; a second Ctrl-C ends at once."""
        self._upkeep.stop()
        super().handle_exit(sig, frame)


def serve(app: Guard, upkeep: Upkeep, sockets: Sequence[socket.socket]) -> None:
    """Serve until Ctrl-C or a signal to end; then nothing of it is left."""
    server = Server(app, upkeep)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The server gives the signal on when it has ended; by then all is done.
        signal.signal(number, lambda *_: None)
    try:
        server.run(list(sockets))
    finally:
        upkeep.close()

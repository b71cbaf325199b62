"""One request over a connection of its own, with time limits; another thread can end it."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Timer
from typing import Literal

from notewell.frozen import frozen
from notewell.remote.address import ServerAddress

# Statuses after which a retry may succeed; every 5xx is another.
TEMPORARY = (408, 425, 429)

Cause = Literal["", "unreachable", "slow", "cut", "large"]


@frozen
class Answer:
    """The outcome of one try: a status and a body, or the reason why there is none."""

    status: int = 0
    body: bytes = b""
    retry_after: float = 0.0
    reason: str = ""
    final: bool = False
    cause: Cause = ""

    @property
    def is_temporary(self) -> bool:
        """Tell whether another try may succeed."""
        return not self.final and (not self.status or self.status in TEMPORARY or self.status >= 500)


@frozen
class Request:
    """What a server is asked."""

    method: str
    headers: dict[str, str]
    body: bytes | None = None


class Exchange:
    """A request and its answer, on a connection that both threads and time can end."""

    def __init__(
        self,
        address: ServerAddress,
        *,
        connect: float,
        silence: float,
        whole: float,
        dial: Callable[..., socket.socket] | None = None,
    ) -> None:
        """Prepare a request; `dial` connects in place of `socket.create_connection`."""
        # Follows no redirect and uses no proxy of the environment: the key goes to this address alone.
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(address.host, address.port, timeout=connect)
        if dial:
            # http.client connects by this, also for TLS, which still checks the name of the host.
            self._connection._create_connection = dial  # type: ignore[attr-defined]
        self._path = address.path
        self._silence = silence
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None
        # Held by a reader, so that nobody closes the socket under it.
        self.in_use = Lock()
        self._late, self._ended = Event(), Event()
        # A socket's own timeout restarts with every byte; a server that sends a byte now and then would never time out.
        self._watchdog = Timer(whole, self._expire)
        self._watchdog.daemon = True

    @property
    def is_late(self) -> bool:
        """Tell whether the time for the whole answer is over."""
        return self._late.is_set()

    @property
    def is_ended(self) -> bool:
        """Tell whether somebody ended it before its time."""
        return self._ended.is_set()

    def ask(self, request: Request) -> http.client.HTTPResponse:
        """Send the request, and return the response, whose body is still to be read."""
        self._connection.connect()
        # Kept, as http.client forgets it when a server announces that it will close the connection.
        self._socket = self._connection.sock
        self._socket.settimeout(self._silence)
        if self.is_ended:
            raise ConnectionAbortedError
        self._watchdog.start()
        self._connection.request(request.method, self._path, request.body, request.headers)
        self._response = self._connection.getresponse()
        return self._response

    def end(self) -> None:
        """End the exchange from any thread: a blocked read returns at once."""
        self._ended.set()
        self._hang_up()
        # Only a reader that is not there leaves the closing to others.
        if self.in_use.acquire(blocking=False):
            try:
                self.close()
            finally:
                self.in_use.release()

    def close(self) -> None:
        """Close the connection; only the thread that reads may do so."""
        self._watchdog.cancel()
        if self._response:
            self._response.close()
        self._connection.close()

    def failure(self, error: Exception, too_late: str) -> Answer:
        """Return an error as the outcome of a try; `too_late` says what the server did not do in time."""
        if isinstance(error, ssl.SSLCertVerificationError):
            return Answer(reason=f"is not trusted: {error.verify_message}", final=True)
        reached = self._socket is not None
        if self.is_late or isinstance(error, TimeoutError):
            return Answer(reason=too_late, cause="slow" if reached else "unreachable")
        if isinstance(error, ValueError):
            return Answer(reason=str(error), final=True, cause="large" if reached else "unreachable")
        return Answer(reason=_reason(error), cause="cut" if reached else "unreachable")

    def _expire(self) -> None:
        self._late.set()
        self._hang_up()

    def _hang_up(self) -> None:
        if self._socket:
            with suppress(OSError):
                # The plain socket's method: that of TLS would take the connection apart while it is read.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _reason(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "breaks off in the middle of its answer"
    if isinstance(error, ConnectionError) and not isinstance(error, ConnectionRefusedError):
        return "closes the connection without an answer"
    if isinstance(error, OSError):
        return f"cannot be reached: {error.strerror or type(error).__name__}"
    return "does not speak HTTP"

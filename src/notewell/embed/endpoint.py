"""One HTTP address that JSON is posted to: with time and size limits, retries, and no redirects, proxies or cookies."""

from __future__ import annotations

import http.client
import json
import math
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Timer
from typing import Any

from notewell.embed.rules import Key, ServerAddress
from notewell.errors import EmbedError

# More than twice what 64 vectors of 8,000 numbers take in the longest form JSON has for them.
MAX_BYTES = 32_000_000
# Statuses after which a retry may succeed; every 5xx is another.
TEMPORARY = (408, 425, 429)
# The longest delay that a server may ask for, in seconds.
MAX_DELAY = 60.0
# Characters of a server's message that are shown.
SHOWN = 200
# If a message shares this many characters in a row with the request, it quotes it.
ECHO = 12


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server may take, in seconds: each request, all requests of one call, and the delays before retries."""

    delays: tuple[float, ...] = (1.0, 2.0, 4.0)
    request: float = 30.0
    whole: float = math.inf
    # After a failure, calls fail at once for this long.
    rest: float = 0.0


# For a search, which finds words without any server.
HURRIED = Patience(delays=(), request=5.0, whole=5.0, rest=10.0)


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one try: a status and a body, or the reason why there is none."""

    status: int = 0
    body: bytes = b""
    retry_after: float = 0.0
    reason: str = ""
    final: bool = False

    @property
    def is_temporary(self) -> bool:
        """Tell whether another try may succeed."""
        return not self.final and (not self.status or self.status in TEMPORARY or self.status >= 500)


class Endpoint:
    """One path of one server."""

    def __init__(
        self,
        address: ServerAddress,
        *,
        name: str,
        hints: Callable[[int], str],
        key: Key,
        patience: Patience,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = address
        self._name = name
        self._hints = hints
        self._key = key
        self._patience = patience
        self._sleep = sleep
        self._failed: tuple[float, EmbedError] | None = None

    def post(self, message: dict[str, Any], *, secret: Sequence[str] = (), until: float = math.inf) -> Any:
        """Return the server's answer to a message; an error quotes none of the `secret` texts."""
        # Read once: another thread may change it.
        failed = self._failed
        if failed and time.monotonic() < failed[0] + self._patience.rest:
            raise failed[1]
        body = json.dumps(message).encode("ascii")
        for delay in (*self._patience.delays, None):
            answer = self._ask(body, min(self._patience.request, until - time.monotonic()))
            if answer.status == http.HTTPStatus.OK:
                return self._parse(answer.body)
            if delay is None or not answer.is_temporary:
                break
            self._sleep(max(delay, min(answer.retry_after, MAX_DELAY)))
        error = self.error(self._fact(answer, secret), answer.status)
        self._failed = (time.monotonic(), error) if answer.is_temporary else None
        raise error

    def error(self, fact: str, status: int = http.HTTPStatus.OK) -> EmbedError:
        """Return an error that names the server."""
        return EmbedError(f"{self._name} at {self._address} {fact}", self._hints(status))

    def _ask(self, body: bytes, seconds: float) -> Answer:
        """Return the outcome of one try, failures included."""
        if seconds <= 0:
            return Answer(reason=_too_late(self._patience.whole))
        late = Event()
        connection = self._connection(seconds)
        # A socket's own timeout restarts with every byte; a server that sends a byte now and then would never time out.
        watchdog = Timer(seconds, _hang_up, [connection, late])
        watchdog.daemon = True
        try:
            connection.connect()
            watchdog.start()
            connection.request("POST", self._address.path, body, self._headers())
            response = connection.getresponse()
            answer = Answer(response.status, _read(response), _seconds(response.getheader("Retry-After")))
            # If the connection is closed while headers arrive, the answer looks empty.
            return Answer(reason=_too_late(seconds)) if late.is_set() else answer
        except ssl.SSLCertVerificationError as error:
            return Answer(reason=f"is not trusted: {error.verify_message}", final=True)
        except (OSError, http.client.HTTPException) as error:
            timed_out = late.is_set() or isinstance(error, TimeoutError)
            return Answer(reason=_too_late(seconds) if timed_out else _reason(error))
        except ValueError as error:
            return Answer(reason=str(error), final=True)
        finally:
            watchdog.cancel()
            connection.close()

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        # Follows no redirect and uses no proxy of the environment: the key goes to this address alone.
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        return kind(self._address.host, self._address.port, timeout=seconds)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "notewell"}
        return {**headers, "Authorization": f"Bearer {self._key.reveal()}"} if self._key else headers

    def _parse(self, body: bytes) -> Any:
        try:
            return json.loads(body, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise self.error("answers with something that is not JSON") from error

    def _fact(self, answer: Answer, secret: Sequence[str]) -> str:
        delays = len(self._patience.delays)
        tries = f" (tried {delays + 1} times)" if answer.is_temporary and delays else ""
        if not answer.status:
            return f"{answer.reason}{tries}"
        if 300 <= answer.status < 400:
            return f"answers with {answer.status}, a redirect, which is not followed"
        message = _message(answer.body)
        quoted = "" if not message or self._repeats(message, secret) else f": {message}"
        return f"answers with {answer.status}{tries}{quoted}"

    def _repeats(self, message: str, secret: Sequence[str]) -> bool:
        """Tell whether a server's message quotes the key, or part of the texts that were sent."""
        # Even part of the key must not be shown, in either case.
        if self._key and _overlaps(message.lower(), self._key.reveal().lower()):
            return True
        pieces = {message[start : start + ECHO] for start in range(len(message) - ECHO + 1)}
        return any(
            any(piece in text for piece in pieces) or (len(text) < ECHO and text in message) for text in secret if text
        )


def _hang_up(connection: http.client.HTTPConnection, late: Event) -> None:
    late.set()
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _too_late(seconds: float) -> str:
    return f"does not answer within {seconds:.1f} s"


def _read(response: http.client.HTTPResponse) -> bytes:
    body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ValueError(f"answers with more than {MAX_BYTES:,} bytes")
    # When asked for a number of bytes, http.client accepts fewer than the server promised.
    if response.length:
        raise http.client.IncompleteRead(body, response.length)
    return body


def _reason(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "breaks off in the middle of its answer"
    if isinstance(error, ConnectionError) and not isinstance(error, ConnectionRefusedError):
        return "closes the connection without an answer"
    if isinstance(error, OSError):
        return f"cannot be reached: {error.strerror or type(error).__name__}"
    return "does not speak HTTP"


def _seconds(header: str | None) -> float:
    """Return the delay that a server asks for, in seconds; a date would depend on its clock."""
    return float(header) if header and header.strip().isdecimal() else 0.0


def _overlaps(message: str, secret: str) -> bool:
    """Tell whether a message contains a secret, or a recognisable part of it.

    >>> _overlaps("bad key abcdefghijklm…", "abcdefghijklmnop"), _overlaps("no such model", "abcdefghijklmnop")
    (True, False)
    """
    return secret in message or any(message[start : start + ECHO] in secret for start in range(len(message) - ECHO + 1))


def _message(body: bytes) -> str:
    """Return a server's error message as one short line.

    >>> _message(b'{"error": {"message": "no such\\\\nmodel"}}')
    'no such model'
    """
    try:
        message = json.loads(body)
        while isinstance(message, dict):
            message = next((message[key] for key in ("error", "message", "detail") if key in message), "")
    except (ValueError, RecursionError):
        message = body[: 4 * SHOWN].decode("utf-8", "replace")
    line = " ".join(str(message).split())
    return "".join(sign if sign.isprintable() else "?" for sign in line[:SHOWN])


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")

"""One HTTP address that is asked for JSON: with time and size limits, retries, and no redirects, proxies or cookies."""

from __future__ import annotations

import http.client
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from notewell.errors import NotewellError
from notewell.frozen import frozen
from notewell.remote.address import Key, ServerAddress
from notewell.remote.exchange import Answer, Exchange, Request

# More than twice what 64 vectors of 8,000 numbers take in the longest form JSON has for them.
MAX_BYTES = 32_000_000
# The longest delay that a server may ask for, in seconds.
MAX_DELAY = 60.0
# Characters of a server's message that are shown.
SHOWN = 200
# A server that answered, but not with what was asked for.
UNDERSTOOD = Answer(http.HTTPStatus.OK)
# If a message shares this many characters in a row with the request, it quotes it.
ECHO = 12


@frozen
class Patience:
    """How long a server may take, in seconds: each request, all requests of one call, and the delays before retries."""

    delays: tuple[float, ...] = (1.0, 2.0, 4.0)
    request: float = 30.0
    whole: float = math.inf
    # After a failure, calls fail at once for this long.
    rest: float = 0.0


# For a search, which finds words without any server.
HURRIED = Patience(delays=(), request=5.0, whole=5.0, rest=10.0)


@frozen
class Failures:
    """How the failures of a server are told: the error's class, the server's name, and a hint for each outcome."""

    kind: type[NotewellError]
    name: str
    hints: Callable[[Answer], str]


class Endpoint:
    """One path of one server."""

    def __init__(
        self,
        address: ServerAddress,
        *,
        failures: Failures,
        key: Key,
        patience: Patience,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self._failures = failures
        self._key = key
        self._patience = patience
        self._sleep = sleep
        self._failed: tuple[float, NotewellError] | None = None

    def post(self, message: dict[str, Any], *, secret: Sequence[str] = (), until: float = math.inf) -> Any:
        """Return the server's answer to a message; an error quotes none of the `secret` texts."""
        return self._answer(self.request(message), secret, until)

    def get(self, *, until: float = math.inf) -> Any:
        """Return what the server has at this path."""
        return self._answer(Request("GET", self._headers()), (), until)

    def request(self, message: dict[str, Any]) -> Request:
        """Return the request that posts a message."""
        return Request("POST", self._headers(), json.dumps(message).encode("ascii"))

    def error(self, fact: str, answer: Answer = UNDERSTOOD) -> NotewellError:
        """Return an error that names the server."""
        return self._failures.kind(f"{self._failures.name} at {self.address} {fact}", self._failures.hints(answer))

    def refusal(self, answer: Answer, secret: Sequence[str]) -> NotewellError:
        """Return the error of an answer that is none."""
        return self.error(self._fact(answer, secret), answer)

    def quoted(self, body: bytes, secret: Sequence[str]) -> str:
        """Return a server's message behind a colon; nothing if there is none, or if it repeats what was sent."""
        message = server_message(body)
        return "" if not message or self._repeats(message, secret) else f": {message}"

    def _answer(self, request: Request, secret: Sequence[str], until: float) -> Any:
        # Read once: another thread may change it.
        failed = self._failed
        if failed and time.monotonic() < failed[0] + self._patience.rest:
            raise failed[1]
        for delay in (*self._patience.delays, None):
            answer = self._ask(request, min(self._patience.request, until - time.monotonic()))
            if answer.status == http.HTTPStatus.OK:
                return self._parse(answer.body)
            if delay is None or not answer.is_temporary:
                break
            self._sleep(max(delay, min(answer.retry_after, MAX_DELAY)))
        error = self.refusal(answer, secret)
        self._failed = (time.monotonic(), error) if answer.is_temporary else None
        raise error

    def _ask(self, request: Request, seconds: float) -> Answer:
        """Return the outcome of one try, failures included."""
        if seconds <= 0:
            return Answer(reason=_too_late(self._patience.whole))
        exchange = Exchange(self.address, connect=seconds, silence=seconds, whole=seconds)
        try:
            response = exchange.ask(request)
            answer = Answer(response.status, _read(response), _seconds(response.getheader("Retry-After")))
            # If the connection is closed while headers arrive, the answer looks empty.
            return Answer(reason=_too_late(seconds)) if exchange.is_late else answer
        except (OSError, http.client.HTTPException, ValueError) as error:
            return exchange.failure(error, _too_late(seconds))
        finally:
            exchange.close()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "notewell"}
        return {**headers, "Authorization": f"Bearer {self._key.reveal()}"} if self._key else headers

    def _parse(self, body: bytes) -> Any:
        try:
            return parse_json(body)
        except ValueError as error:
            raise self.error("answers with something that is not JSON") from error

    def _fact(self, answer: Answer, secret: Sequence[str]) -> str:
        delays = len(self._patience.delays)
        tries = f" (tried {delays + 1} times)" if answer.is_temporary and delays else ""
        if not answer.status:
            return f"{answer.reason}{tries}"
        if 300 <= answer.status < 400:
            return f"answers with {answer.status}, a redirect, which is not followed"
        return f"answers with {answer.status}{tries}{self.quoted(answer.body, secret)}"

    def _repeats(self, message: str, secret: Sequence[str]) -> bool:
        """Tell whether a server's message quotes the key, or part of the texts that were sent."""
        # Even part of the key must not be shown, in either case.
        if self._key and _overlaps(message.lower(), self._key.reveal().lower()):
            return True
        pieces = {message[start : start + ECHO] for start in range(len(message) - ECHO + 1)}
        return any(
            any(piece in text for piece in pieces) or (len(text) < ECHO and text in message) for text in secret if text
        )


def parse_json(text: bytes) -> Any:
    """Return a JSON text's value; a ValueError if it is none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


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


def _seconds(header: str | None) -> float:
    """Return the delay that a server asks for, in seconds; a date would depend on its clock."""
    return float(header) if header and header.strip().isdecimal() else 0.0


def _overlaps(message: str, secret: str) -> bool:
    """Tell whether a message contains a secret, or a recognisable part of it.

    >>> _overlaps("bad key abcdefghijklm…", "abcdefghijklmnop"), _overlaps("no such model", "abcdefghijklmnop")
    (True, False)
    """
    return secret in message or any(message[start : start + ECHO] in secret for start in range(len(message) - ECHO + 1))


def server_message(body: bytes) -> str:
    """Return a server's error message as one short line.

    >>> server_message(b'{"error": {"message": "no such\\\\nmodel"}}')
    'no such model'
    """
    try:
        message = json.loads(body)
        while isinstance(message, dict):
            message = next((message[key] for key in ("error", "message", "detail") if key in message), "")
    except (ValueError, RecursionError):
        # A page for browsers says nothing that fits on a line.
        message = "" if body.lstrip().startswith(b"<") else body[: 4 * SHOWN].decode("utf-8", "replace")
    line = " ".join(str(message).split())
    return "".join(sign if sign.isprintable() else "?" for sign in line[:SHOWN])


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")

"""An answer whose lines are read as they come: limited in time and size, and ended from any thread."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

from notewell.frozen import frozen
from notewell.remote.address import ServerAddress
from notewell.remote.exchange import Answer, Exchange, Request

# Bytes of a refusal that are read: its message is at the beginning.
REFUSAL = 65_536


@frozen
class Limits:
    """How long a server may take, in seconds, and how much it may send, in bytes."""

    connect: float = 10.0
    # Between two bytes, and before the first one.
    silence: float = 60.0
    whole: float = 300.0
    line: int = 1_000_000
    # A token takes up to 300 bytes in a stream: this is more than 25,000 of them.
    total: int = 8_000_000


class Stream:
    """The lines of one answer. `open` it, then iterate; `failed` is the reason if it ended too early."""

    def __init__(self, address: ServerAddress, request: Request, limits: Limits) -> None:
        self._exchange = Exchange(address, connect=limits.connect, silence=limits.silence, whole=limits.whole)
        self._request = request
        self._limits = limits
        self._response: http.client.HTTPResponse | None = None
        self.failed: Answer | None = None

    @property
    def is_closed(self) -> bool:
        """Tell whether `close` ended it."""
        return self._exchange.is_ended

    def open(self) -> Answer:
        """Send the request and return the outcome: status 200, and the lines follow; or a refusal, or a failure."""
        with self._exchange.in_use:
            try:
                self._response = self._exchange.ask(self._request)
                status = self._response.status
                if status == http.HTTPStatus.OK and not self._exchange.is_late:
                    return Answer(status)
                answer = Answer(status, self._response.read(REFUSAL))
                if self._exchange.is_late:
                    answer = Answer(reason=self._too_late(), cause="slow")
            except (OSError, http.client.HTTPException, ValueError) as error:
                answer = self._exchange.failure(error, self._too_late())
            self._exchange.close()
            return answer

    def __iter__(self) -> Iterator[bytes]:
        """Yield each line without its end, until the answer ends, fails, or is closed."""
        total = 0
        try:
            while line := self._line(self._limits.total - total):
                total += len(line)
                yield line.strip()
        finally:
            self._exchange.close()

    def close(self) -> None:
        """End it from any thread; a blocked read returns at once."""
        self._exchange.end()

    def _line(self, left: int) -> bytes:
        """Return the next line, or nothing at the end."""
        limit = min(left, self._limits.line)
        with self._exchange.in_use:
            try:
                if self.is_closed or self._response is None:
                    return b""
                line = self._response.readline(limit + 1)
                if len(line) > limit:
                    raise ValueError(self._too_large(left))
                if self._exchange.is_late or (not line and _is_cut(self._response)):
                    raise http.client.IncompleteRead(line)
            except (OSError, http.client.HTTPException, ValueError) as error:
                # What a closed socket does to a reader is no failure.
                self.failed = None if self.is_closed else self._exchange.failure(error, self._too_late())
                self._exchange.close()
                return b""
            return line

    def _too_late(self) -> str:
        if self._exchange.is_late:
            return f"does not finish within {self._limits.whole:g} s"
        return f"says nothing for {self._limits.silence:g} s"

    def _too_large(self, left: int) -> str:
        if left < self._limits.line:
            return f"answers with more than {self._limits.total:,} bytes"
        return f"answers with a line of more than {self._limits.line:,} bytes"


def _is_cut(response: http.client.HTTPResponse) -> bool:
    """Tell whether an answer ended before its length, or before its last chunk, which http.client lets pass."""
    return bool(response.length) or (response.chunked and response.chunk_left is not None)

"""Connections that are not waited for: those too many, those whose request does not come, those that do not read."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from notewell.serve.http.problems import Problem

# A request line and its headers are here by then, or do not come.
REQUEST_SECONDS = 8.0
# A client that takes nothing for so long is gone.
WRITE_SECONDS = 30.0
# More at once than the tools and pages of one user open.
MOST_CONNECTIONS = 128


class ImpatientProtocol(H11Protocol):
    """HTTP over one connection, which is closed when nothing comes of it."""

    _awaiting: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many already."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            hint = "Close some, or ask again in a moment"
            self._refuse(Problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections", hint))
            return
        self._look()

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request, but not for long."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        for timer in (self._awaiting, self._writing):
            if timer:
                timer.cancel()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not for long."""
        super().pause_writing()
        self._writing = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        if self._writing:
            self._writing.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(Problem(HTTPStatus.BAD_REQUEST, "This is no HTTP request, or too long a one", "Ask anew"))

    def _look(self) -> None:
        """Start the clock while a request is awaited, and stop it when one is there."""
        awaited = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if awaited and self._awaiting is None:
            self._awaiting = self.loop.call_later(REQUEST_SECONDS, self._give_up)
        elif not awaited and self._awaiting is not None:
            self._awaiting.cancel()
            self._awaiting = None

    def _give_up(self) -> None:
        fact = f"The request did not come within {REQUEST_SECONDS:.0f} seconds"
        self._refuse(Problem(HTTPStatus.REQUEST_TIMEOUT, fact, "Send it at once"))

    def _refuse(self, problem: Problem) -> None:
        """Answer by hand, as the connection may be in no state to answer by rule, and close it."""
        if self.transport.is_closing():
            return
        status = HTTPStatus(problem.status)
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\nconnection: close\r\n"
            f"content-length: {len(problem.body)}\r\n\r\n"
        )
        # In the middle of another answer, it would only spoil that.
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(head.encode() + problem.body)
        self.transport.close()

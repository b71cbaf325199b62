"""One request: a command as it was typed, run where, and as, its user would see it run."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from notewell.serve.cli import Opening, run
from notewell.serve.daemon.client import PREFIXES, VARIABLES, goes_warm
from notewell.serve.daemon.declined import Declined
from notewell.serve.daemon.wire import CODE, ERR, OUT, PIPED, frame

# More than anybody reads: such an answer is not gathered here, but made where it is printed.
LARGEST_ANSWER = 16 << 20
STREAMS = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What a command was typed as, and where; `stdin` is None if it was not sent.

    `between` is when a hook began and until when its client waits, by the monotonic clock.
    """

    cwd: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    terminals: tuple[bool, ...]
    encodings: tuple[str, ...]
    stdin: bytes | None
    between: tuple[str, ...] = ()

    @classmethod
    def of(cls, fields: dict[str, bytes]) -> Request:
        """Return a request from its fields; ValueError or LookupError, if they are none."""
        pairs = (os.fsdecode(pair).partition("=") for pair in fields["environment"].split(b"\0") if pair)
        encodings = tuple(fields["encodings"].decode().split())
        terminals = tuple(sign == ord("1") for sign in fields["terminals"])
        if len(encodings) != STREAMS or len(terminals) != STREAMS:
            raise ValueError("not three streams")
        return cls(
            cwd=os.fsdecode(fields["cwd"]),
            arguments=tuple(map(os.fsdecode, fields["arguments"].split(b"\0"))),
            environment={name: value for name, _, value in pairs},
            terminals=terminals,
            encodings=encodings,
            stdin=fields.get("stdin"),
            between=tuple(fields.get("between", b"").decode().split()),
        )


def answer(request: Request, opening: Opening, send: Callable[[bytes], None] = lambda part: None) -> bytes:
    """Run the command and return what is to be sent: what it printed, in order, and its exit code.

    What a hook prints is sent at once, so that it knows whether anybody is there to be told.
    """
    if not goes_warm(list(request.arguments)):
        raise Declined("not a command for here")
    printed = _SentAtOnce(send) if request.between else _Gathered()
    with _in_folder(request.cwd), _in_environment(request.environment), _with_streams(request, printed):
        code = run(_in_time(request), opening)
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    return b"".join(frame(kind, part) for kind, part in printed) + frame(CODE, str(code or 0).encode())


def _in_time(request: Request) -> list[str]:
    """Return the arguments of a request, those of a hook with its client's time: no hook may end this process."""
    if request.arguments[0] != "hook":
        return list(request.arguments)
    if len(request.between) != 2:
        raise Declined("nobody says how long they wait")
    return [*request.arguments[:2], "--between", *request.between, *request.arguments[2:]]


class _Gathered(list[tuple[bytes, bytes]]):
    """What a command printed: parts of stdout and stderr, in the order in which they came."""

    def put(self, kind: bytes, part: bytes) -> None:
        last, held = self[-1] if self else (b"", b"")
        if last == kind:
            self[-1] = (last, held + part)
        else:
            self.append((kind, part))
        if sum(len(part) for _, part in self) > LARGEST_ANSWER:
            raise Declined("the answer is too long")


class _SentAtOnce(_Gathered):
    """What a hook printed: nothing of it is gathered."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        super().__init__()
        self._send = send

    def put(self, kind: bytes, part: bytes) -> None:
        self._send(frame(kind, part))


class _Printed(io.RawIOBase):
    """One end of what is printed, gathered with the other's."""

    def __init__(self, kind: bytes, printed: _Gathered, terminal: bool) -> None:
        self._kind = kind
        self._printed = printed
        self._terminal = terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        """Answer for the terminal that it will be shown on."""
        return self._terminal

    def write(self, data: Any, /) -> int:
        part = bytes(data)
        self._printed.put(self._kind, part)
        return len(part)


class _NotSent(io.RawIOBase):
    """A stdin that stayed with the command: whoever reads it runs there."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def readable(self) -> bool:
        return True

    def isatty(self) -> bool:
        """Answer for the terminal that is there."""
        return self._terminal

    def readinto(self, buffer: Any, /) -> int:
        raise Declined(PIPED.decode())


@contextmanager
def _with_streams(request: Request, printed: _Gathered) -> Iterator[None]:
    of_in, of_out, of_err = request.encodings
    in_terminal, out_terminal, err_terminal = request.terminals
    unread = _NotSent(in_terminal) if request.stdin is None else io.BytesIO(request.stdin)
    # As Python sets up its own: errors are seen at once, and what a terminal's encoding lacks by its number.
    streams = (
        io.TextIOWrapper(io.BufferedReader(unread) if isinstance(unread, _NotSent) else unread, encoding=of_in),
        _writer(OUT, printed, of_out, out_terminal),
        _writer(ERR, printed, of_err, err_terminal),
    )
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
        for stream in streams[1:]:
            stream.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _writer(kind: bytes, printed: _Gathered, encoding: str, terminal: bool) -> io.TextIOWrapper:
    at_once = terminal or kind == ERR
    buffer = io.BufferedWriter(_Printed(kind, printed, terminal))
    return io.TextIOWrapper(buffer, encoding=encoding, errors="backslashreplace", line_buffering=at_once)


@contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    try:
        os.chdir(folder)
    except OSError as error:
        raise Declined("it is somewhere that cannot be gone to") from error
    try:
        yield
    finally:
        # No folder of the user's is held.
        os.chdir("/")


@contextmanager
def _in_environment(environment: dict[str, str]) -> Iterator[None]:
    """Let the command see its own variables, and none that another left."""
    before = _chosen()
    try:
        _replace(environment)
        yield
    finally:
        _replace(before)


def _chosen() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES)}


def _replace(environment: dict[str, str]) -> None:
    zone = os.environ.get("TZ")
    for name in _chosen():
        del os.environ[name]
    os.environ.update(environment)
    if os.environ.get("TZ") != zone:
        # What day it is, and when a file was changed, is told by the user's clock.
        time.tzset()

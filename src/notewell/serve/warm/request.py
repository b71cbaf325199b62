"""One request: a command as it was typed, run where, and as, its user would see it run."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from notewell.serve.cli import Opening, run
from notewell.serve.warm.client import PREFIXES, VARIABLES, goes_warm
from notewell.serve.warm.declined import Declined
from notewell.serve.warm.wire import CODE, ERR, OUT, frame

# More than anybody reads: such an answer is not gathered here, but made where it is printed.
LARGEST_ANSWER = 16 << 20
STREAMS = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What a command was typed as, and where; `stdin` is None if it was not sent."""

    cwd: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    terminals: tuple[bool, ...]
    encodings: tuple[str, ...]
    stdin: bytes | None

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
        )


def answer(request: Request, opening: Opening) -> bytes:
    """Run the command and return what is to be sent: what it printed, in order, and its exit code."""
    if not goes_warm(list(request.arguments)):
        raise Declined("not a command for here")
    printed: list[tuple[bytes, bytes]] = []
    with _in_folder(request.cwd), _in_environment(request.environment), _with_streams(request, printed):
        code = run(request.arguments, opening)
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    return b"".join(frame(kind, part) for kind, part in printed) + frame(CODE, str(code or 0).encode())


class _Printed(io.RawIOBase):
    """One end of what is printed: gathered with the other's in the order in which it comes."""

    def __init__(self, kind: bytes, printed: list[tuple[bytes, bytes]], terminal: bool) -> None:
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
        last, held = self._printed[-1] if self._printed else (b"", b"")
        if last == self._kind:
            self._printed[-1] = (last, held + part)
        else:
            self._printed.append((self._kind, part))
        if sum(len(part) for _, part in self._printed) > LARGEST_ANSWER:
            raise Declined("the answer is too long")
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
        raise Declined("it reads what was not sent")


@contextmanager
def _with_streams(request: Request, printed: list[tuple[bytes, bytes]]) -> Iterator[None]:
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


def _writer(kind: bytes, printed: list[tuple[bytes, bytes]], encoding: str, terminal: bool) -> io.TextIOWrapper:
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

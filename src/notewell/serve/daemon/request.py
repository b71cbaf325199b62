"""One request: runs a command in the daemon as if its user ran it, in the same folder and environment."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from notewell.frozen import frozen
from notewell.serve.cli import OpenVault, run
from notewell.serve.daemon.client import PREFIXES, VARIABLES, runs_in_daemon
from notewell.serve.daemon.wire import CODE, ERR, OUT, PIPED, Declined, frame

# A longer output is declined, and printed by the command itself.
LARGEST_OUTPUT = 16 << 20
STREAMS = 3


@frozen
class Request:
    """A command line with its folder, environment and streams; `stdin` is None if it was not sent.

    `window` is when a hook began, and until when its client waits, by the monotonic clock.
    """

    cwd: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    terminals: tuple[bool, ...]
    encodings: tuple[str, ...]
    stdin: bytes | None
    window: tuple[str, ...] = ()

    @classmethod
    def of(cls, fields: dict[str, bytes]) -> Request:
        """Return a request from its fields; raise ValueError or LookupError if they are malformed."""
        pairs = (os.fsdecode(pair).partition("=") for pair in fields["environment"].split(b"\0") if pair)
        encodings = tuple(fields["encodings"].decode().split())
        terminals = tuple(sign == ord("1") for sign in fields["terminals"])
        if len(encodings) != STREAMS or len(terminals) != STREAMS:
            raise ValueError("a request needs three streams")
        return cls(
            cwd=os.fsdecode(fields["cwd"]),
            arguments=tuple(map(os.fsdecode, fields["arguments"].split(b"\0"))),
            environment={name: value for name, _, value in pairs},
            terminals=terminals,
            encodings=encodings,
            stdin=fields.get("stdin"),
            window=tuple(fields.get("window", b"").decode().split()),
        )


def answer(request: Request, opening: OpenVault, send: Callable[[bytes], None] = lambda part: None) -> bytes:
    """Run the command and return the answer: its output in order, and its exit code.

    The output of a hook is sent at once, so that the hook learns whether its client is still there.
    """
    if not runs_in_daemon(list(request.arguments)):
        raise Declined("the daemon does not run this command")
    output = _Output(send if request.window else None)
    with _in_folder(request.cwd), _in_environment(request.environment), _with_streams(request, output):
        code = run(_timed_arguments(request), opening)
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    return b"".join(frame(kind, part) for kind, part in output) + frame(CODE, str(code or 0).encode())


def _timed_arguments(request: Request) -> list[str]:
    """Return the arguments; a hook also gets its client's time limit, so that it does not end the daemon."""
    if request.arguments[0] != "hook":
        return list(request.arguments)
    if len(request.window) != 2:
        raise Declined("a hook needs its time limit")
    return [*request.arguments[:2], "--window", *request.window, *request.arguments[2:]]


class _Output(list[tuple[bytes, bytes]]):
    """The output of a command, parts of stdout and stderr in order; the output of a hook is sent at once instead."""

    def __init__(self, send: Callable[[bytes], None] | None = None) -> None:
        super().__init__()
        self._send = send

    def put(self, kind: bytes, part: bytes) -> None:
        if self._send:
            self._send(frame(kind, part))
            return
        last, held = self[-1] if self else (b"", b"")
        if last == kind:
            self[-1] = (last, held + part)
        else:
            self.append((kind, part))
        if sum(len(part) for _, part in self) > LARGEST_OUTPUT:
            raise Declined("the output is too long")


class _OutputStream(io.RawIOBase):
    """The stdout or stderr of a command."""

    def __init__(self, kind: bytes, output: _Output, terminal: bool) -> None:
        self._kind = kind
        self._output = output
        self._terminal = terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        """Tell whether the client prints it on a terminal."""
        return self._terminal

    def write(self, data: Any, /) -> int:
        part = bytes(data)
        self._output.put(self._kind, part)
        return len(part)


class _UnsentInput(io.RawIOBase):
    """A stdin that the client did not send: a command that reads it is declined."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def readable(self) -> bool:
        return True

    def isatty(self) -> bool:
        """Tell whether the stdin of the client is a terminal."""
        return self._terminal

    def readinto(self, buffer: Any, /) -> int:
        raise Declined(PIPED.decode())


@contextmanager
def _with_streams(request: Request, output: _Output) -> Iterator[None]:
    in_encoding, out_encoding, err_encoding = request.encodings
    in_terminal, out_terminal, err_terminal = request.terminals
    unsent = io.BufferedReader(_UnsentInput(in_terminal))
    # As Python sets up its own: stderr is not buffered, and characters that an encoding lacks are escaped.
    streams = (
        io.TextIOWrapper(unsent if request.stdin is None else io.BytesIO(request.stdin), encoding=in_encoding),
        _writer(OUT, output, out_encoding, out_terminal),
        _writer(ERR, output, err_encoding, err_terminal),
    )
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
        for stream in streams[1:]:
            stream.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _writer(kind: bytes, output: _Output, encoding: str, terminal: bool) -> io.TextIOWrapper:
    at_once = terminal or kind == ERR
    buffer = io.BufferedWriter(_OutputStream(kind, output, terminal))
    return io.TextIOWrapper(buffer, encoding=encoding, errors="backslashreplace", line_buffering=at_once)


@contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    try:
        os.chdir(folder)
    except OSError as error:
        raise Declined("the daemon cannot enter the current folder") from error
    try:
        yield
    finally:
        # The daemon must not keep a folder of the user in use.
        os.chdir("/")


@contextmanager
def _in_environment(environment: dict[str, str]) -> Iterator[None]:
    """Let the command see its own variables, and none of another command."""
    before = _passed_variables()
    try:
        _replace(environment)
        yield
    finally:
        _replace(before)


def _passed_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in VARIABLES or name.startswith(PREFIXES)}


def _replace(environment: dict[str, str]) -> None:
    zone = os.environ.get("TZ")
    for name in _passed_variables():
        del os.environ[name]
    os.environ.update(environment)
    if os.environ.get("TZ") != zone:
        # Dates are shown in the time zone of the user.
        time.tzset()

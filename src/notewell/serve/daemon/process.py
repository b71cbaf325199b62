"""The daemon process: it listens, runs one command at a time, and ends by itself when it is not needed."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from notewell.errors import DaemonError, StoreBusy
from notewell.files.lock import held
from notewell.serve.daemon import wire
from notewell.serve.daemon.control import daemon_lock, leave_mark
from notewell.serve.daemon.health import RunningCode, free_memory, memory_mb
from notewell.serve.daemon.loopback import greet, listen
from notewell.serve.daemon.request import Request, answer
from notewell.serve.daemon.vaults import Vaults

# Seconds that a client may take to send its request or to receive the answer.
PATIENCE = 0.5
# Seconds without a request after which the daemon does background work, such as looking for changes.
QUIET = 0.2
# Seconds between two checks of the socket and the code.
ROUND = 5.0
# Seconds that one request, or one look for changes, may take. What holds the daemon up longer ends it: commands run by
# themselves until the next one is started.
LONGEST = 60.0
# A hook starts a daemon before it knows whether its vault uses one; if not, the daemon ends after this many seconds.
UNWANTED = 3.0
# Seconds that a new daemon waits for an older one to end.
UNTIL_FREE = 2.0
# Ending a daemon for its memory pays only after this many requests: a new one grows just as fast.
WORTH_IT = 50
# The memory of the encoder MiniLM and its runtime in MB: about 80, for one vault as for four; more with on_demand.
ENCODER_MB = 120
# A new daemon needs as much memory as this one has with one vault open and empty caches. It may grow by this factor,
# even over the limit.
GROWTH = 1.25
# Emptying the caches has helped if memory falls to this share of the limit.
HELPED = 0.9
QUEUE = 16


@dataclass(slots=True)
class Waiting:
    """A client that has connected, and not sent its request yet."""

    connection: socket.socket
    since: float


@dataclass(slots=True)
class Daemon:
    """The daemon, with its socket and the vaults that it has open."""

    listener: socket.socket
    wake: socket.socket
    vaults: Vaults = field(default_factory=Vaults)
    code: RunningCode = field(default_factory=RunningCode)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    asked_at: float = field(default_factory=time.monotonic)
    requests: int = 0
    tidy_at: int = 0
    needed_mb: float = 0.0
    ending: bool = False
    waiting: list[Waiting] = field(default_factory=list)
    key: bytes = b""

    def run(self, identity: tuple[int, int]) -> None:
        """Answer requests until there is a reason to end; `identity` is that of the socket file."""
        while not self.ending and self._time_left > 0 and _identity(wire.socket_path()) == identity:
            end_if_stuck(LONGEST)
            sources = [self.listener, self.wake, *(client.connection for client in self.waiting)]
            pause = QUIET if self.vaults.is_due or self.waiting else max(0.0, min(ROUND, self._time_left))
            ready, _, _ = select.select(sources, (), (), pause)
            if self.wake in ready:
                return
            if self.listener in ready:
                self._accept()
            self._serve([client for client in self.waiting if client.connection in ready])
            if not ready:
                self._work_in_background()

    def answer_first(self, request: bytes) -> None:
        """Run a request with nobody waiting, so that the next one finds the vault open and everything loaded."""
        with suppress(ValueError, LookupError):
            fields = wire.unpacked(request)
            with suppress(wire.Declined):
                # Twice, since the first search does without the tokenizer, and the next ones need it.
                for _ in range(2):
                    answer(Request.of(fields), self.vaults.open)
            if self.vaults.is_unwanted:
                leave_mark(fields)
            self.vaults.keep_up(Path(wire.socket_folder()))
        self.code.add_loaded()
        self._keep_small()

    @property
    def _time_left(self) -> float:
        idle = UNWANTED if self.vaults.is_unwanted else self.vaults.settings.idle_minutes * 60
        return self.asked_at + idle - time.monotonic()

    def _accept(self) -> None:
        with suppress(OSError):
            connection, _ = self.listener.accept()
            if _is_users(connection):
                connection.settimeout(PATIENCE)
                self.waiting.append(Waiting(connection, time.monotonic()))
            else:
                connection.close()

    def _serve(self, ready: list[Waiting]) -> None:
        for client in ready:
            if not self.ending:
                with suppress(OSError, ValueError, LookupError), client.connection:
                    self._answer(client.connection)
        silent = [client for client in self.waiting if time.monotonic() - client.since >= PATIENCE]
        gone = [client for client in self.waiting if client in ready or client in silent]
        for client in gone:
            client.connection.close()
        self.waiting = [client for client in self.waiting if client not in gone]

    def _answer(self, connection: socket.socket) -> None:
        if self.key:
            greet(connection, self.key)
        fields = wire.unpacked(_received(connection))
        if fields["home"] != wire.installation():
            connection.sendall(wire.frame(wire.DECLINED, b"another installation"))
            return
        if not self.code.is_current:
            self.ending = True
            connection.sendall(wire.frame(wire.DECLINED, wire.OUTDATED))
            return
        verb, self.asked_at = fields["verb"], time.monotonic()
        if verb == b"run":
            connection.sendall(wire.frame(wire.BEGUN))
            connection.sendall(self._answered(Request.of(fields), connection.sendall))
            self._keep_small()
        elif verb in (b"about", b"stop"):
            self.ending = verb == b"stop"
            connection.sendall(_about(self))

    def _answered(self, request: Request, send: Callable[[bytes], None]) -> bytes:
        self.requests += 1
        try:
            return answer(request, self.vaults.open, send)
        except wire.Declined as reason:
            return wire.frame(wire.DECLINED, str(reason).encode())
        except Exception as error:
            # The command runs into the same bug, and reports it; the daemon goes on.
            return wire.frame(wire.DECLINED, type(error).__name__.encode())
        finally:
            self.code.add_loaded()

    def _keep_small(self) -> None:
        """Free memory when it is over the limit; end if that does not help, and a new daemon would be smaller."""
        if self._share <= 1:
            return
        self.vaults.keep_only(1)
        # What is freed has to be read again, so this is not done with every request.
        if self.requests >= self.tidy_at:
            self.vaults.release()
            free_memory()
            self.needed_mb = self.needed_mb or memory_mb() or 0.0
            self.ending |= self._share > 1 and self.requests >= WORTH_IT
            self.tidy_at = self.requests + (0 if self._share <= HELPED else WORTH_IT)

    @property
    def _share(self) -> float:
        """Return the memory in use as a share of the limit."""
        limit = self.vaults.settings.max_mb + ENCODER_MB * self.vaults.use_encoder
        return (memory_mb() or 0) / max(limit, self.needed_mb * GROWTH)

    def _work_in_background(self) -> None:
        self.ending |= not self.code.is_current
        if self.vaults.is_due:
            self.vaults.keep_up(Path(wire.socket_folder()))
            # Walking a folder takes some 20 MB for a moment.
            free_memory()
        self.vaults.drain()


def run_daemon(first: bytes = b"") -> bool:
    """Run the daemon until there is a reason to end; return False if one is running already."""
    folder = Path(wire.socket_folder())
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=not wire.HAS_FILE_SOCKETS)
    if not wire.is_safe(str(folder)):
        raise DaemonError(
            f"Other users can reach {folder}", "Delete it, or set XDG_RUNTIME_DIR to a folder that only you can reach"
        )
    try:
        with held(daemon_lock(), UNTIL_FREE, "is the daemon"):
            _listen(first)
    except StoreBusy:
        return False
    return True


def _listen(first: bytes) -> None:
    path = wire.socket_path()
    family = socket.AF_UNIX if wire.HAS_FILE_SOCKETS else socket.AF_INET
    with socket.socket(family) as listener, _woken_by_signals() as wake:
        daemon = Daemon(listener, wake)
        end_if_stuck(LONGEST)
        if first:
            # Before anybody can connect: a command that comes too early does the work itself, and does not wait.
            daemon.answer_first(first[len(wire.MAGIC) + wire.LENGTH :])
        # This process has the lock, so these files are left over from a daemon that was killed.
        for left in (Path(path), *Path(path).parent.glob("*.mark")):
            left.unlink(missing_ok=True)
        if wire.HAS_FILE_SOCKETS:
            listener.bind(path)
            os.chmod(path, 0o600)  # noqa: PTH101
        else:
            daemon.key = listen(listener, path)
        identity = _identity(path)
        try:
            if wire.HAS_FILE_SOCKETS:
                listener.listen(QUEUE)
            if identity:
                daemon.run(identity)
        finally:
            end_if_stuck(0)
            if _identity(path) == identity:
                os.unlink(path)  # noqa: PTH108
            daemon.vaults.keep_only(0)


def end_if_stuck(seconds: float) -> None:
    """End this process after this time unless this is called again, whatever it does then; 0 calls it off.

    The system does it: no thread of Python's runs while a regular expression does.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


@contextmanager
def _woken_by_signals() -> Iterator[socket.socket]:
    """Yield a socket that becomes readable when a signal tells the daemon to end."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    # Windows has no SIGHUP.
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [signal.signal(number, lambda *_: None) for number in signals]
    fd = signal.set_wakeup_fd(theirs.fileno())
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(fd)
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
        ours.close()
        theirs.close()


def _received(connection: socket.socket) -> bytes:
    """Return the fields of a request; raise ValueError if it is malformed or too long, TimeoutError if none arrives."""
    head = _exactly(connection, len(wire.MAGIC) + wire.LENGTH)
    length = int.from_bytes(head[len(wire.MAGIC) :], "big")
    if not head.startswith(wire.MAGIC) or length > wire.LARGEST:
        raise ValueError("not a request")
    return _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    ends, data = time.monotonic() + PATIENCE, bytearray()
    while len(data) < length:
        part = connection.recv(min(length - len(data), 1 << 20))
        # A client that sends a byte now and then is too slow, too.
        if not part or time.monotonic() > ends:
            raise ValueError("the request breaks off")
        data += part
    return bytes(data)


def _is_users(connection: socket.socket) -> bool:
    """Tell whether the client belongs to this user; where the system does not say, the folder keeps others out."""
    if sys.platform != "linux" or connection.family != socket.AF_UNIX:
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", credentials)[1] == os.geteuid())


def _identity(path: str) -> tuple[int, int] | None:
    try:
        about = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _about(daemon: Daemon) -> bytes:
    report = {
        "pid": os.getpid(),
        "since": daemon.started.isoformat(timespec="seconds"),
        "vaults": daemon.vaults.roots,
        "memory_mb": round(memory_mb() or 0.0, 1),
        "requests": daemon.requests,
        "socket": wire.socket_path(),
    }
    return wire.frame(wire.OUT, json.dumps(report).encode()) + wire.frame(wire.CODE, b"0")

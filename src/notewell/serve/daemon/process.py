"""The warm process: it listens, runs one command at a time, and ends by itself when it is not needed."""

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
from notewell.serve.daemon.code import RunningCode
from notewell.serve.daemon.declined import Declined
from notewell.serve.daemon.memory import give_back, megabytes
from notewell.serve.daemon.request import Request, answer
from notewell.serve.daemon.start import leave_mark
from notewell.serve.daemon.vaults import Vaults

# Seconds that a command may take to say what it wants, or to take what it is given: it has it ready at both times.
PATIENCE = 0.5
# Seconds without a command after which there is time for what nobody waits for, such as looking through a folder.
QUIET = 0.2
# Seconds between two looks at whether the socket and the code are still there.
ROUND = 5.0
# A hook starts a process before it knows whether its vault wants one; if not, it ends after so many seconds.
UNWANTED = 3.0
# A new process waits so long, in seconds, for an older one to end.
UNTIL_FREE = 2.0
# A process that is as large as a new one would be is not ended for it: it is worth it after so many requests.
WORTH_IT = 50
# What the encoder MiniLM takes, with what runs it, in MB: 77 for a query, and 42 more once it has read passages. It is
# the same for one vault and for four, and is not what vaults gather.
ENCODER_MB = 120
# What it has with one vault open and nothing gathered, a model included, a new one would have, too: it may grow by so
# much, also where that is over the limit.
GROWTH = 1.25
# To let go of what searches have gathered has helped if no more than this share of the limit is left.
HELPED = 0.9
QUEUE = 16


@dataclass(slots=True)
class Waiting:
    """A command that has connected and not said yet what it wants."""

    connection: socket.socket
    since: float


@dataclass(slots=True)
class WarmProcess:
    """What listens on a socket, with what it keeps open."""

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

    def run(self, identity: tuple[int, int]) -> None:
        """Answer until there is a reason to end; `identity` is that of the socket's file."""
        while not self.ending and self._time_left > 0 and _identity(wire.address()) == identity:
            sources = [self.listener, self.wake, *(one.connection for one in self.waiting)]
            pause = QUIET if self.vaults.is_due or self.waiting else max(0.0, min(ROUND, self._time_left))
            ready, _, _ = select.select(sources, (), (), pause)
            if self.wake in ready:
                return
            if self.listener in ready:
                self._accept()
            self._serve([one for one in self.waiting if one.connection in ready])
            if not ready:
                self._use_the_quiet()

    def answer_first(self, request: bytes) -> None:
        """Run a request for nobody: the next one then finds the vault open, and everything loaded."""
        with suppress(ValueError, LookupError):
            fields = wire.unpacked(request)
            with suppress(Declined):
                # Once more, since who asks only once is spared the tokenizer, which whoever goes on asking needs.
                for _ in range(2):
                    answer(Request.of(fields), self.vaults.open)
            if self.vaults.is_unwanted:
                leave_mark(fields)
            self.vaults.keep_up(Path(wire.folder()))
        self.code.note()
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

    def _serve(self, speaking: list[Waiting]) -> None:
        for one in speaking:
            if not self.ending:
                with suppress(OSError, ValueError, LookupError), one.connection:
                    self._answer(one.connection)
        silent = [one for one in self.waiting if time.monotonic() - one.since >= PATIENCE]
        gone = [one for one in self.waiting if one in speaking or one in silent]
        for one in gone:
            one.connection.close()
        self.waiting = [one for one in self.waiting if one not in gone]

    def _answer(self, connection: socket.socket) -> None:
        fields = wire.unpacked(_received(connection))
        if fields["home"] != wire.home():
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
        except Declined as reason:
            return wire.frame(wire.DECLINED, str(reason).encode())
        except Exception as error:
            # A mistake of ours shows where the command runs; this process is not to end for it.
            return wire.frame(wire.DECLINED, type(error).__name__.encode())
        finally:
            self.code.note()

    def _keep_small(self) -> None:
        """Give memory back when it is too much; end, if that does not help, and a new one would be smaller."""
        if self._share <= 1:
            return
        self.vaults.keep_only(1)
        # What is let go of has to be read again: now and then that is worth it, and not with every request.
        if self.requests >= self.tidy_at:
            self.vaults.release()
            give_back()
            self.needed_mb = self.needed_mb or megabytes() or 0.0
            self.ending |= self._share > 1 and self.requests >= WORTH_IT
            self.tidy_at = self.requests + (0 if self._share <= HELPED else WORTH_IT)

    @property
    def _share(self) -> float:
        """Return how much of the memory that it may have it has."""
        may_have = self.vaults.settings.max_mb + ENCODER_MB * self.vaults.use_encoder
        return (megabytes() or 0) / max(may_have, self.needed_mb * GROWTH)

    def _use_the_quiet(self) -> None:
        self.ending |= not self.code.is_current
        if self.vaults.is_due:
            self.vaults.keep_up(Path(wire.folder()))
            # To look through a folder takes some 20 MB for a moment.
            give_back()
        self.vaults.gather()


def serve(first: bytes = b"") -> bool:
    """Be the warm process until there is a reason to end; False, if there is one already."""
    folder = Path(wire.folder())
    with suppress(OSError):
        folder.mkdir(mode=0o700)
    if not wire.is_safe(str(folder)):
        raise DaemonError(
            f"{folder} is not a folder of yours alone", "Delete it, or set XDG_RUNTIME_DIR to one that is"
        )
    try:
        with held(Path(f"{wire.address()}.lock"), UNTIL_FREE, "is the warm process"):
            _listen(first)
    except StoreBusy:
        return False
    return True


def _listen(first: bytes) -> None:
    path = wire.address()
    with socket.socket(socket.AF_UNIX) as listener, _woken_by_signals() as wake:
        process = WarmProcess(listener, wake)
        if first:
            # Before anybody can ask: who comes too early does the work itself, without waiting.
            process.answer_first(first[len(wire.MAGIC) + wire.LENGTH :])
        # The lock says that nobody listens there: what one that was killed has left.
        for left in (Path(path), *Path(path).parent.glob("*.mark")):
            left.unlink(missing_ok=True)
        listener.bind(path)
        os.chmod(path, 0o600)  # noqa: PTH101
        identity = _identity(path)
        try:
            listener.listen(QUEUE)
            if identity:
                process.run(identity)
        finally:
            if _identity(path) == identity:
                os.unlink(path)  # noqa: PTH108
            process.vaults.keep_only(0)


@contextmanager
def _woken_by_signals() -> Iterator[socket.socket]:
    """Yield a socket that can be read once the process was told to end."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signals = (signal.SIGTERM, signal.SIGHUP)
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
    """Return the fields of a request; ValueError, if it is none or too long, TimeoutError, if it does not come."""
    head = _exactly(connection, len(wire.MAGIC) + wire.LENGTH)
    length = int.from_bytes(head[len(wire.MAGIC) :], "big")
    if not head.startswith(wire.MAGIC) or length > wire.LARGEST:
        raise ValueError("not a request")
    return _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    ends, data = time.monotonic() + PATIENCE, bytearray()
    while len(data) < length:
        part = connection.recv(min(length - len(data), 1 << 20))
        # Who sends a byte now and then is as slow as who sends none.
        if not part or time.monotonic() > ends:
            raise ValueError("a request that breaks off")
        data += part
    return bytes(data)


def _is_users(connection: socket.socket) -> bool:
    """Tell whether the other end is this user's; where the system does not say, the folder is what guards it."""
    if sys.platform != "linux":
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", credentials)[1] == os.geteuid())


def _identity(path: str) -> tuple[int, int] | None:
    try:
        about = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _about(process: WarmProcess) -> bytes:
    told = {
        "pid": os.getpid(),
        "since": process.started.isoformat(timespec="seconds"),
        "vaults": process.vaults.roots,
        "memory_mb": round(megabytes() or 0.0, 1),
        "requests": process.requests,
        "socket": wire.address(),
    }
    return wire.frame(wire.OUT, json.dumps(told).encode()) + wire.frame(wire.CODE, b"0")

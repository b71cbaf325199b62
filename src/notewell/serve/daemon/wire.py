"""The protocol between a command and the daemon: a socket that only this user can reach, and frames of bytes.

The client imports it before it does anything else, so it imports only what Python has loaded already.
"""

import os
import sys
import time
from binascii import crc32
from stat import S_ISDIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator

# Changes when one end no longer understands an older version of the other.
MAGIC = b"NW01"
# A request has some hundred bytes, with the output of a tool on stdin some megabytes. A larger one is run without the
# daemon.
LARGEST = 16 << 20
# The parts of an answer: it has begun, some of stdout or stderr, the exit code at the end; or the daemon declines.
BEGUN, OUT, ERR, CODE, DECLINED = b"B", b"O", b"E", b"X", b"D"
# Reasons for declining that the client acts on: the daemon runs older code than is installed, or it needs stdin.
OUTDATED, PIPED = b"outdated", b"piped"
LENGTH = 4
READ_SIZE = 1 << 16
# Seconds until a daemon that has begun to answer counts as hanging.
UNTIL_DONE = 10.0


# A socket's path has at most 107 bytes on Linux and 103 on macOS; the name in the folder takes 16 of them.
LONGEST_FOLDER = (107 if sys.platform == "linux" else 103) - 16
# Whether the socket is a file that only its user can reach; elsewhere, as on Windows, it is on loopback.
HAS_FILE_SOCKETS = hasattr(os, "geteuid")


class Declined(BaseException):
    """Ends a request that the daemon does not run, wherever it is; the client then runs the command itself."""


def socket_folder() -> str:
    """Return the folder of the socket: in the user's runtime folder, or else among temporary files."""
    if not HAS_FILE_SOCKETS:
        profile = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
        return os.path.join(profile, "notewell", "run")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = os.path.join(runtime, "notewell")
    # By the rules of XDG, a path that is not absolute does not count.
    if os.path.isabs(runtime) and _is_folder(runtime) and len(os.fsencode(folder)) <= LONGEST_FOLDER:
        return folder
    ours = f"notewell-{os.geteuid()}"
    folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", ours)
    return folder if len(os.fsencode(folder)) <= LONGEST_FOLDER else os.path.join("/tmp", ours)


def is_safe(folder: str) -> bool:
    """Tell whether a folder belongs to this user, is no link, and is closed to everybody else."""
    if not HAS_FILE_SOCKETS:
        # The rights of a profile keep others out, and the mode says nothing of them.
        return os.path.isdir(folder)
    return _is_folder(folder) and not os.lstat(folder).st_mode & 0o077


def installation() -> bytes:
    """Return what identifies this installation: another one may have other code, or lack an extra."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parts = (package, sys.prefix, sys.version, sys.getfilesystemencoding())
    return "\n".join(parts).encode("utf-8", "surrogateescape")


def socket_path() -> str:
    """Return the path of the socket: each installation has its own daemon."""
    return os.path.join(socket_folder(), f"{crc32(installation()):08x}.socket")


def packed(request: dict[str, bytes]) -> bytes:
    """Return the bytes of a request.

    >>> packed({"verb": b"stop"})
    b'NW01\\x00\\x00\\x00\\x10\\x00\\x00\\x00\\x04verb\\x00\\x00\\x00\\x04stop'
    """
    fields = b"".join(_with_length(part) for name, value in request.items() for part in (name.encode(), value))
    return MAGIC + _with_length(fields)


def unpacked(fields: bytes) -> dict[str, bytes]:
    """Return a request from its bytes after the header; raise ValueError if they are malformed.

    >>> unpacked(packed({"verb": b"stop"})[8:])
    {'verb': b'stop'}
    """
    parts, at = [], 0
    while at < len(fields):
        length = int.from_bytes(fields[at : at + LENGTH], "big")
        at += LENGTH
        if at + length > len(fields):
            raise ValueError("a field is cut off")
        parts.append(fields[at : at + length])
        at += length
    if len(parts) % 2:
        raise ValueError("a field has no value")
    return {name.decode(): value for name, value in zip(parts[::2], parts[1::2], strict=True)}


def frame(kind: bytes, data: bytes = b"") -> bytes:
    """Return the bytes of one part of an answer."""
    return kind + _with_length(data)


def ask(
    request: dict[str, bytes], *, patience: float, until: float = float("inf")
) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Return the outcome of a request and its output; wait `patience` seconds for the daemon to begin.

    The outcome is `done`, `absent`, `outdated`, `piped`, `declined`, `busy` or `late`.
    """
    if not is_safe(socket_folder()):
        return "absent", []
    try:
        connection = _connected(patience)
    except TimeoutError:
        return "busy", []
    except (ImportError, AttributeError, OSError):
        return "absent", []
    try:
        connection.sendall(packed({"home": installation(), **request}))
        return _answer(connection, until)
    except TimeoutError:
        return "busy", []
    except OSError:
        return "absent", []
    finally:
        connection.close()


def _connected(patience: float) -> "socket":
    """Return a connection to the daemon."""
    if not HAS_FILE_SOCKETS:
        # Only a system without them waits for this to load.
        from notewell.serve.daemon.loopback import connect  # noqa: PLC0415

        return connect(socket_path(), patience)
    # The `socket` module takes 5 ms more to load.
    import _socket  # noqa: PLC0415

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(patience)
        connection.connect(socket_path())
    except OSError:
        connection.close()
        raise
    return connection


def _answer(connection: "socket", until: float) -> tuple[str, list[tuple[bytes, bytes]]]:
    """Return the outcome and the whole output: nothing is printed before all of it has arrived."""
    begun, printed = False, []
    try:
        for kind, part in _parts(connection, LENGTH):
            if kind == DECLINED:
                return {OUTDATED: "outdated", PIPED: "piped"}.get(part, "declined"), []
            if kind == BEGUN:
                begun = True
                connection.settimeout(max(0.001, min(UNTIL_DONE, until - time.monotonic())))
                continue
            printed.append((kind, part))
            if kind == CODE:
                return "done", printed
    except TimeoutError:
        if b"".join(part for kind, part in printed if kind == OUT).endswith(b"\n"):
            # The answer of a hook is complete, and counts as shown; only its bookkeeping took too long.
            return "done", [*printed, (CODE, b"0")]
        return "late" if begun else "busy", []
    return "absent", []


def _parts(connection: "socket", length: int) -> "Iterator[tuple[bytes, bytes]]":
    """Yield the kind and the bytes of each part of an answer, until the connection ends."""
    data = bytearray()
    while received := connection.recv(READ_SIZE):
        data += received
        while len(data) > length and len(data) >= (end := 1 + length + int.from_bytes(data[1 : 1 + length], "big")):
            yield bytes(data[:1]), bytes(data[1 + length : end])
            del data[:end]


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(LENGTH, "big") + data


def _is_folder(folder: str) -> bool:
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    return S_ISDIR(about.st_mode) and about.st_uid == os.geteuid()

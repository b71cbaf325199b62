"""How a command and the warm process find each other and talk: a socket that only this user reaches, frames of bytes.

Both ends import it, and one of them has no time: nothing is loaded here that Python has not loaded anyway.
"""

import os
import sys
from binascii import crc32
from stat import S_ISDIR

# Grows when either end no longer understands the other's older version.
MAGIC = b"NW01"
# A request is some hundred bytes, and with a tool's output on stdin some megabytes; more is run without the process.
LARGEST = 16 << 20
# What the process answers with: it has begun, a part of stdout or stderr, the exit code at the end, or that it does
# not do this, and why.
BEGUN, OUT, ERR, CODE, DECLINED = b"B", b"O", b"E", b"X", b"D"
# Why it declines, where the command has to know: its code is older than what is installed, or it wants what is piped.
OUTDATED, PIPED = b"outdated", b"piped"
LENGTH = 4


def folder() -> str:
    """Return where the socket lies: the user's own folder for such things, else one of ours among temporary files."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    # As XDG has it, and as `files/user.py` does for the other folders: what is not absolute is not meant.
    if os.path.isabs(own) and _is_folder(own):
        return os.path.join(own, "notewell")
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"notewell-{os.geteuid()}")


def is_safe(folder: str) -> bool:
    """Tell whether a folder is this user's, no link to another, and closed to everybody else."""
    return _is_folder(folder) and not os.lstat(folder).st_mode & 0o077


def home() -> bytes:
    """Return which installation this is: what another one has loaded may be other code, or lack an extra."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parts = (package, sys.prefix, sys.version, sys.getfilesystemencoding())
    return "\n".join(parts).encode("utf-8", "surrogateescape")


def address() -> str:
    """Return the socket's path: each installation has a process of its own."""
    return os.path.join(folder(), f"{crc32(home()):08x}.socket")


def packed(request: dict[str, bytes]) -> bytes:
    """Return a request as it is sent.

    >>> packed({"verb": b"stop"})
    b'NW01\\x00\\x00\\x00\\x10\\x00\\x00\\x00\\x04verb\\x00\\x00\\x00\\x04stop'
    """
    fields = b"".join(_measured(part) for name, value in request.items() for part in (name.encode(), value))
    return MAGIC + _measured(fields)


def unpacked(fields: bytes) -> dict[str, bytes]:
    """Return a request as it was sent, its beginning taken off; ValueError, if it is none.

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
    """Return one part of an answer as it is sent."""
    return kind + _measured(data)


def _measured(data: bytes) -> bytes:
    return len(data).to_bytes(LENGTH, "big") + data


def _is_folder(folder: str) -> bool:
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    return S_ISDIR(about.st_mode) and about.st_uid == os.geteuid()

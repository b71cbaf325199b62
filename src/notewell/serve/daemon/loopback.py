"""The daemon's socket where the system has none in files, as on Windows: on loopback, with a key in a private file.

Other users of the machine can reach a port. So both ends prove that they can read the key before a request is sent;
the key itself is never sent, since another program may have taken the port of a daemon that was killed.
"""

from __future__ import annotations

import hmac
import os
import socket
from pathlib import Path

from notewell.files.safe_open import read_plain
from notewell.files.user import write_private

HOST = "127.0.0.1"
KEY, NONCE, PROOF = 32, 16, 32
# Longer than a port and a key in hexadecimal.
LONGEST = 100
# What each end signs, so that neither can send back what it was sent.
CLIENT, DAEMON = b"client", b"daemon"


def listen(listener: socket.socket, path: str) -> bytes:
    """Listen on a free port, write it to a private file with a new key, and return the key."""
    listener.bind((HOST, 0))
    listener.listen()
    key = os.urandom(KEY)
    write_private(Path(path), f"{listener.getsockname()[1]} {key.hex()}".encode())
    return key


def connect(path: str, patience: float) -> socket.socket:
    """Return a connection to the daemon that can read the key; any other program is an OSError."""
    try:
        port, key = read_plain(Path(path), LONGEST).split()
        secret = bytes.fromhex(key.decode("ascii"))
        connection = socket.create_connection((HOST, int(port)), timeout=patience)
    except (ValueError, OverflowError) as error:
        raise ConnectionError("the file of the daemon is damaged") from error
    try:
        nonce = os.urandom(NONCE)
        connection.sendall(nonce)
        _check(_exactly(connection, PROOF), secret, DAEMON, nonce)
        connection.sendall(_proof(secret, CLIENT, _exactly(connection, NONCE)))
    except OSError:
        connection.close()
        raise
    return connection


def greet(connection: socket.socket, key: bytes) -> None:
    """Prove to a client that this is the daemon, and let the client prove that it is the user's; else an OSError."""
    nonce = os.urandom(NONCE)
    connection.sendall(_proof(key, DAEMON, _exactly(connection, NONCE)) + nonce)
    _check(_exactly(connection, PROOF), key, CLIENT, nonce)


def _proof(key: bytes, end: bytes, nonce: bytes) -> bytes:
    return hmac.digest(key, end + nonce, "sha256")


def _check(proof: bytes, key: bytes, end: bytes, nonce: bytes) -> None:
    if not hmac.compare_digest(proof, _proof(key, end, nonce)):
        raise ConnectionError("the other end does not have the key")


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise ConnectionError("the other end closed the connection")
        data += part
    return data

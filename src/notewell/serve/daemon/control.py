"""Asking the warm process about itself."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from notewell.errors import StoreBusy
from notewell.files.lock import held
from notewell.serve.daemon import wire

# Seconds until it counts as busy.
PATIENCE = 1.0


def ask(verb: str) -> dict[str, Any]:
    """Return what the process says of itself, also as its last words when told to `stop`; nothing, if it does not."""
    if not wire.is_safe(wire.folder()):
        return {}
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(wire.address())
            connection.sendall(wire.packed({"home": wire.home(), "verb": verb.encode()}))
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    except OSError:
        return {}
    if not answer.startswith(wire.OUT):
        return {}
    end = 1 + wire.LENGTH + int.from_bytes(answer[1 : 1 + wire.LENGTH], "big")
    told: dict[str, Any] = json.loads(answer[1 + wire.LENGTH : end])
    return told


def holder() -> int | None:
    """Return the number of the process that listens, or is about to; None, if there is none."""
    lock = Path(f"{wire.address()}.lock")
    if not wire.is_safe(wire.folder()) or not lock.exists():
        return None
    try:
        with held(lock, 0):
            return None
    except StoreBusy:
        return _signed(lock)


def _signed(lock: Path) -> int | None:
    try:
        return int(json.loads(lock.read_text(encoding="ascii"))["pid"])
    except (OSError, ValueError, LookupError, TypeError):
        return None

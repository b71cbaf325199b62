"""Which workers a run may send notes to."""

from __future__ import annotations

from urllib.parse import urlsplit

from notewell.embed import EmbedRules
from notewell.errors import SettingsError
from notewell.frozen import frozen
from notewell.remote.address import ServerAddress

# The most processes on this machine.
MOST = 256
EXAMPLE = "Give a number of processes, tcp://127.0.0.1:PORT or tls://HOST:PORT"


@frozen
class Spread:
    """Workers that prepare and embed the notes of a run."""

    workers: str
    """How many processes on this machine, or the address of a scheduler."""
    embed: EmbedRules | None
    """The model that they embed with; None if this process embeds."""
    embedder: str = ""
    """The model's fingerprint."""
    dimensions: int = 0
    """The length of its vectors."""


def check_workers(given: str) -> str:
    """Return a number of processes, or the address of a scheduler, that notes may be sent to.

    >>> check_workers("4"), check_workers("tls://big.example:8786")
    ('4', 'tls://big.example:8786')
    """
    if given.isdecimal():
        if 1 <= int(given) <= MOST:
            return given
        raise SettingsError(f"--workers is {given}", f"Give a number from 1 to {MOST}")
    try:
        parts = urlsplit(given)
        named = bool(parts.hostname and parts.port)
    except ValueError:
        named = False
    if not named or parts.scheme not in ("tcp", "tls"):
        raise SettingsError(f"--workers names no scheduler: '{given}'", EXAMPLE)
    if parts.scheme == "tcp" and not ServerAddress("tcp", parts.hostname or "", parts.port or 0).is_here:
        raise SettingsError(
            f"Notes would travel unencrypted to {parts.hostname}", "Use a scheduler with TLS: tls://HOST:PORT"
        )
    return given

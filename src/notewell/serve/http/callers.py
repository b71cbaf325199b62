"""Who asks: a request seen from outside, and the names and pages that it may come by."""

from __future__ import annotations

import re
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from notewell.errors import SettingsError

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?")
ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?")
# What a browser says of a page that is not another's: the user typed the address, or it is our own.
OURS = ("", "none", "same-origin")
HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class Caller:
    """What a request says of who sent it; `here` is the address and port at which it arrived."""

    method: str
    path: str
    address: str
    here: tuple[str, int]
    headers: dict[bytes, bytes]
    hosts: int
    size: int

    @classmethod
    def of(cls, scope: MutableMapping[str, Any]) -> Caller:
        """Read a request's scope."""
        pairs: list[tuple[bytes, bytes]] = scope["headers"]
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        return cls(
            scope["method"],
            scope["path"],
            plain_address((scope.get("client") or ("",))[0]),
            (plain_address(scope["server"][0]), scope["server"][1]),
            dict(pairs),
            sum(name == b"host" for name, _ in pairs),
            size + sum(len(name) + len(value) for name, value in pairs),
        )

    def said(self, name: bytes) -> str:
        """Return a header, or nothing."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def bearer(self) -> str:
        """Return the token it sent, or nothing."""
        kind, _, token = self.said(b"authorization").partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The names that this server goes by beside its addresses, and the pages of others that may ask it."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hosts: Iterable[str], origins: Iterable[str]) -> Allowed:
        """Check the names as they were typed."""
        names, pages = ({text.lower().rstrip("/") for text in texts} for texts in (hosts, origins))
        for name in names:
            if not HOST.fullmatch(name):
                raise SettingsError(
                    f"'{name}' is no name of a host", "Write it such as notes.example.org, or with :PORT"
                )
        for page in pages:
            if not ORIGIN.fullmatch(page):
                raise SettingsError(f"'{page}' is no origin", "Write it such as https://notes.example.org")
        return cls(frozenset(names), frozenset(pages))

    def is_host(self, caller: Caller) -> bool:
        """Tell whether a request is meant for this server: a page whose name was led here by DNS is not."""
        written = caller.said(b"host").lower()
        match = HOST.fullmatch(written)
        if not match or caller.hosts != 1:
            return False
        name, port = match[1], int(match[2] or HTTP_PORT)
        if written in self.hosts or name in self.hosts:
            return True
        return port == caller.here[1] and name in _names_of(caller.here[0])

    def is_guest(self, caller: Caller) -> bool:
        """Tell whether a page asks that was named as one that may."""
        return caller.said(b"origin").lower() in self.origins

    def is_page(self, caller: Caller) -> bool:
        """Tell whether no page asks, or our own, or one that was named."""
        if self.is_guest(caller):
            return True
        origin, host = caller.said(b"origin").lower(), caller.said(b"host").lower()
        own = not origin or origin in (f"http://{host}", f"https://{host}")
        return own and caller.said(b"sec-fetch-site").lower() in OURS


def plain_address(address: str) -> str:
    """Return an address in its short form; one of IPv4 that came by IPv6 as what it is.

    >>> plain_address("::ffff:127.0.0.1"), plain_address("0:0::1"), plain_address("testclient")
    ('127.0.0.1', '::1', 'testclient')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(getattr(found, "ipv4_mapped", None) or found)


def is_loopback(address: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> is_loopback("127.0.0.9"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("localhost")
    (True, True, False, False)
    """
    try:
        return ip_address(plain_address(address)).is_loopback
    except ValueError:
        return False


def _names_of(address: str) -> tuple[str, ...]:
    """Return what a host header may call the address at which a request arrived."""
    literal = f"[{address}]" if ":" in address else address
    return (literal, "localhost") if is_loopback(address) else (literal,)

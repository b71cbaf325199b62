"""Addresses of servers: taken apart once, so that what was checked is what is called."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: scheme, host, port, and the path before its own ones."""

    scheme: str
    host: str
    port: int
    path: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def is_here(self) -> bool:
        """Tell whether what is sent there stays on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


PORTS = {"http": 80, "https": 443}


def parse_address(url: str) -> Address:
    """Return the address that a URL stands for; a ValueError says what is wrong with it, and does not repeat it.

    >>> str(parse_address("http://localhost:11434/"))
    'http://localhost:11434'
    """
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("has signs that no address has")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("is no address") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("should begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise ValueError("holds a name or a password, which belong into NOTEWELL_EMBED_KEY")
    if parts.query or parts.fragment:
        raise ValueError("has a ? or # in it")
    return Address(parts.scheme, parts.hostname, port or PORTS[parts.scheme], parts.path.rstrip("/"))

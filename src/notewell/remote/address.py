"""Where a server is, and the key that it is asked with."""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from urllib.parse import urlsplit

from notewell.frozen import frozen


class Key:
    """A server's key, which nothing prints by accident: neither `repr`, nor `asdict`, nor JSON.

    >>> Key("a secret"), bool(Key())
    (Key(…), False)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Key(…)" if self._text else "''"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def reveal(self) -> str:
        """Return the key itself, for the one header it is sent in."""
        return self._text


@frozen
class ServerAddress:
    """Where a server is, split once, so that the address that was checked is the one that is called."""

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
        """Tell whether the server is on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def above(self, path: str) -> ServerAddress:
        """Return the address without the part of a server's own path that a user may have given with it.

        >>> str(parse_address("https://example.org/proxy/v1").above("/v1/embeddings"))
        'https://example.org/proxy'
        """
        steps = path.split("/")
        heads = ("/".join(steps[:length]) for length in range(len(steps), 1, -1))
        head = next((head for head in heads if self.path.endswith(head)), "")
        return replace(self, path=self.path.removesuffix(head))

    def at(self, path: str) -> ServerAddress:
        """Return the address of a server's own path, of which a user may have given a part.

        >>> str(parse_address("https://example.org/v1").at("/v1/embeddings"))
        'https://example.org/v1/embeddings'
        """
        base = self.above(path)
        return replace(base, path=base.path + path)


PORTS = {"http": 80, "https": 443}


def parse_address(url: str) -> ServerAddress:
    """Return the address in a URL; a ValueError says what is wrong with it, without repeating it.

    >>> str(parse_address("http://localhost:11434/"))
    'http://localhost:11434'
    """
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("contains characters that no address has")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("is not an address") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("should begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise ValueError("contains a name or a password; a key belongs in the environment")
    if parts.query or parts.fragment:
        raise ValueError("contains a ? or #")
    return ServerAddress(parts.scheme, parts.hostname, port or PORTS[parts.scheme], parts.path.rstrip("/"))

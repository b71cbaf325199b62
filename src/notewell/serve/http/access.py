"""Who may send requests: the names and web pages that are allowed, the rate for each address, and the token."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.types import Scope

from notewell.errors import SettingsError
from notewell.files.safe_open import read_plain
from notewell.files.user import write_private
from notewell.frozen import frozen

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?")
ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?")
# Values of Sec-Fetch-Site for an address that the user typed, or a request from our own page.
SAME_SITE = ("", "none", "same-origin")
HTTP_PORT = 80
# Addresses whose rate is remembered; beyond that, those with a full bucket are dropped.
REMEMBERED = 10_000
# How large a burst may be, in seconds of the rate.
BURST_SECONDS = 2.0
TOKEN_FILE = "token.sha256"
TOKEN_HINT = "Run `notewell serve --new-token` to create one"
TOKEN_FILE_HINT = "Write a long random text to it, as from `notewell serve --new-token`"
# A token that is guessed a hundred times a second holds for ever from about 80 random bits on.
SHORTEST = 20
# Longer than any hash or token.
LARGEST = 1_000
# Permission bits that would let others replace the token with their own.
OTHERS_WRITE = 0o022
# Browsers that are logged in at once; the oldest is forgotten first.
MOST_SESSIONS = 64


@frozen
class Allowed:
    """The host names of this server, besides its addresses, and the origins whose pages may send requests."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hosts: Iterable[str], origins: Iterable[str]) -> Allowed:
        """Check names and origins as they were typed."""
        names, pages = ({text.lower().rstrip("/") for text in texts} for texts in (hosts, origins))
        for name in names:
            if not HOST.fullmatch(name):
                raise SettingsError(f"'{name}' is not a host name", "Write it like notes.example.org, or with :PORT")
        for page in pages:
            if not ORIGIN.fullmatch(page):
                raise SettingsError(f"'{page}' is not an origin", "Write it like https://notes.example.org")
        return cls(frozenset(names), frozenset(pages))

    def is_host(self, request: HTTPConnection) -> bool:
        """Tell whether the Host header names this server; after DNS rebinding, it names another one."""
        sent = request.headers.getlist("host")
        match = HOST.fullmatch(sent[0].lower()) if len(sent) == 1 else None
        if match is None:
            return False
        if {match[0], match[1]} & self.hosts:
            return True
        address, port = request.scope["server"]
        return int(match[2] or HTTP_PORT) == port and match[1] in _names_of(plain_address(address))

    def is_guest(self, request: HTTPConnection) -> bool:
        """Tell whether the request comes from a page whose origin was allowed."""
        return request.headers.get("origin", "").lower() in self.origins

    def is_page(self, request: HTTPConnection) -> bool:
        """Tell whether the request comes from no web page, from our own, or from an allowed one."""
        if self.is_guest(request):
            return True
        origin, host, site = (request.headers.get(name, "").lower() for name in ("origin", "host", "sec-fetch-site"))
        return origin in ("", f"http://{host}", f"https://{host}") and site in SAME_SITE


@dataclass(slots=True)
class Rate:
    """A token bucket for each address: `per_second` requests, and a burst of twice as many; 0 for no limit.

    >>> rate = Rate(per_second=0.5)
    >>> rate.wait("::1", now=0.0), rate.wait("::1", now=0.0), rate.wait("::1", now=2.0)
    (0.0, 2.0, 0.0)
    """

    per_second: float
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def wait(self, address: str, now: float) -> float:
        """Return 0 and count the request, or return the seconds until the next request is accepted."""
        if not self.per_second:
            return 0.0
        burst = max(1.0, self.per_second * BURST_SECONDS)
        left, at = self._buckets.get(address, (burst, now))
        left = min(burst, left + (now - at) * self.per_second)
        if left < 1:
            return (1 - left) / self.per_second
        if len(self._buckets) >= REMEMBERED:
            self._forget(now, burst / self.per_second)
        self._buckets[address] = left - 1, now
        return 0.0

    def _forget(self, now: float, full: float) -> None:
        """Drop the addresses whose buckets are full again; if that is not enough, all of them."""
        self._buckets = {address: (left, at) for address, (left, at) in self._buckets.items() if now - at < full}
        if len(self._buckets) >= REMEMBERED:
            # That many addresses at once are an attack, which a rate for each address does not stop.
            self._buckets.clear()


def plain_address(address: str) -> str:
    """Return an IP address in its short form, and an IPv4 address mapped to IPv6 as IPv4.

    >>> plain_address("::ffff:127.0.0.1"), plain_address("0:0::1"), plain_address("testclient")
    ('127.0.0.1', '::1', 'testclient')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(getattr(found, "ipv4_mapped", None) or found)


def is_own_page(request: HTTPConnection) -> bool:
    """Tell whether our own page sent this request, from a browser on this machine."""
    client = request.client.host if request.client else ""
    return request.headers.get("sec-fetch-site", "").lower() == "same-origin" and is_loopback(client)


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
    """Return the host names that stand for a local address."""
    literal = f"[{address}]" if ":" in address else address
    return (literal, "localhost") if is_loopback(address) else (literal,)


def make_token(folder: Path) -> str:
    """Return a new token, and store its hash in place of the old one, readable by the user only."""
    token, file = secrets.token_urlsafe(32), folder / TOKEN_FILE
    try:
        write_private(file, f"{digest_of(token)}\n".encode("ascii"))
    except OSError as error:
        hint = "Check its permissions, and that HOME is your home folder"
        raise SettingsError(f"{file} cannot be written: {error.strerror or error}", hint) from error
    return token


def load_digest(folder: Path) -> str:
    """Return the stored hash of the newest token."""
    file = folder / TOKEN_FILE
    try:
        text, mode = read_plain(file, LARGEST).decode("ascii").strip(), file.stat().st_mode
    except FileNotFoundError as error:
        raise SettingsError("There is no token yet", TOKEN_HINT) from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be read: {error}", TOKEN_HINT) from error
    if os.name == "posix" and mode & OTHERS_WRITE:
        raise SettingsError(f"{file} can be written by other users", TOKEN_HINT)
    if len(text) != hashlib.sha256().digest_size * 2:
        raise SettingsError(f"{file} does not contain the hash of a token", TOKEN_HINT)
    return text


def read_token(file: Path) -> str:
    """Return the hash of the token in a file, such as a container's secret."""
    try:
        token = read_plain(file, LARGEST).decode("ascii").strip()
    except (OSError, ValueError) as error:
        raise SettingsError(f"The token in {file} cannot be read: {error}", TOKEN_FILE_HINT) from error
    if len(token) < SHORTEST:
        raise SettingsError(f"The token in {file} has fewer than {SHORTEST} characters", TOKEN_FILE_HINT)
    return digest_of(token)


def digest_of(token: str) -> str:
    """Return the SHA-256 of a token: enough for 256 random bits, which no list of likely tokens contains.

    >>> digest_of("an example")[:12]
    '73300871f44c'
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def has_token(request: HTTPConnection, digest: str) -> bool:
    """Tell, in constant time, whether the request carries the bearer token with this hash."""
    return hmac.compare_digest(digest_of(bearer(request)), digest)


def bearer(request: HTTPConnection) -> str:
    """Return the bearer token of a request, or an empty string."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


@dataclass(slots=True)
class Sessions:
    """The browsers that are logged in, by the hash of their cookie, until the server ends.

    A cookie is not the token: a browser also sends it to other programs on this machine's ports, and it is worth
    nothing once this server has ended. A code logs one browser in, once.

    >>> sessions = Sessions()
    >>> code = sessions.make_code()
    >>> sessions.redeem(code), sessions.redeem(code)
    (True, False)
    """

    _known: dict[str, None] = field(default_factory=dict)
    _codes: set[str] = field(default_factory=set)

    def make_code(self) -> str:
        """Return a code that stands for the token, once, at the login."""
        code = secrets.token_urlsafe(32)
        self._codes.add(digest_of(code))
        return code

    def redeem(self, code: str) -> bool:
        """Tell whether this is a code that was not used before."""
        digest = digest_of(code)
        used = digest in self._codes
        self._codes.discard(digest)
        return used

    def begin(self) -> str:
        """Return the value of a new cookie."""
        value = secrets.token_urlsafe(32)
        self._known[digest_of(value)] = None
        while len(self._known) > MOST_SESSIONS:
            del self._known[next(iter(self._known))]
        return value

    def knows(self, request: HTTPConnection) -> bool:
        """Tell whether a request carries the cookie of a browser that is logged in."""
        value = request.cookies.get(_cookie_name(request.scope), "")
        return bool(value) and digest_of(value) in self._known


def cookie_of(scope: Scope, value: str) -> str:
    """Return the header that sets the cookie: no script reads it, and no other site's request carries it."""
    return f"{_cookie_name(scope)}={value}; Path=/; HttpOnly; SameSite=Strict"


def _cookie_name(scope: Scope) -> str:
    """Return the name of the cookie: browsers do not tell ports apart, so each port has its own."""
    return f"notewell-{scope['server'][1]}"

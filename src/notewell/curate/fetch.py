"""Pages and feeds from the network, only if asked: limited in time, size and redirects, from public addresses."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urljoin

from notewell.curate.feeds import read_feed
from notewell.curate.signals import Signal, make_signal, web_address
from notewell.curate.sources import XML, Read, read_data
from notewell.errors import CurateError
from notewell.index import Progress
from notewell.index.readers.sandbox import Extraction
from notewell.index.report import Reason
from notewell.remote.address import ServerAddress, parse_address
from notewell.remote.exchange import Exchange, Request

# Seconds for a connection, between two bytes, and for a whole page with its redirects.
CONNECT, SILENCE, WHOLE = 10.0, 10.0, 30.0
MOST_BYTES = 10_000_000
MOST_REDIRECTS = 5
# Addresses of one host.
MOST_TRIED = 3
MOST_FETCHED = 200
REDIRECTS = (301, 302, 303, 307, 308)
# What is read, by the type that a server names, and the suffix of a file of that type.
TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": "",
    "text/markdown": ".md",
    "application/rss+xml": ".xml",
    "application/atom+xml": ".xml",
    "application/xml": ".xml",
    "text/xml": ".xml",
}
HEADERS = {"User-Agent": "notewell", "Accept": ", ".join(TYPES), "Accept-Encoding": "identity"}

NAT64 = ipaddress.ip_network("64:ff9b::/96")

IsAllowed = Callable[[str], bool]


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public network.

    >>> is_public("93.184.216.34"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("64:ff9b::7f00:1")
    (True, False, False, False)
    """
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in NAT64:
            # What a network without IPv4 translates.
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        elif ip.sixtofour or ip.teredo or ip.ipv4_mapped or ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def dial(is_allowed: IsAllowed = is_public) -> Callable[..., socket.socket]:
    """Return a function that connects to a checked address of a host: its name cannot lead elsewhere later."""

    def connect(place: tuple[str, int], timeout: float | None = None, source: object = None) -> socket.socket:
        found = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)
        if not found or not all(is_allowed(str(one[4][0])) for one in found):
            raise ValueError(f"{place[0]} leads to an address that is not public")
        return _connected([str(one[4][0]) for one in found[:MOST_TRIED]], place[1], timeout)

    return connect


def _connected(addresses: Sequence[str], port: int, timeout: float | None) -> socket.socket:
    """Return a connection to the first of these addresses that answers: a host may have one that cannot be reached."""
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout)
    return socket.create_connection((addresses[-1], port), timeout)


def fetch(url: str, is_allowed: IsAllowed = is_public) -> tuple[bytes, str, str]:
    """Return the data at an address, the file suffix of its type, and the address after all redirects."""
    until = time.monotonic() + WHOLE
    for _ in range(MOST_REDIRECTS + 1):
        status, headers, body = _ask(url, until, is_allowed)
        if status not in REDIRECTS:
            break
        url = web_address(urljoin(url, headers.get("Location", "")))
        if not url:
            raise CurateError("it redirects to something that is not a web address", "Leave it out")
    else:
        raise CurateError(f"it redirects more than {MOST_REDIRECTS} times", "Leave it out")
    if status != http.HTTPStatus.OK:
        raise CurateError(f"the server answers with {status}", "Check the address")
    kind = headers.get_content_type()
    if kind not in TYPES or headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise CurateError(
            f"it is {kind}, which Notewell does not read", "Save the page as HTML or PDF, and run intake on that file"
        )
    return body, TYPES[kind], url


def _ask(url: str, until: float, is_allowed: IsAllowed) -> tuple[int, http.client.HTTPMessage, bytes]:
    left = until - time.monotonic()
    if left <= 0:
        raise CurateError(f"it takes more than {WHOLE:.0f} s", "Try again later")
    exchange = Exchange(_address(url), connect=min(CONNECT, left), silence=SILENCE, whole=left, dial=dial(is_allowed))
    try:
        response = exchange.ask(Request("GET", dict(HEADERS)))
        body = response.read(MOST_BYTES + 1)
        if exchange.is_late:
            raise TimeoutError
        if len(body) > MOST_BYTES:
            raise CurateError(f"it has more than {MOST_BYTES:,} bytes", "Save it as a file")
        if response.length:
            raise http.client.IncompleteRead(body, response.length)
        return response.status, response.headers, body
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = exchange.failure(error, "does not answer in time").reason
        raise CurateError(
            f"the server {reason}" if not isinstance(error, ValueError) else reason, "Try again"
        ) from error
    finally:
        exchange.close()


def _address(url: str) -> ServerAddress:
    """Return the parts of a web address, its query included; a name or a password in it was refused before."""
    bare, mark, query = url.partition("#")[0].partition("?")
    try:
        address = parse_address(bare)
    except ValueError as error:
        raise CurateError(f"its address {error}", "Check it") from error
    return replace(address, path=f"{address.path or '/'}{mark}{query}")


def fetch_all(read: Read, extraction: Extraction, progress: Progress, *, is_allowed: IsAllowed = is_public) -> Read:
    """Return the signals that were read, with those of its feeds, and with texts for bare addresses."""
    made, fetched = Read(left=[*read.left]), 0
    wanted: list[Signal | str] = [*read.feeds, *read.signals]
    for number, one in enumerate(wanted):
        progress.tell(number, len(wanted))
        if progress.stop():
            break
        url = one if isinstance(one, str) else one.url
        if not isinstance(one, str) and (one.text or not url):
            made.signals.append(one)
            continue
        if fetched == MOST_FETCHED:
            made.left.append(Reason(url, f"only {MOST_FETCHED} addresses are fetched at once"))
            continue
        fetched += 1
        try:
            made.add(_fetched(one, url, extraction, is_allowed))
        except CurateError as error:
            made.left.append(Reason(url, error.fact))
    return made


def _fetched(one: Signal | str, url: str, extraction: Extraction, is_allowed: IsAllowed) -> Read:
    data, suffix, found_at = fetch(url, is_allowed)
    if suffix == ".xml" or (not suffix and XML.match(data)):
        return Read([*read_feed(data, url, extraction).items])
    read = read_data(data, f"page{suffix}" if suffix else "", extraction)
    known = one if isinstance(one, Signal) else make_signal("", url=url)
    signals = [
        make_signal(
            known.title if known.title and known.title != url else signal.title,
            signal.text,
            url=signal.url or found_at,
            author=signal.author or known.author,
            published=signal.published or known.published,
            source=known.source or known.host,
        )
        for signal in read.signals
    ]
    return Read(signals)

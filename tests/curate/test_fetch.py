"""Fetching for intake: only if asked, from public addresses, within limits; against a real server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from notewell.curate import fetch as fetching
from notewell.curate.fetch import dial, fetch, fetch_all, is_public
from notewell.curate.signals import make_signal
from notewell.curate.sources import Read, read_data
from notewell.errors import CurateError
from notewell.index import Progress
from notewell.index.readers.sandbox import Extraction

FEED = b"<rss><channel><title>F</title><item><title>One</title><description>Text.</description></item></channel></rss>"
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/feed": (200, {"Content-Type": "application/rss+xml"}, FEED),
    "/text?q=1": (200, {"Content-Type": "text/plain; charset=utf-8"}, b"A plain text.\nOf two lines."),
    "/moved": (302, {"Location": "/text?q=1"}, b""),
    "/around": (301, {"Location": "/around"}, b""),
    "/inward": (302, {"Location": "http://127.0.0.1:9/"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/large": (200, {"Content-Type": "text/plain"}, b"x" * 20_000),
    "/zip": (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, b"x"),
    "/exe": (200, {"Content-Type": "application/octet-stream"}, b"x"),
    "/gone": (404, {"Content-Type": "text/plain"}, b""),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = PAGES[self.path]
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[str]:
    with serving() as url:
        yield url


def anywhere(address: str) -> bool:
    return True


def test_a_page_is_fetched_with_its_query_and_over_redirects(server: str) -> None:
    assert fetch(f"{server}/moved", anywhere) == (PAGES["/text?q=1"][2], "", f"{server}/text?q=1")


@pytest.mark.parametrize(
    ("path", "fact"),
    [
        ("/around", "redirects more than 5 times"),
        ("/file", "redirects to something that is not a web address"),
        ("/large", "more than 10,000 bytes"),
        ("/zip", "which Notewell does not read"),
        ("/exe", "application/octet-stream, which Notewell does not read"),
        ("/gone", "answers with 404"),
    ],
)
def test_what_goes_beyond_a_limit_is_a_fact(server: str, path: str, fact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_BYTES", 10_000)
    with pytest.raises(CurateError, match=fact):
        fetch(server + path, anywhere)


PRIVATE = "127.0.0.1 10.1.2.3 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 fe80::1%eth0 fd00::1 fec0::1"


@pytest.mark.parametrize(
    "address", [*PRIVATE.split(), "::ffff:10.0.0.1", "2002:7f00:1::", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1"]
)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_a_private_address_is_never_asked_also_behind_a_name_or_a_redirect(server: str) -> None:
    asked: list[str] = []

    def only_first(address: str) -> bool:
        asked.append(address)
        return len(asked) == 1

    for url in (server, server.replace("127.0.0.1", "localhost"), "http://[::1]:9/", "http://2130706433:9/"):
        with pytest.raises(CurateError, match="not public"):
            fetch(url)
    with pytest.raises(CurateError, match="not public"):
        fetch(f"{server}/inward", only_first)
    assert asked == ["127.0.0.1", "127.0.0.1"]


def test_a_name_is_resolved_once_so_that_it_cannot_lead_elsewhere_afterwards(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(server.rpartition(":")[2])
    real, looked_up = socket.getaddrinfo, []

    def rebinding(host: str, *rest: object, **ways: object) -> object:
        if host != "rebind.example":
            return real(host, *rest, **ways)  # type: ignore[arg-type]
        looked_up.append(host)
        return real("127.0.0.1" if len(looked_up) == 1 else "127.0.0.2", *rest, **ways)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with dial(lambda address: address == "127.0.0.1")(("rebind.example", port), 5) as connected:
        assert connected.getpeername() == ("127.0.0.1", port)
    assert looked_up == ["rebind.example"]


def test_feeds_and_pages_become_signals_and_what_fails_is_named(server: str) -> None:
    with Extraction(60) as extraction:
        read = read_data(f"Of a list {server}/text?q=1\n{server}/gone\n".encode(), "list.txt", extraction)
        assert [one.text for one in read.signals] == ["", ""]
        read.feeds.append(f"{server}/feed")
        read.signals.append(make_signal("Kept", "Has a text.", url=f"{server}/exe"))
        found = fetch_all(read, extraction, Progress(), is_allowed=anywhere)
    texts = {one.title: one.text for one in found.signals}
    assert texts == {"One": "Text.", "Of a list": "A plain text.\nOf two lines.", "Kept": "Has a text."}
    assert [(one.path, one.reason) for one in found.left] == [(f"{server}/gone", "the server answers with 404")]
    assert found.feeds == [] and Read().left == []

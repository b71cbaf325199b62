"""Addresses of servers."""

from __future__ import annotations

import pytest

from notewell.remote.address import ServerAddress, parse_address

ADDRESSES = {
    "http://127.0.0.1:11434": ServerAddress("http", "127.0.0.1", 11434),
    "https://api.example.org/v1/": ServerAddress("https", "api.example.org", 443, "/v1"),
    "HTTP://LocalHost": ServerAddress("http", "localhost", 80),
    "http://[::1]:8080": ServerAddress("http", "::1", 8080),
}
HERE = ["http://localhost:1", "http://127.0.0.1", "http://127.8.9.10", "http://[::1]"]
ELSEWHERE = [
    *("https://example.org", "http://localhost.example.org", "http://127.0.0.1.example.org", "http://127.1"),
    *("http://0.0.0.0", "http://192.168.1.2", "http://[::ffff:8.8.8.8]", "http://2130706433"),
]
NO_ADDRESSES = [
    *("", "localhost:11434", "ftp://localhost", "file:///etc/passwd", "http://", "http:///v1"),
    *("http://localhost:port", "http://localhost:99999", "http://[::1", "http://local host"),
    *("http://localhost\n.example.org", "http://löcalhost", "http://name:" + "-".join(("pass", "word")) + "@localhost"),
    *("http://localhost\\@example.org", "http://localhost?to=example.org", "http://localhost#example.org"),
]


def test_an_address_is_split_and_written_again() -> None:
    assert {url: parse_address(url) for url in ADDRESSES} == ADDRESSES
    assert {url: parse_address(str(address)) for url, address in ADDRESSES.items()} == ADDRESSES


def test_only_this_machine_is_here() -> None:
    assert [url for url in (*HERE, *ELSEWHERE) if parse_address(url).is_here] == HERE


def test_anything_but_a_plain_address_is_refused_and_not_repeated() -> None:
    for url in NO_ADDRESSES:
        with pytest.raises(ValueError, match=r"^(contains|is|should) ") as caught:
            parse_address(url)
        assert "pass-word" not in str(caught.value)

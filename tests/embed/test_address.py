from __future__ import annotations

import pytest

from notewell.embed.address import Address, parse_address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:11434", Address("http", "127.0.0.1", 11434)),
        ("https://api.example.org/v1/", Address("https", "api.example.org", 443, "/v1")),
        ("HTTP://LocalHost", Address("http", "localhost", 80)),
        ("http://[::1]:8080", Address("http", "::1", 8080)),
    ],
)
def test_an_address_is_taken_apart_and_written_again(url: str, address: Address) -> None:
    assert parse_address(url) == address == parse_address(str(address))


@pytest.mark.parametrize(
    "url",
    ["http://localhost:1", "http://127.0.0.1", "http://127.8.9.10", "http://[::1]"],
)
def test_this_machine_is_known(url: str) -> None:
    assert parse_address(url).is_here


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://127.1",
        "http://0.0.0.0",
        "http://192.168.1.2",
        "http://[::ffff:8.8.8.8]",
        "http://2130706433",
    ],
)
def test_any_other_machine_is_not_this_one(url: str) -> None:
    assert not parse_address(url).is_here


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://localhost:port",
        "http://localhost:99999",
        "http://[::1",
        "http://local host",
        "http://localhost\n.example.org",
        "http://löcalhost",
        "http://name:" + "-".join(("pass", "word")) + "@localhost",
        "http://localhost\\@example.org",
        "http://localhost?to=example.org",
        "http://localhost#example.org",
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match=r"^(has|is|holds|should) ") as caught:
        parse_address(url)
    assert "pass-word" not in str(caught.value)

"""Addresses of databases: passwords are refused however they are written, and never repeated."""

from __future__ import annotations

import pytest

from notewell.store.postgres.address import wrong_url

WORD = "-".join(("se", "same"))


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ada:{WORD}@db/notes",
        f"postgresql://:{WORD}@db/notes",
        f"postgresql://ada@db/notes?password={WORD}",
        f"postgresql://ada@db/notes?sslpassword={WORD}",
        f"postgresql://ada@db/notes?oauth_client_secret={WORD}",
        # Not escaped, these end the address before its `@`.
        f"postgresql://ada:{WORD}/1@db/notes",
        f"postgresql://ada:{WORD}#1@db/notes",
        f"postgresql://ada:5/{WORD}@db/notes",
    ],
)
def test_a_password_is_refused_and_not_repeated(address: str) -> None:
    fact, hint = wrong_url(address) or ("", "")
    assert fact == "store.url contains a password" and "pgpass" in hint and WORD not in fact + hint


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ada:5?{WORD}@db/notes",
        f"postgresql://{WORD}:port/notes",
        f"host=db password={WORD}",
        f"http://db/{WORD}",
        f"postgresql://db/notes?{WORD}",
        "postgresql://[::1/notes",
    ],
)
def test_what_is_no_address_is_told_so(address: str) -> None:
    fact, hint = wrong_url(address) or ("", "")
    assert fact.startswith("store.url ") and "postgresql://role@host" in hint and WORD not in fact + hint


@pytest.mark.parametrize(
    "address",
    [
        "",
        "postgresql:///notes",
        "postgresql://ada@db",
        "postgres://ada@db:5433/notes?passfile=/home/a@b/word&sslmode=verify-full",
        "postgresql://ada@[::1]:5432/notes",
        "postgresql://ada@one:5432,two:5433/notes?target_session_attrs=read-write",
        "postgresql:///notes?host=/run/postgresql",
    ],
)
def test_what_libpq_takes_is_taken(address: str) -> None:
    assert wrong_url(address) is None

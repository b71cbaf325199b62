"""Where a store on a server is, for people; it knows no driver, so that settings can be checked without one."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qsl, urlsplit

SCHEMES = ("postgresql", "postgres")
# Options of libpq that are secrets end so.
SECRET = ("password", "secret")
# One host or several, each with or without a port; an address of IPv6 in brackets.
HOSTS = re.compile(r"(?:(?:\[[^\]]*\]|[^:,]*)(?::\d+)?,?)*")
FORM = "Write it as postgresql://role@host:5432/database"


def place_of(url: str) -> str:
    """Return where a store is, for people: the server and the database, without anything secret.

    >>> place_of("postgresql://ada:word@db.example.org:5433/notes?passfile=/x")
    'db.example.org:5433/notes'
    """
    split = urlsplit(url)
    named = dict(parse_qsl(split.query))
    hosts = split.netloc.rpartition("@")[2] or named.get("host") or os.environ.get("PGHOST", "localhost")
    return f"{hosts}/{split.path.lstrip('/') or named.get('dbname') or os.environ.get('PGDATABASE', '')}".rstrip("/")


def wrong_url(url: str, name: str = "store.url") -> tuple[str, str] | None:
    """Return what is wrong with an address in the setting `name`, and what to do; None if nothing is.

    A password would be shown with the settings, and kept wherever they are.

    >>> wrong_url("postgresql://ada@db/notes?sslmode=require"), wrong_url("postgresql://ada:word@db/notes")[0]
    (None, 'store.url contains a password')
    """
    if not url:
        return None
    try:
        split = urlsplit(url)
        options = dict(parse_qsl(split.query, keep_blank_values=True, strict_parsing=bool(split.query)))
    except ValueError:
        return f"{name} is not an address", FORM
    if split.scheme not in SCHEMES:
        return f"{name} does not begin with postgresql://", FORM
    role, at, hosts = split.netloc.rpartition("@")
    # With a `/` or `#` in it that is not escaped, the address would seem to end there.
    if ":" in role or any(key.endswith(SECRET) for key in options) or (not at and "@" in split.path + split.fragment):
        return f"{name} contains a password", "Put it into ~/.pgpass or PGPASSWORD, or name a file: ?passfile=/path"
    if not HOSTS.fullmatch(hosts):
        return f"{name} is not an address", FORM
    return None

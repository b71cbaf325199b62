"""A file made ready to be a store: tables for a new one, today's format for an older one, and no other's database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import apsw

from notewell.errors import StoreError
from notewell.store import MadeFor
from notewell.store.sqlite import queries
from notewell.store.sqlite.schema import APPLICATION_ID, MIGRATIONS, TABLES, VERSION

# What a new store says of itself, beside what it was made for.
NEW = {"generation": 0, "arrays": 0, "indexed_at": "", "worn": 0, "fine": "", "linked": -1}


def prepare(db: apsw.Connection, file: Path, made_for: Callable[[], MadeFor]) -> None:
    """Make the tables of a new file, bring an older one up to date, and refuse what is not ours."""
    if db.execute(queries.ANY_TABLE).get is None:
        _create(db, made_for())
    elif db.pragma("application_id") != APPLICATION_ID:
        raise StoreError(f"{file} is another program's database", "Set store.path to a file that Notewell may write")
    version = int(db.pragma("user_version"))
    if version > VERSION:
        raise StoreError(
            f"{file} was written by a newer Notewell (format {version}, this one knows {VERSION})",
            "Update with `pip install -U notewell`; the store was left as it is",
        )
    if version < VERSION:
        _migrate(db)


def _create(db: apsw.Connection, made_for: MadeFor) -> None:
    # Before the log of WAL mode takes the writes: the file itself says from its first byte whose it is.
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("journal_mode", "wal")
    db.execute("begin immediate")
    # Another process may have made the tables while this one waited.
    if db.execute(queries.ANY_TABLE).get is None:
        db.execute(TABLES)
        for key, value in {**asdict(made_for), **NEW}.items():
            db.execute(queries.SET_META, {"key": key, "value": value})
        db.pragma("user_version", VERSION)
    db.execute("commit")


def _migrate(db: apsw.Connection) -> None:
    """Bring the tables from the format they have to the present one, all steps or none."""
    db.execute("begin immediate")
    try:
        for version in range(int(db.pragma("user_version")), VERSION):
            db.execute(MIGRATIONS[version])
            db.pragma("user_version", version + 1)
        db.execute("commit")
    except BaseException:
        db.execute("rollback")
        raise

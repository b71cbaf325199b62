"""A part of all stores moved from one node to another, in one transaction, while searches go on."""

from __future__ import annotations

import time
from collections.abc import Mapping

import psycopg
from psycopg import errors

from notewell.errors import StoreBusy
from notewell.store.postgres.spread import COLUMNS, HOME, KEYS, attached, bounds

# How long a switch of parts waits for searches before it lets others through, and how often, in milliseconds: a search
# takes less, and a deadlock would be found after a second.
SWITCH_MS, SWITCHES = 250, 240
# A schema with the foreign tables of a node once more, which are no partitions: rows of another part pass.
DOORWAY = "notewell_doorway"
PROMISE = "kept_parts"


def parts_of_nodes(db: psycopg.Connection) -> dict[str, list[int]]:
    """Return which parts each node has."""
    return dict(db.execute("select name, parts from notewell.node order by length(name), name").fetchall())


def move_part(db: psycopg.Connection, part: int, source: str, target: str) -> None:
    """Move a part, which searches see in one of both places; nobody may write meanwhile."""
    before = parts_of_nodes(db)
    after = {source: [each for each in before[source] if each != part], target: [*before[target], part]}
    if source == HOME:
        _promise(db, after[HOME])
    with db.transaction():
        if target == HOME:
            # Rows can only go in while it is no partition.
            _lock_out(db)
            _detach(db, {HOME: before[HOME]})
            _copy(db, part, source, HOME)
        else:
            _copy(db, part, source, _doorway(db, target))
        _delete(db, part, source)
        _lock_out(db)
        _detach(db, {name: before[name] for name in after if not name == target == HOME})
        for name, its in after.items():
            for table in KEYS if its else ():
                db.execute(attached(name, table, its).encode())
            db.execute("update notewell.node set parts = %s where name = %s", (sorted(its), name))
        forget_promise(db)
        db.execute(f"drop schema if exists {DOORWAY} cascade".encode())


def give_up(db: psycopg.Connection, lost: str) -> None:
    """Have this server take over the parts of a node that is gone for good, without their rows."""
    before = parts_of_nodes(db)
    parts = [*before[HOME], *before[lost]]
    forget_promise(db)
    _lock_out(db)
    _detach(db, {HOME: before[HOME], lost: before[lost]})
    for table in KEYS if parts else ():
        db.execute(attached(HOME, table, parts).encode())
    db.execute("update notewell.node set parts = %s where name = %s", (sorted(parts), HOME))


def _delete(db: psycopg.Connection, part: int, source: str) -> None:
    """Delete a part at its old place; on this server, make its partitions keep their promise."""
    for table in KEYS:
        db.execute(f"delete from {source}.{table} where part = %s".encode(), (part,))
        if source == HOME:
            db.execute(f"alter table {HOME}.{table} validate constraint {PROMISE}".encode())


def _doorway(db: psycopg.Connection, node: str) -> str:
    tables = ", ".join(KEYS)
    db.execute(f"create schema {DOORWAY}".encode())
    db.execute(f"import foreign schema {HOME} limit to ({tables}) from server {node} into {DOORWAY}".encode())
    return DOORWAY


def _copy(db: psycopg.Connection, part: int, source: str, target: str) -> None:
    for table in KEYS:
        columns = f"store, {COLUMNS[table]}"
        copied = f"insert into {target}.{table} ({columns}) select {columns} from {source}.{table} where part = %s"
        db.execute(copied.encode(), (part,))


def _promise(db: psycopg.Connection, kept: list[int]) -> None:
    """Promise which parts this server's partitions will have, so that attaching them needs no scan."""
    with db.transaction():
        forget_promise(db)
        for table in KEYS:
            condition = f"part {bounds(kept)}" if kept else "false"
            db.execute(f"alter table {HOME}.{table} add constraint {PROMISE} check ({condition}) not valid".encode())


def forget_promise(db: psycopg.Connection) -> None:
    """Drop the promise of a move, also of one that was interrupted."""
    for table in KEYS:
        db.execute(f"alter table {HOME}.{table} drop constraint if exists {PROMISE}".encode())


def forget_copies(db: psycopg.Connection) -> None:
    """Delete rows of parts that are on another node: of a move whose servers did not all commit."""
    for name, its in parts_of_nodes(db).items():
        found = db.execute(f"select distinct part from {name}.mark where part != all(%s)".encode(), (its,)).fetchall()
        for (part,) in found:
            for table in KEYS:
                db.execute(f"delete from {name}.{table} where part = %s".encode(), (part,))


def _lock_out(db: psycopg.Connection) -> None:
    """Wait for a moment without a search, letting searches through between attempts."""
    tables = ", ".join(f"notewell.{table}" for table in KEYS)
    db.execute("select set_config('lock_timeout', %s, true)", (str(SWITCH_MS),))
    for _ in range(SWITCHES):
        try:
            with db.transaction():
                db.execute(f"lock table {tables} in access exclusive mode".encode())
            db.execute("select set_config('lock_timeout', '0', true)")
            return
        except errors.LockNotAvailable:
            time.sleep(SWITCH_MS / 1000)
    raise StoreBusy("Another process has been reading the database for minutes", "Wait for it, then run it again")


def _detach(db: psycopg.Connection, parts: Mapping[str, list[int]]) -> None:
    for name, its in parts.items():
        for table in KEYS if its else ():
            db.execute(f"alter table notewell.{table} detach partition {name}.{table}".encode())

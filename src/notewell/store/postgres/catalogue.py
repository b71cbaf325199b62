"""The vaults of a database and their stores: found, made, exchanged and deleted."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

import psycopg

from notewell.errors import StoreError
from notewell.store import MadeFor
from notewell.store.postgres.connection import OLDEST_SERVER, Connections
from notewell.store.postgres.meta import Meta
from notewell.store.postgres.schema import MIGRATIONS, OLDEST, SEPARATED, VERSION, statements
from notewell.store.postgres.spread import HOME, PARTS
from notewell.store.tables.state import NEW

# Keys of advisory locks: for the tables, and with the number of a vault for what one process at a time may do with it.
MAKING = 0x4E57656C
# Held together by those who write, and by one alone who moves parts between nodes.
MOVING = 0x4E576D76
# For one vault each, by purpose: their first key, and what a process that has to wait is told.
LOCKS = {
    "index": (1, "is writing to this vault's store"),
    "encode": (2, "is encoding this vault's chunks"),
    "write": (3, "is writing to this vault's store"),
}

ABOUT_ROLE = """
select
    (select rolsuper or rolbypassrls from pg_roles where rolname = current_user),
    to_regclass('notewell.format') is not null,
    current_setting('server_version_num')::int / 10000
"""

FIND = """
select store.id, store.vault, store.parts, (select jsonb_object_agg(name, parts) from notewell.node) as nodes
from notewell.store
join notewell.vault on vault.id = store.vault
where vault.name = %(name)s and place = %(place)s
"""

# Begins a transaction on the store in use: one round trip with `begin` and its keys.
USE = f"""
select set_config('notewell.store', coalesce((select id::text from ({FIND}) as found), ''), true) as number
"""
USE_ONE = """
select set_config('notewell.store', %(store)s::text, true)
"""

# Who holds an advisory lock: those with two keys have the first as `classid`.
HOLDER = """
select activity.pid, usename, client_addr::text, to_char(backend_start, 'HH24:MI:SS')
from pg_locks
join pg_stat_activity as activity using (pid)
where locktype = 'advisory' and granted and classid = %s and objid = %s and objsubid = 2
    and pg_locks.database = (select oid from pg_database where datname = current_database())
order by activity.pid
limit 1
"""

ADD_VAULT = """
insert into notewell.vault (name)
values (%(name)s)
on conflict do nothing
"""

ADD_STORE = """
insert into notewell.store (vault, place, parts)
select id, %(place)s, case when (select count(*) from notewell.node) > 1 then %(parts)s else 1 end
from notewell.vault
where name = %(name)s
returning id
"""

MARK_NEW = """
insert into mark (store, part, made)
select %(store)s, part, 0
from generate_series(0, %(parts)s - 1) as every (part)
"""

# The one in use gives way, and is deleted afterwards, when nobody reads it any more.
GIVE_WAY = """
update notewell.store
set place = null
where id = %(store)s
"""

TAKE_OVER = """
update notewell.store
set place = 'current'
where id = %(store)s
"""

# Stores that gave way, of vaults that this role may change.
LEFT = """
select store.id
from notewell.store
join notewell.vault on vault.id = store.vault
where place is null and vault.name = %(name)s
order by store.id
"""


class Found(NamedTuple):
    """A store of a vault: its number, its vault's number, how many parts it has, and the parts of each node."""

    store: int
    vault: int
    parts: int
    nodes: dict[str, list[int]]

    @property
    def asks_nodes(self) -> bool:
        """Tell whether some of its parts are on other servers."""
        return any(node != HOME and self.here_on(node) for node in self.nodes)

    def leaves_out(self, lost: Collection[str]) -> bool:
        """Tell whether a reader does not ask some node of the database, which is lost or has none of its parts."""
        return any(node in lost or not self.here_on(node) for node in self.nodes)

    def here(self, lost: Collection[str] = ()) -> list[int]:
        """Return its parts, without those on nodes that are lost."""
        return sorted(part for node in self.nodes if node not in lost for part in self.here_on(node))

    def here_on(self, node: str) -> list[int]:
        """Return its parts on a node."""
        return [part for part in self.nodes[node] if part < self.parts]

    def node_of(self, part: int) -> str:
        """Return the node that has a part."""
        return next(node for node, parts in self.nodes.items() if part in parts)


def prepare(connections: Connections) -> None:
    """Make the tables of a new database, migrate those of an older version, and refuse what cannot be used."""
    with connections.taken() as db:
        above_policies, has_tables, version = db.execute(ABOUT_ROLE).fetchall()[0]
        if version < OLDEST_SERVER:
            fact = f"PostgreSQL at {connections.place} is version {version}"
            raise StoreError(fact, f"Update it to {OLDEST_SERVER} or newer")
        if above_policies:
            # Its rules do not hold for such a role, so that it would read and write the rows of all vaults at once.
            raise StoreError(
                f"The role in store.url bypasses the policies that keep vaults apart at {connections.place}",
                "Use a role that is not a superuser and has no BYPASSRLS; see docs/guides/team.md",
            )
        if not has_tables or _checked_format(db, connections.place) < VERSION:
            _make(db)


def _checked_format(db: psycopg.Connection, place: str) -> int:
    """Return the format of the tables; one that this version does not know is an error."""
    found = int(db.execute("select version from notewell.format").fetchall()[0][0])
    if OLDEST <= found <= VERSION:
        return found
    raise StoreError(
        f"The tables at {place} belong to another version of Notewell (format {found}, this one {VERSION})",
        "Update with `pip install -U notewell`; the tables are unchanged"
        if found > VERSION
        else "Name another database, or drop the schema `notewell` there; then run `notewell index`",
    )


def _make(db: psycopg.Connection) -> None:
    """Make or migrate the tables in one transaction, while others who would do so wait."""
    with db.transaction():
        db.execute("select pg_advisory_xact_lock(%s)", (MAKING,))
        if db.execute("select to_regclass('notewell.format') is null").fetchone() == (True,):
            db.execute(statements().encode())
            return
        for version in range(int(db.execute("select version from notewell.format").fetchall()[0][0]), VERSION):
            db.execute(MIGRATIONS[version].encode())
            db.execute("update notewell.format set version = %s", (version + 1,))


def exists(connections: Connections, name: str) -> bool:
    """Tell whether a database has a store of this vault; asking creates no tables."""
    with connections.taken() as db:
        if db.execute("select to_regclass('notewell.format') is null").fetchone() == (True,):
            return False
        # Before any table is read that an older or newer version lacks.
        _checked_format(db, connections.place)
        return find(db, name, "current") is not None


def find(db: psycopg.Connection, name: str, place: str) -> Found | None:
    """Return a store of a vault; None if there is none, or none that this role may see."""
    row = db.execute(FIND, {"name": name, "place": place}).fetchone()
    return Found(*row) if row else None


def create(db: psycopg.Connection, name: str, place: str, made_for: MadeFor, parts: int = PARTS) -> Found:
    """Make an empty store of a vault, and the vault if it is new; return one that another process made meanwhile.

    With nodes, it is spread over them in `parts`.
    """
    with db.transaction():
        db.execute("select pg_advisory_xact_lock(%s, hashtext(%s))", (MAKING, name))
        if found := find(db, name, place):
            return found
        db.execute(ADD_VAULT, {"name": name})
        if db.execute(ADD_STORE, {"name": name, "place": place, "parts": parts}).fetchone() is None:
            raise StoreError(
                f"The vault '{name}' belongs to another role", "Ask its owner for access, or set store.name"
            )
        found = find(db, name, place)
        assert found is not None, "it was made in this transaction"
        db.execute(USE_ONE, {"store": found.store})
        meta = Meta({})
        for key, value in {**made_for._asdict(), **NEW, "id": os.urandom(16).hex()}.items():
            meta[key] = value
        meta.save(db, found.store)
        db.execute(MARK_NEW, {"store": found.store, "parts": found.parts})
        return found


def delete(db: psycopg.Connection, store: int) -> None:
    """Delete a store with all its rows."""
    with db.transaction():
        db.execute(USE_ONE, {"store": store})
        for table in reversed(SEPARATED):
            db.execute(f"delete from notewell.{table} where store = %s".encode(), (store,))
        db.execute("delete from notewell.store where id = %s", (store,))


def delete_left(db: psycopg.Connection, name: str) -> None:
    """Delete the stores of a vault that were replaced."""
    for (store,) in db.execute(LEFT, {"name": name}).fetchall():
        delete(db, store)

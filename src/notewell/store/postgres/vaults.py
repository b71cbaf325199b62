"""The vaults of a database, as far as a role may see them: listed, and deleted with all their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from notewell.errors import StoreBusy, StoreError
from notewell.frozen import frozen
from notewell.store.postgres.catalogue import LOCKS, MOVING, USE_ONE, delete, prepare

if TYPE_CHECKING:
    from notewell.store.postgres.connection import Connections

LISTED = """
select vault.id, name, owner::text, coalesce(store.id, 0), pg_has_role(owner::oid, 'member')
from notewell.vault
left join notewell.store on store.vault = vault.id and place = 'current'
order by name
"""
OF_VAULT = """
select id
from notewell.store
where vault = %s
order by id
"""


@frozen
class StoredVault:
    """A vault that a database has."""

    name: str
    """Its name there."""
    owner: str
    """The role that indexed it first."""
    own: bool
    """Whether this role may delete it."""
    notes: int
    """How many notes are indexed."""


def stored_vaults(connections: Connections) -> list[StoredVault]:
    """Return the vaults that this role may read, by name."""
    prepare(connections)
    with connections.taken() as db, db.transaction():
        rows = db.execute(LISTED).fetchall()
        return [StoredVault(name, owner, own, _notes(db, store)) for _, name, owner, store, own in rows]


def _notes(db: psycopg.Connection, store: int) -> int:
    db.execute(USE_ONE, {"store": store})
    return int(db.execute("select count(*) from notewell.note").fetchall()[0][0])


def delete_vault(connections: Connections, name: str) -> None:
    """Delete a vault of this role with all its rows; the notes themselves are no part of it."""
    prepare(connections)
    with connections.taken() as db, db.transaction():
        found = {row[1]: row for row in db.execute(LISTED).fetchall()}
        if name not in found:
            raise StoreError(
                f"There is no vault '{name}' at {connections.place}", "`notewell server vaults` lists them"
            )
        vault, _, owner, _, own = found[name]
        if not own:
            raise StoreError(f"The vault '{name}' belongs to the role {owner}", "Only that role can delete it")
        # Nor while a part moves, whose rows are in two places.
        db.execute("select pg_advisory_xact_lock_shared(%s)", (MOVING,))
        for key, doing in LOCKS.values():
            if db.execute("select pg_try_advisory_xact_lock(%s, %s)", (key, vault)).fetchone() != (True,):
                raise StoreBusy(f"Another process {doing}", "Wait for it to end, then try again")
        for (store,) in db.execute(OF_VAULT, (vault,)).fetchall():
            delete(db, store)
        db.execute("delete from notewell.vault where id = %s", (vault,))

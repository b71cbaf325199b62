"""Who reads and writes which vault of a database: roles, and policies that nobody steps over."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from tests.store.notes import matching, put
from tests.store.servers import shared_server

from notewell.errors import StoreBusy, StoreError
from notewell.serve.own_server import HOST, SUPERUSER
from notewell.store import MadeFor, Store
from notewell.store.postgres.connection import Connections
from notewell.store.postgres.schema import SEPARATED
from notewell.store.postgres.store import PostgresStore
from notewell.store.postgres.vaults import StoredVault, delete_vault, stored_vaults
from notewell.types.note import Stamp

pytestmark = pytest.mark.postgres

MADE_FOR = MadeFor("words/27", 27, "1")


class Users:
    """Roles with passwords of their own, and their stores."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connections: dict[str, Connections] = {}
        self.owner = Connections(shared_server().url())
        # The tables exist before anybody else comes.
        PostgresStore(self.owner, f"{folder} of the owner", lambda: MADE_FOR)

    def add(self, name: str, *groups: str) -> str:
        role, word = f"{name}_{secrets.token_hex(4)}", secrets.token_hex(8)
        self.sql(f"create role {role} login password '{word}'")
        for group in groups:
            self.sql(f"grant {group} to {role}")
        self.enter(role, word)
        return role

    def enter(self, role: str, word: str) -> None:
        file = self._folder / role
        file.write_text(f"*:*:*:*:{word}\n")
        file.chmod(0o600)
        url = f"postgresql://{role}@{HOST}:{shared_server().port}/notewell?passfile={quote(str(file))}"
        self._connections[role] = Connections(url)

    def connections(self, role: str) -> Connections:
        return self._connections[role]

    def store(self, role: str, vault: str) -> PostgresStore:
        return PostgresStore(self._connections[role], f"{self._folder} {vault}", lambda: MADE_FOR)

    def rows(self, role: str, statement: str, store: int | str = "") -> list[tuple[object, ...]]:
        """Run a statement as somebody who writes SQL by hand, in a session that names a store."""
        with psycopg.connect(self._connections[role].url, autocommit=True) as db:
            db.execute("select set_config('notewell.store', %s, false)", (str(store),))
            cursor = db.execute(statement.encode())
            return cursor.fetchall() if cursor.description else [(cursor.rowcount,)]

    def sql(self, statement: str) -> None:
        with self.owner.taken() as db:
            db.execute(statement.encode())

    def close(self) -> None:
        for connections in (self.owner, *self._connections.values()):
            connections.close()


@pytest.fixture
def users(tmp_path: Path) -> Iterator[Users]:
    made = Users(tmp_path)
    yield made
    made.close()


def number_of(store: PostgresStore) -> int:
    return store._sessions.found.store


def filled(store: PostgresStore) -> PostgresStore:
    with store.writing() as writer:
        put(writer, "secret.md", "rye")
        writer.skip("skipped.md", Stamp(1, 2), "reason", again=False)
    return store


def test_no_statement_shows_or_changes_a_row_of_another_vault(users: Users) -> None:
    ada, bob = (users.add(name, "notewell_writer") for name in ("ada", "bob"))
    hers, his = filled(users.store(ada, "hers")), filled(users.store(bob, "his"))
    # A session may name any store, which does not let it in.
    for named in ("", number_of(hers), number_of(his)):
        for table in SEPARATED:
            assert users.rows(bob, f"select 1 from notewell.{table} where store = {number_of(hers)}", named) == []
            assert users.rows(bob, f"delete from notewell.{table} where store = {number_of(hers)}", named) == [(0,)]
    assert users.rows(bob, "select count(*) from notewell.note", number_of(his)) == [(1,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        users.rows(bob, f"insert into notewell.meta values ({number_of(hers)}, 'mine', '1')", number_of(hers))
    # Nor does it let rows out of his own store into hers.
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        users.rows(bob, f"update notewell.note set store = {number_of(hers)}", number_of(his))
    assert users.rows(bob, f"select name from notewell.vault where name like '%{users._folder} hers'") == []
    assert users.rows(bob, f"select 1 from notewell.store where id = {number_of(hers)}") == []
    with pytest.raises(StoreError, match="belongs to another role"):
        users.store(bob, "hers")
    assert matching(hers, "rye") == matching(his, "rye") == ["secret.md"]


def test_even_the_owner_of_the_tables_reads_one_store_at_a_time(users: Users) -> None:
    ada = users.add("ada", "notewell_writer")
    filled(users.store(ada, "hers"))
    with users.owner.taken() as db:
        assert db.execute("select count(*) from notewell.note").fetchone() == (0,)


def share(users: Users, owner: str, vault: str, role: str, writes: bool) -> None:
    users.rows(
        owner,
        f"insert into notewell.access (vault, role, writes) select id, '{role}', {writes} from notewell.vault "
        f"where name = '{users._folder} {vault}'",
    )


def test_a_vault_is_shared_for_reading_or_for_writing(users: Users) -> None:
    ada = users.add("ada", "notewell_writer")
    reader, writer = users.add("reader", "notewell_reader"), users.add("writer", "notewell_writer")
    hers = filled(users.store(ada, "hers"))
    share(users, ada, "hers", reader, False)
    share(users, ada, "hers", writer, True)
    read: Store = users.store(reader, "hers")
    assert matching(read, "rye") == ["secret.md"]
    with pytest.raises(StoreError, match="may not do this"), read.writing() as batch:
        put(batch, "b.md", "rye")
    with users.store(writer, "hers").writing() as batch:
        put(batch, "b.md", "rye")
    assert matching(hers, "rye") == matching(read, "rye") == ["secret.md", "b.md"]


def test_the_guide_shares_a_vault_with_a_reader(users: Users) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/team.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(.*?)```", guide, re.DOTALL)
    ada, bob = (f"{name}_{secrets.token_hex(4)}" for name in ("ada", "bob"))
    for written, meant in (("ada", ada), ("bob", bob), ("recipes", f"{users._folder} hers")):
        block = re.sub(rf"\b{written}\b", meant, block)
    of_database, of_vault = block.split("-- As ", 2)[1:]
    for statement in of_database.partition("\n")[2].split(";"):
        if statement.strip():
            users.sql(statement)
    for role, word in ((ada, "a word of hers"), (bob, "a word of his")):
        users.enter(role, word)
    hers = filled(users.store(ada, "hers"))
    users.rows(ada, of_vault.partition("\n")[2])
    his = users.store(bob, "hers")
    assert matching(his, "rye") == matching(hers, "rye") == ["secret.md"]
    with pytest.raises(StoreError, match="may not do this"), his.writing() as batch:
        put(batch, "b.md", "rye")


def test_a_role_with_access_to_read_cannot_write_whatever_it_may_elsewhere(users: Users) -> None:
    ada, bob = (users.add(name, "notewell_writer") for name in ("ada", "bob"))
    hers = filled(users.store(ada, "hers"))
    share(users, ada, "hers", bob, False)
    assert users.rows(bob, "select path from notewell.note", number_of(hers)) == [("secret.md",)]
    assert users.rows(bob, "delete from notewell.note", number_of(hers)) == [(0,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        share(users, bob, "hers", bob, True)


def test_a_superuser_is_refused_since_no_policy_holds_for_one() -> None:
    connections = Connections(shared_server().url(SUPERUSER))
    with pytest.raises(StoreError, match="bypasses the policies") as caught:
        PostgresStore(connections, "any", lambda: MADE_FOR)
    connections.close()
    assert "superuser" in caught.value.hint


def test_a_vault_is_listed_for_those_who_read_it_and_deleted_by_its_owner_with_every_row(users: Users) -> None:
    ada, bob = users.add("ada", "notewell_writer"), users.add("bob", "notewell_reader")
    hers, kept = filled(users.store(ada, "hers")), filled(users.store(ada, "kept"))
    share(users, ada, "hers", bob, False)
    name = f"{users._folder} hers"
    hers_of, his = users.connections(ada), users.connections(bob)
    assert stored_vaults(his) == [StoredVault(name, ada, False, 1)]
    assert [(one.name, one.own) for one in stored_vaults(hers_of)] == [(name, True), (f"{users._folder} kept", True)]
    with pytest.raises(StoreError, match=f"belongs to the role {ada}"):
        delete_vault(his, name)
    with pytest.raises(StoreError, match="no vault 'none'"):
        delete_vault(hers_of, "none")
    with hers.locked(), pytest.raises(StoreBusy, match="is writing to this vault's store"):
        delete_vault(hers_of, name)
    delete_vault(hers_of, name)
    with psycopg.connect(shared_server().url(SUPERUSER, "notewell")) as db:
        for table in SEPARATED:
            rows = db.execute(f"select 1 from notewell.{table} where store = {number_of(hers)}".encode())
            assert rows.fetchall() == [], table
    assert [one.name for one in stored_vaults(hers_of)] == [f"{users._folder} kept"]
    assert matching(kept, "rye") == ["secret.md"]


def test_the_commands_list_and_delete_a_vault(
    users: Users, tmp_path: Path, run_command: Callable[..., tuple[int, str, str]]
) -> None:
    ada = users.add("ada", "notewell_writer")
    filled(users.store(ada, "hers"))
    name, here = f"{users._folder} hers", ("--database", users.connections(ada).url)
    assert run_command(tmp_path, "server", "vaults", *here)[:2] == (0, f"{name}  1 note  {ada}\n")
    told = json.loads(run_command(tmp_path, "server", "vaults", *here, "--json")[1])
    assert told == {"vaults": [{"name": name, "owner": ada, "own": True, "notes": 1}]}
    assert run_command(tmp_path, "server", "vaults", "delete", name, *here) == (0, "", f"{name} deleted\n")
    assert run_command(tmp_path, "server", "vaults", *here)[:2] == (0, "")

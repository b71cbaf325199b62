"""Replicas of a server: real streaming standbys that answer, lag, stop and come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import Standby, own_server, standby_of

from notewell import Vault
from notewell.errors import SettingsError, StoreUnreachable
from notewell.serve.own_server import OwnServer
from notewell.store.postgres import replicas as module
from notewell.store.postgres.connection import Connections
from notewell.types.notices import Notice

pytestmark = pytest.mark.postgres

# Replication on a busy machine; a test that waits this long has failed.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def primary() -> Iterator[OwnServer]:
    """A server that is written."""
    with own_server() as made:
        yield made


@pytest.fixture(scope="module")
def standby(primary: OwnServer) -> Iterator[Standby]:
    """A replica of it, which follows."""
    with standby_of(primary) as made:
        yield made


@pytest.fixture
def follows(standby: Standby) -> Iterator[Standby]:
    """A replica that follows at the end, too, whatever a test did."""
    yield standby
    standby.run_sql("select pg_wal_replay_resume()")


OpenVault = Callable[..., Vault]


@pytest.fixture
def open_vault(
    primary: OwnServer, standby: Standby, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenVault]:
    """Opens a vault of one note, as another process would each time."""
    # Each test decides how long an answer waits and a replica rests: none depends on how busy the machine is.
    monkeypatch.setattr(module, "WAIT", PATIENCE)
    monkeypatch.setattr(module, "REST", 0.0)
    (tmp_path / "Bees.md").write_text("A hive of honey bees.\n")
    opened = []

    def open_it(**settings: Any) -> Vault:
        given = {
            "store.url": primary.url(),
            "store.replicas": [standby.url()],
            "embed.model": "words",
            "search.floor": 0,
            **settings,
        }
        opened.append(Vault.open(tmp_path, given))
        return opened[-1]

    yield open_it
    for vault in opened:
        vault.close()


def paths(vault: Vault, text: str) -> list[str]:
    return [hit.path for hit in vault.search(f'"{text}"', refresh=False).hits]


def sessions(server: Standby) -> int:
    told = server.run_sql("select count(*) from pg_stat_activity where application_name = 'notewell'")
    return int(told)


def test_a_search_is_answered_by_the_replica(open_vault: OpenVault, standby: Standby) -> None:
    vault = open_vault()
    vault.index()
    assert sessions(standby) == 0
    assert paths(vault, "honey") == ["Bees.md"]
    assert sessions(standby) == 1


def test_what_this_process_indexed_is_in_its_next_answer(open_vault: OpenVault, follows: Standby) -> None:
    vault = open_vault()
    vault.index()
    for number in range(5):
        (vault.root / f"{number}.md").write_text(f"Wasp number{number}.\n")
        vault.index()
        assert paths(vault, f"number{number}") == [f"{number}.md"]


def test_the_primary_answers_while_the_replica_lacks_what_this_process_wrote(
    open_vault: OpenVault, follows: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault()
    vault.index()
    assert paths(vault, "honey") == ["Bees.md"]
    monkeypatch.setattr(module, "WAIT", 0.0)
    follows.run_sql("select pg_wal_replay_pause()")
    (vault.root / "Wasps.md").write_text("A wasp.\n")
    vault.index()
    results = vault.search('"wasp"')
    assert [hit.path for hit in results.hits] == ["Wasps.md"] and results.notices == ()


def test_a_replica_that_is_behind_says_which_state_it_has(
    open_vault: OpenVault, follows: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = open_vault(), open_vault()
    writer.index()
    before = reader.search("honey").generation
    monkeypatch.setattr(module, "WAIT", 0.0)
    follows.run_sql("select pg_wal_replay_pause()")
    (writer.root / "Wasps.md").write_text("A wasp.\n")
    writer.index()
    newest = writer.store.state.generation
    results = reader.search("honey", refresh=False)
    assert results.generation == before < newest
    assert results.notices == (Notice("replica_behind", {"generation": before, "newest": newest}),)
    follows.run_sql("select pg_wal_replay_resume()")
    monkeypatch.setattr(module, "WAIT", PATIENCE)
    results = reader.search('"wasp"', refresh=False)
    assert results.generation == newest and not results.notices


def test_an_answer_waits_for_a_change_that_is_on_its_way(open_vault: OpenVault, follows: Standby) -> None:
    writer, reader = open_vault(), open_vault()
    writer.index()
    (writer.root / "Wasps.md").write_text("A wasp.\n")
    writer.index()
    assert paths(reader, "wasp") == ["Wasps.md"]


def test_the_primary_answers_while_the_replica_is_down(
    open_vault: OpenVault, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault()
    vault.index()
    assert paths(vault, "honey") == ["Bees.md"]
    standby.down()
    try:
        assert paths(vault, "honey") == ["Bees.md"]
        # It is left alone for a while: nothing tries to connect.
        monkeypatch.setattr(module, "REST", PATIENCE)
        assert paths(vault, "honey") == ["Bees.md"]
        monkeypatch.setattr(Connections, "taken", refusing_to_connect_to(standby))
        assert paths(vault, "honey") == ["Bees.md"]
    finally:
        standby.up()
    monkeypatch.undo()


def refusing_to_connect_to(standby: Standby) -> Any:
    taken = Connections.taken

    def checked(self: Any) -> Any:
        assert f":{standby.port}/" not in self.url
        return taken(self)

    return checked


def test_a_replica_that_comes_back_answers_again(open_vault: OpenVault, standby: Standby) -> None:
    vault = open_vault()
    vault.index()
    standby.down()
    try:
        assert paths(vault, "honey") == ["Bees.md"]
    finally:
        standby.up()
    assert sessions(standby) == 0
    assert paths(vault, "honey") == ["Bees.md"] and sessions(standby) == 1


def test_a_search_whose_replica_goes_away_is_answered_by_the_primary(
    open_vault: OpenVault, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault()
    vault.index()
    search = module.Replica.enter

    def enter_and_lose(self: Any, *given: Any) -> Any:
        opened = search(self, *given)
        standby.run_sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notewell'")
        monkeypatch.setattr(module.Replica, "enter", search)
        return opened

    monkeypatch.setattr(module.Replica, "enter", enter_and_lose)
    assert paths(vault, "honey") == ["Bees.md"]


def test_the_replica_answers_while_the_primary_is_down(
    open_vault: OpenVault, primary: OwnServer, standby: Standby
) -> None:
    vault = open_vault()
    vault.index()
    assert paths(vault, "honey") == ["Bees.md"]
    primary.down()
    try:
        results = vault.search("honey", refresh=True)
        assert [hit.path for hit in results.hits] == ["Bees.md"]
        assert [notice.code for notice in results.notices] == ["not_refreshed"]
        with pytest.raises(StoreUnreachable):
            vault.index()
    finally:
        primary.up()
    (vault.root / "Wasps.md").write_text("A wasp.\n")
    vault.index()
    assert paths(vault, "wasp") == ["Wasps.md"]


def test_a_server_that_follows_nobody_is_not_asked(open_vault: OpenVault, primary: OwnServer) -> None:
    vault = open_vault(**{"store.replicas": [primary.url()]})
    vault.index()
    began = time.monotonic()
    assert paths(vault, "honey") == ["Bees.md"] and time.monotonic() - began < PATIENCE
    assert vault.search("honey").notices == ()


def test_a_replica_that_lacks_the_vault_is_passed_over(
    open_vault: OpenVault, follows: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows.run_sql("select pg_wal_replay_pause()")
    monkeypatch.setattr(module, "WAIT", 0.0)
    vault = open_vault()
    vault.index()
    assert paths(vault, "honey") == ["Bees.md"]


def test_what_is_derived_and_stored_is_read_where_it_is_stored(
    open_vault: OpenVault, follows: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = open_vault(), open_vault()
    writer.index()
    assert paths(reader, "honey") == ["Bees.md"]
    monkeypatch.setattr(module, "WAIT", 0.0)
    follows.run_sql("select pg_wal_replay_pause()")
    (writer.root / "Wasps.md").write_text("A wasp, see [[Bees]].\n")
    writer.index()
    with reader.store.reading(shown=False) as snapshot:
        assert [*snapshot.ids()] == ["Bees.md", "Wasps.md"]


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ({"store.replicas": ["http://db/notes"]}, "store.replicas does not begin with postgresql://"),
        ({"store.replicas": ["postgresql://ada:word@db/notes"]}, "store.replicas contains a password"),
        ({"store.url": ""}, "store.replicas needs store.url"),
    ],
)
def test_an_address_that_is_wrong_is_an_error(open_vault: OpenVault, given: Any, fact: str) -> None:
    with pytest.raises(SettingsError) as error:
        open_vault(**given)
    assert error.value.fact == fact


def test_a_variable_names_several(tmp_path: Path, primary: OwnServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_STORE_URL", primary.url())
    monkeypatch.setenv("NOTEWELL_STORE_REPLICAS", "postgresql://ada@one:5433/notes postgresql://ada@two/notes")
    with Vault.open(tmp_path) as vault:
        assert vault.settings.store.replicas == ("postgresql://ada@one:5433/notes", "postgresql://ada@two/notes")

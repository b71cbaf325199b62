"""The warm process itself: how it begins and ends, and what it does not let itself be kept from."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.serve.daemons import COMMAND, LONG, Warmth, warmth

import notewell
from notewell import Vault
from notewell.config.settings import HookSettings
from notewell.serve.daemon import client, wire
from notewell.serve.hooks.limit import LIMIT
from notewell.serve.hooks.log import last_runs

FOUND = "Recipes/Sourdough.md:7"
PROMPT = "Why did the sourdough loaf collapse in the oven?"
NOBODY = 65_534
Begun = tuple["subprocess.Popen[bytes]", socket.socket]


@pytest.fixture
def warm(folder: Path) -> Iterator[Warmth]:
    """An indexed vault, and no process yet."""
    with Vault.open(folder) as vault:
        vault.index()
    with warmth(folder) as made:
        yield made


def search(warm: Warmth, **environment: str) -> str:
    code, out, err = warm.run("search", "why did the loaf collapse", environment=environment)
    assert (code, err) == (0, "")
    return out


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # One that nobody waited for is gone, too.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_first_search_starts_it_and_the_next_one_asks_it(warm: Warmth) -> None:
    assert search(warm).startswith(FOUND)
    warm.wait_for(warm.about)
    told = warm.about()
    # It has run the first search for itself, so that the vault is open.
    assert (told["requests"], told["vaults"]) == (0, [str(warm.folder)])
    assert search(warm).startswith(FOUND)
    assert warm.about()["requests"] == 1


def hook(warm: Warmth, name: str, limit: str) -> str:
    given = {"session_id": "one", "cwd": str(warm.folder), "prompt": PROMPT}
    state = {"XDG_STATE_HOME": str(warm.runtime / "state")}
    code, out, err = warm.run("hook", name, limit, environment=state, given=json.dumps(given).encode())
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize("first", ["start", "prompt", "before", "after"])
def test_a_hook_that_is_out_of_time_has_started_it_and_a_later_one_is_answered_by_it(warm: Warmth, first: str) -> None:
    assert not hook(warm, first, "--timeout-ms=1")
    warm.wait_for(warm.about)
    assert "Sourdough.md" in hook(warm, "prompt", "--timeout-ms=10000")
    assert warm.about()["requests"] == 1


def logged(warm: Warmth) -> list[tuple[str, str]]:
    return [(run.hook, run.why) for run in last_runs(warm.runtime / "state" / "notewell")]


def test_the_start_of_a_session_starts_it_with_the_vault_open_and_all_loaded(warm: Warmth) -> None:
    assert hook(warm, "start", "--timeout-ms=10000") == ""
    warm.wait_for(warm.about)
    told = warm.about()
    assert (told["requests"], told["vaults"]) == (0, [str(warm.folder)])
    assert hook(warm, "start", "--timeout-ms=10000") == ""
    assert "Sourdough.md" in hook(warm, "prompt", "--timeout-ms=10000")
    assert warm.about()["requests"] == 2
    left = "left to the daemon, if the vault uses it"
    assert logged(warm) == [("start", left), ("start", "the vault is open"), ("prompt", "")]


def test_the_start_of_a_session_starts_none_again_for_a_vault_that_wants_none(warm: Warmth) -> None:
    with (warm.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    hook(warm, "start", "--timeout-ms=10000")
    marks = warm.runtime / "state" / "notewell" / "cold"
    warm.wait_for(warm.about)
    assert len(list(marks.iterdir())) == 1
    pid = warm.about()["pid"]
    warm.end()
    warm.wait_for(lambda: is_gone(pid))
    shutil.rmtree(warm.runtime / "notewell")
    hook(warm, "start", "--timeout-ms=10000")
    # It takes longer than it would take a process to make its folder.
    hook(warm, "prompt", "--timeout-ms=10000")
    assert not (warm.runtime / "notewell").exists()


def test_one_that_a_hook_started_ends_soon_if_the_vault_wants_none(warm: Warmth) -> None:
    with (warm.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    hook(warm, "prompt", "--timeout-ms=1")
    warm.wait_for(warm.about)
    pid = warm.about()["pid"]
    # It declines, and the hook does the work itself.
    assert "Sourdough.md" in hook(warm, "prompt", "--timeout-ms=10000")
    warm.wait_for(lambda: is_gone(pid))


def test_hooks_of_a_vault_that_wants_none_do_not_start_one_again_and_again(warm: Warmth) -> None:
    settings = warm.folder / "notewell.toml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(f"{before}[daemon]\nuse = false\n", encoding="utf-8")
    # It starts one, does the work itself, and so learns that none is wanted.
    hook(warm, "prompt", "--timeout-ms=10000")
    warm.wait_for(warm.about)
    pid = warm.about()["pid"]
    warm.end()
    warm.wait_for(lambda: is_gone(pid))
    shutil.rmtree(warm.runtime / "notewell")
    for _ in range(2):
        # The second takes longer than it would take a process to make its folder.
        hook(warm, "prompt", "--timeout-ms=10000")
        assert not (warm.runtime / "notewell").exists()
    # An hour later it may be wanted again.
    settings.write_text(before, encoding="utf-8")
    (mark,) = (warm.runtime / "state" / "notewell" / "cold").iterdir()
    os.utime(mark, (0, 0))
    hook(warm, "prompt", "--timeout-ms=10000")
    warm.wait_for(warm.about)


def test_a_hook_does_not_start_it_where_the_user_wants_none(warm: Warmth) -> None:
    warm.environment["NOTEWELL_DAEMON"] = "no"
    hook(warm, "start", "--timeout-ms=10000")
    hook(warm, "prompt", "--timeout-ms=1")
    assert not (warm.runtime / "notewell").exists()


def test_the_limit_of_a_hook_is_the_same_wherever_it_stands() -> None:
    assert int(client.HOOK_LIMIT[2]) == LIMIT == HookSettings().timeout_ms


@pytest.mark.parametrize("arguments", [("search", "loaf", "--no-daemon"), ("doctor",)])
def test_what_does_without_it_does_not_start_it(warm: Warmth, arguments: tuple[str, ...]) -> None:
    warm.run(*arguments)
    assert not (warm.runtime / "notewell").exists()


def test_the_vaults_own_settings_switch_it_off(warm: Warmth) -> None:
    with (warm.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    search(warm)
    assert not (warm.runtime / "notewell").exists()
    warm.start()
    search(warm)
    assert warm.about()["vaults"] == []


def test_what_was_killed_is_started_again_past_the_socket_it_left(warm: Warmth) -> None:
    process = warm.start()
    process.kill()
    process.wait()
    assert warm.path.exists()
    assert search(warm).startswith(FOUND)
    warm.wait_for(warm.about)
    assert warm.about()["pid"] != process.pid


def test_of_two_that_start_at_once_one_stays(warm: Warmth) -> None:
    one, other = warm.launch(), warm.launch()
    warm.wait_for(lambda: one.poll() is not None or other.poll() is not None)
    left = other if other.poll() is None else one
    assert warm.about()["pid"] == left.pid
    assert search(warm).startswith(FOUND)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_leaves_nothing(warm: Warmth, number: signal.Signals) -> None:
    process = warm.start()
    # Nobody else reaches it.
    assert stat.S_IMODE(warm.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(warm.path.stat().st_mode) == 0o600
    process.send_signal(number)
    process.wait(LONG)
    assert [file.suffix for file in (warm.runtime / "notewell").iterdir()] == [".lock"]


def test_it_ends_when_nobody_asks_it(warm: Warmth) -> None:
    process = warm.start()
    search(warm, NOTEWELL_DAEMON_IDLE_MINUTES="0.005")
    process.wait(LONG)
    assert not warm.path.exists()


def test_it_ends_when_its_socket_is_taken_away(warm: Warmth) -> None:
    process = warm.start()
    warm.path.unlink()
    process.wait(LONG)


def test_it_ends_when_told_to(warm: Warmth) -> None:
    process = warm.start()
    assert warm.run("daemon", "stop") == (0, "", "stopped\n")
    assert process.wait(LONG) == 0
    assert warm.run("daemon", "stop") == (0, "", "not running\n")
    assert warm.run("daemon", "status")[1].startswith("not running")


def test_other_code_on_disk_ends_it_and_the_next_search_starts_anew(warm: Warmth, tmp_path: Path) -> None:
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
    warm.environment["PYTHONPATH"] = str(copy.parent)
    search(warm)
    warm.wait_for(lambda: warm.path.exists())
    (older,) = warm.runtime.glob("notewell/*.lock")
    pid = int(older.read_text().partition(": ")[2].partition(",")[0])
    (copy / "serve" / "cli" / "search.py").touch()
    assert search(warm).startswith(FOUND)
    warm.wait_for(lambda: is_gone(pid))
    warm.wait_for(lambda: warm.path.exists() and str(pid) not in older.read_text())
    assert warm.run("daemon", "stop")[2] == "stopped\n"


@pytest.mark.parametrize("made", ["open to all", "a link"])
def test_a_folder_that_is_not_ours_alone_is_neither_used_nor_filled(warm: Warmth, made: str) -> None:
    trap = warm.runtime / "trap"
    trap.mkdir(mode=0o700)
    if made == "a link":
        (warm.runtime / "notewell").symlink_to(trap)
    else:
        (warm.runtime / "notewell").mkdir()
        (warm.runtime / "notewell").chmod(0o755)
    assert search(warm).startswith(FOUND)
    process = warm.launch()
    assert process.wait(LONG) == 1
    assert not list(trap.iterdir())
    assert not warm.path.exists()


GARBAGE = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"NW01\xff\xff\xff\xff",
    b"NW01\0\0\0\x05\0\0\0\xff!",
    wire.packed({"verb": b"run"}),
    wire.packed({"home": wire.home(), "verb": b"run", "cwd": b"/"}),
]


def test_garbage_and_those_who_say_nothing_half_of_it_or_never_listen_keep_nobody_waiting(warm: Warmth) -> None:
    warm.start()
    for data in GARBAGE:
        with warm.connect() as connection, suppress(ConnectionResetError):
            connection.sendall(data)
            assert connection.recv(100) in (b"", wire.frame(wire.BEGUN))
    request = wire.packed({"home": wire.home(), "verb": b"about"})
    with warm.connect() as silent, warm.connect() as slow, warm.connect() as deaf:
        deaf.sendall(request)
        slow.sendall(request[:20])
        time.sleep(0.6)
        assert search(warm).startswith(FOUND)
        with suppress(ConnectionResetError):
            assert silent.recv(1) == slow.recv(1) == b""
    assert warm.about()["requests"] == 1


def test_one_that_hangs_is_not_waited_for(warm: Warmth) -> None:
    process = warm.start()
    process.send_signal(signal.SIGSTOP)
    try:
        assert search(warm).startswith(FOUND)
        code, out, err = warm.run("daemon", "status")
        assert (code, out) == (0, f"process   {process.pid} does not answer: it is starting, busy or hanging\n")
        assert "`notewell daemon stop` stops it" in err
        told = json.loads(warm.run("daemon", "status", "--json")[1])
        assert told == {"running": True, "answers": False, "pid": process.pid}
        assert warm.run("daemon", "stop") == (0, "", "stopped\n")
        assert process.wait(LONG) == 0
    finally:
        process.send_signal(signal.SIGCONT)


def test_the_vault_that_the_better_model_reads_is_told(warm: Warmth) -> None:
    (warm.folder / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "words"\n')
    warm.start()
    assert search(warm).startswith(FOUND)
    assert json.loads(warm.run("daemon", "status", "--json")[1])["filling"] == []
    with Vault.open(warm.folder) as vault, vault.store.locked("encode"):
        told = json.loads(warm.run("daemon", "status", "--json")[1])
        assert (told["running"], told["answers"], told["filling"]) == (True, True, [str(warm.folder)])
        assert f"{warm.folder}; the encoder is running in the background\n" in warm.run("daemon", "status")[1]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_not_answered_even_if_the_folder_lets_them_in(warm: Warmth) -> None:
    warm.start()
    for path in (warm.runtime, warm.path.parent, warm.path):
        path.chmod(0o777)
    request = wire.packed({"home": wire.home(), "verb": b"about"})
    os.seteuid(NOBODY)
    try:
        connection = warm.connect()
    finally:
        os.seteuid(0)
    with connection, suppress(OSError):
        connection.sendall(request)
        assert connection.recv(100) == b""
    assert warm.about()["requests"] == 0


@contextmanager
def begun_by_nobody(
    warm: Warmth, *arguments: str, monkeypatch: pytest.MonkeyPatch, given: Path = Path(os.devnull)
) -> Iterator[Begun]:
    """Run a command that is told that its answer is being made, and yield it with the other end of its connection."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(warm.runtime))
    Path(wire.folder()).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(wire.address())
        listener.listen(1)
        with given.open("rb") as stdin:
            pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            command = subprocess.Popen([*COMMAND, *arguments], cwd=warm.folder, env=warm.environment, **pipes)  # type: ignore[call-overload]
        connection, _ = listener.accept()
        with command, connection:
            connection.sendall(wire.frame(wire.BEGUN))
            yield command, connection
    Path(wire.address()).unlink()


def test_an_answer_that_breaks_off_is_made_here(warm: Warmth, monkeypatch: pytest.MonkeyPatch) -> None:
    with (warm.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        # Nor does it start another.
        settings.write("[daemon]\nuse = false\n")
    with begun_by_nobody(warm, "search", "collapsed loaf", monkeypatch=monkeypatch) as (command, connection):
        connection.sendall(wire.frame(wire.OUT, b"Half of it")[:-2])
        connection.close()
        out, _ = command.communicate()
    assert out.decode().startswith(FOUND)


def test_ctrl_c_while_waiting_ends_the_command_without_a_word(warm: Warmth, monkeypatch: pytest.MonkeyPatch) -> None:
    with begun_by_nobody(warm, "search", "loaf", monkeypatch=monkeypatch) as (command, connection):
        # It has sent all, and so waits for the answer.
        assert connection.recv(4) == wire.MAGIC
        command.send_signal(signal.SIGINT)
        assert command.communicate() == (b"", b"")
    assert command.returncode == 130


def test_a_hook_whose_answer_is_late_says_nothing(warm: Warmth, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = warm.runtime / "asked.json"
    asked.write_text(json.dumps({"session_id": "one", "cwd": str(warm.folder), "prompt": PROMPT}))
    monkeypatch.setitem(warm.environment, "XDG_STATE_HOME", str(warm.runtime / "state"))
    begun = begun_by_nobody(warm, "hook", "prompt", "--timeout-ms=500", monkeypatch=monkeypatch, given=asked)
    with begun as (command, _):
        assert command.communicate() == (b"", b"")
    assert command.returncode == 0
    # Nor did it try by itself: that would be in the log, too.
    assert logged(warm) == [("prompt", client.LATE)]


def ask_hook(warm: Warmth, waits: float) -> list[tuple[bytes, bytes]]:
    """Return what the process itself sends to a client that waits so many seconds more."""
    now = time.monotonic()
    return warm.say(
        {
            "verb": b"run",
            "cwd": os.fsencode(warm.folder),
            "arguments": b"hook\0prompt\0--timeout-ms=10000",
            "environment": b"NOTEWELL_EMBED_BACKGROUND=no\0XDG_STATE_HOME=" + os.fsencode(warm.runtime / "state"),
            "terminals": b"000",
            "encodings": b"utf-8 utf-8 utf-8",
            "stdin": json.dumps({"session_id": "one", "cwd": str(warm.folder), "prompt": PROMPT}).encode(),
            "between": f"{now} {now + waits}".encode(),
        }
    )


def test_a_hook_whose_client_waits_no_longer_is_not_answered_and_marks_nothing(warm: Warmth) -> None:
    warm.start()
    assert ask_hook(warm, waits=-1.0) == [(wire.BEGUN, b""), (wire.CODE, b"0")]
    assert logged(warm) == [], "the client has logged it"
    begun, (kind, told), ended = ask_hook(warm, waits=LONG)
    assert (begun[0], kind, ended) == (wire.BEGUN, wire.OUT, (wire.CODE, b"0"))
    assert "Sourdough.md" in told.decode(), "none of it was marked as shown"
    assert warm.about()["requests"] == 2, "and the process still runs"


def test_a_hook_that_does_not_say_how_long_it_waits_is_declined(warm: Warmth) -> None:
    warm.start()
    request = {"verb": b"run", "cwd": b"/", "arguments": b"hook\0prompt", "environment": b"", "stdin": b"{}"}
    streams = {"terminals": b"000", "encodings": b"utf-8 utf-8 utf-8"}
    assert warm.say({**request, **streams})[-1] == (wire.DECLINED, b"a hook needs its time limit")


def test_what_a_hook_was_sent_whole_is_printed_though_the_process_is_late(
    warm: Warmth, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun_by_nobody(warm, "hook", "prompt", "--timeout-ms=1000", monkeypatch=monkeypatch) as (command, connection):
        connection.sendall(wire.frame(wire.OUT, b"{}\n"))
        assert command.communicate() == (b"{}\n", b"")
    with_half = begun_by_nobody(warm, "hook", "prompt", "--timeout-ms=1000", monkeypatch=monkeypatch)
    Path(wire.folder()).rmdir()
    with with_half as (command, connection):
        connection.sendall(wire.frame(wire.OUT, b"{"))
        assert command.communicate() == (b"", b"")

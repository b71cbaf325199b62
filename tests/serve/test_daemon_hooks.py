"""Hooks by the daemon: who starts it, who is answered in time, and what is marked as shown."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from tests.serve.daemons import LONG, DaemonRunner, begun_by_nobody, is_gone

from notewell.config.sections import HookSettings
from notewell.serve.daemon import client, wire
from notewell.serve.hooks import EVENTS
from notewell.serve.hooks.limit import LIMIT
from notewell.serve.hooks.log import last_runs

PROMPT = "Why did the sourdough loaf collapse in the oven?"


def hook(daemon: DaemonRunner, name: str, limit: str) -> str:
    given = {"session_id": "one", "cwd": str(daemon.folder), "prompt": PROMPT}
    state = {"XDG_STATE_HOME": str(daemon.runtime / "state")}
    code, out, err = daemon.run("hook", name, limit, environment=state, given=json.dumps(given).encode())
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize("first", ["start", "prompt"])
def test_a_hook_that_is_out_of_time_has_started_it_for_a_later_one(daemon: DaemonRunner, first: str) -> None:
    assert not hook(daemon, first, "--timeout-ms=1")
    daemon.wait_for(daemon.about)
    assert "Sourdough.md" in hook(daemon, "prompt", "--timeout-ms=10000")
    assert daemon.about()["requests"] == 1


def logged(daemon: DaemonRunner) -> list[tuple[str, str]]:
    return [(run.hook, run.why) for run in last_runs(daemon.runtime / "state" / "notewell")]


def test_the_start_of_a_session_starts_it_with_the_vault_open_and_all_loaded(daemon: DaemonRunner) -> None:
    assert hook(daemon, "start", "--timeout-ms=10000") == ""
    daemon.wait_for(daemon.about)
    told = daemon.about()
    assert (told["requests"], told["vaults"]) == (0, [str(daemon.folder)])
    assert hook(daemon, "start", "--timeout-ms=10000") == ""
    assert "Sourdough.md" in hook(daemon, "prompt", "--timeout-ms=10000")
    assert daemon.about()["requests"] == 2
    left = "left to the daemon, if the vault uses it"
    assert logged(daemon) == [("start", left), ("start", "the vault is open"), ("prompt", "")]


def test_the_start_of_a_session_starts_none_again_for_a_vault_that_wants_none(daemon: DaemonRunner) -> None:
    with (daemon.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    hook(daemon, "start", "--timeout-ms=10000")
    marks = daemon.runtime / "state" / "notewell" / "cold"
    daemon.wait_for(daemon.about)
    assert len(list(marks.iterdir())) == 1
    pid = daemon.about()["pid"]
    daemon.end()
    daemon.wait_for(lambda: is_gone(pid))
    shutil.rmtree(daemon.runtime / "notewell")
    hook(daemon, "start", "--timeout-ms=10000")
    # It takes longer than it would take a process to make its folder.
    hook(daemon, "prompt", "--timeout-ms=10000")
    assert not (daemon.runtime / "notewell").exists()


def test_one_that_a_hook_started_ends_soon_if_the_vault_wants_none(daemon: DaemonRunner) -> None:
    with (daemon.folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write("[daemon]\nuse = false\n")
    hook(daemon, "prompt", "--timeout-ms=1")
    daemon.wait_for(daemon.about)
    pid = daemon.about()["pid"]
    # It declines, and the hook does the work itself.
    assert "Sourdough.md" in hook(daemon, "prompt", "--timeout-ms=10000")
    daemon.wait_for(lambda: is_gone(pid))


def test_hooks_of_a_vault_that_wants_none_do_not_start_one_again_and_again(daemon: DaemonRunner) -> None:
    settings = daemon.folder / "notewell.toml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(f"{before}[daemon]\nuse = false\n", encoding="utf-8")
    # It starts one, does the work itself, and so learns that none is wanted.
    hook(daemon, "prompt", "--timeout-ms=10000")
    daemon.wait_for(daemon.about)
    pid = daemon.about()["pid"]
    daemon.end()
    daemon.wait_for(lambda: is_gone(pid))
    shutil.rmtree(daemon.runtime / "notewell")
    for _ in range(2):
        # The second takes longer than it would take a process to make its folder.
        hook(daemon, "prompt", "--timeout-ms=10000")
        assert not (daemon.runtime / "notewell").exists()
    # An hour later it may be wanted again.
    settings.write_text(before, encoding="utf-8")
    (mark,) = (daemon.runtime / "state" / "notewell" / "cold").iterdir()
    os.utime(mark, (0, 0))
    hook(daemon, "prompt", "--timeout-ms=10000")
    daemon.wait_for(daemon.about)


def test_a_hook_does_not_start_it_where_the_user_wants_none(daemon: DaemonRunner) -> None:
    daemon.environment["NOTEWELL_DAEMON"] = "no"
    hook(daemon, "start", "--timeout-ms=10000")
    hook(daemon, "prompt", "--timeout-ms=1")
    assert not (daemon.runtime / "notewell").exists()


def test_the_limit_of_a_hook_is_the_same_wherever_it_stands() -> None:
    assert int(client.HOOK_LIMIT[2]) == LIMIT == HookSettings().timeout_ms


def test_the_client_knows_every_hook() -> None:
    assert tuple(EVENTS) == client.HOOKS


def test_a_hook_whose_answer_is_late_says_nothing(daemon: DaemonRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = daemon.runtime / "asked.json"
    asked.write_text(json.dumps({"session_id": "one", "cwd": str(daemon.folder), "prompt": PROMPT}))
    monkeypatch.setitem(daemon.environment, "XDG_STATE_HOME", str(daemon.runtime / "state"))
    begun = begun_by_nobody(daemon, "hook", "prompt", "--timeout-ms=500", monkeypatch=monkeypatch, given=asked)
    with begun as (command, _):
        assert command.communicate() == (b"", b"")
    assert command.returncode == 0
    # Nor did it try by itself: that would be in the log, too.
    assert logged(daemon) == [("prompt", client.LATE)]


def ask_hook(daemon: DaemonRunner, waits: float) -> list[tuple[bytes, bytes]]:
    """Return what the daemon sends to a client that waits this many more seconds."""
    now = time.monotonic()
    return daemon.say(
        {
            "verb": b"run",
            "cwd": os.fsencode(daemon.folder),
            "arguments": b"hook\0prompt\0--timeout-ms=10000",
            "environment": b"NOTEWELL_EMBED_BACKGROUND=no\0XDG_STATE_HOME=" + os.fsencode(daemon.runtime / "state"),
            "terminals": b"000",
            "encodings": b"utf-8 utf-8 utf-8",
            "stdin": json.dumps({"session_id": "one", "cwd": str(daemon.folder), "prompt": PROMPT}).encode(),
            "window": f"{now} {now + waits}".encode(),
        }
    )


def test_a_hook_whose_client_waits_no_longer_is_not_answered_and_marks_nothing(daemon: DaemonRunner) -> None:
    daemon.start()
    assert ask_hook(daemon, waits=-1.0) == [(wire.BEGUN, b""), (wire.CODE, b"0")]
    assert logged(daemon) == [], "the client has logged it"
    begun, (kind, told), ended = ask_hook(daemon, waits=LONG)
    assert (begun[0], kind, ended) == (wire.BEGUN, wire.OUT, (wire.CODE, b"0"))
    assert "Sourdough.md" in told.decode(), "none of it was marked as shown"
    assert daemon.about()["requests"] == 2, "and the process still runs"


def test_a_hook_that_does_not_say_how_long_it_waits_is_declined(daemon: DaemonRunner) -> None:
    daemon.start()
    request = {"verb": b"run", "cwd": b"/", "arguments": b"hook\0prompt", "environment": b"", "stdin": b"{}"}
    streams = {"terminals": b"000", "encodings": b"utf-8 utf-8 utf-8"}
    assert daemon.say({**request, **streams})[-1] == (wire.DECLINED, b"a hook needs its time limit")


def test_what_a_hook_was_sent_whole_is_printed_though_the_process_is_late(
    daemon: DaemonRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun_by_nobody(daemon, "hook", "prompt", "--timeout-ms=1000", monkeypatch=monkeypatch) as (
        command,
        connection,
    ):
        connection.sendall(wire.frame(wire.OUT, b"{}\n"))
        assert command.communicate() == (b"{}\n", b"")
    with_half = begun_by_nobody(daemon, "hook", "prompt", "--timeout-ms=1000", monkeypatch=monkeypatch)
    Path(wire.socket_folder()).rmdir()
    with with_half as (command, connection):
        connection.sendall(wire.frame(wire.OUT, b"{"))
        assert command.communicate() == (b"", b"")

"""The encoder at work behind other commands: who starts it, and who does not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serve.encoding import NONE, Notewell, encoding
from tests.vaults import same_user

from notewell import Vault
from notewell.errors import StoreBusy
from notewell.files.lock import held
from notewell.files.user import private_folder
from notewell.serve import background
from notewell.serve.answering import answer
from notewell.serve.background import TURN, encoder_of, state

# Far longer than anything here takes, also on a busy machine.
LONG = 300.0
BEHIND = (
    "Improving results in the background (4 chunks left). See `notewell status`; `notewell daemon pause` stops it\n"
)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Let encoding run in the background, collect its processes, and end those that do not end themselves."""
    processes: list[subprocess.Popen[bytes]] = []

    class Known(subprocess.Popen[bytes]):
        def __init__(self, arguments: list[str], **options: Any) -> None:
            super().__init__(arguments, **options)
            processes.append(self)

    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "yes")
    monkeypatch.setenv("XDG_STATE_HOME", same_user(tmp_path / "state"))
    monkeypatch.setattr(subprocess, "Popen", Known)
    yield processes
    for process in processes:
        if not ended(process, 0):
            os.kill(process.pid, signal.SIGKILL)
            assert ended(process, LONG)


def ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Tell whether a process ends in time."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


@pytest.mark.usefixtures("encoded")
def test_index_starts_encoding_in_the_background_and_says_so(
    notewell: Notewell, started: list[subprocess.Popen[bytes]]
) -> None:
    code, out, err = notewell("index")
    assert code == 0
    assert out.startswith("3 notes, 4 chunks")
    assert err == BEHIND
    (process,) = started
    assert ended(process, LONG)
    assert encoding(notewell) == {**NONE, "encoder": "words/27", "filled": 4}


@pytest.mark.usefixtures("encoded")
def test_json_of_index_is_not_disturbed_by_what_goes_on_behind(
    notewell: Notewell, started: list[subprocess.Popen[bytes]]
) -> None:
    _, out, err = notewell("index", "--json")
    assert json.loads(out)["chunks"] == 4
    assert err == BEHIND
    assert ended(started[0], LONG)


def test_nothing_is_started_where_nothing_is_missing_or_nothing_may_go_on(
    notewell: Notewell, encoded: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "no")
    assert notewell("index")[2] == ""
    notewell("encode")
    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "yes")
    assert notewell("index")[2] == ""
    (encoded / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "off"\n', encoding="utf-8")
    assert notewell("index", "--full")[2] == ""
    assert started == []


@pytest.mark.usefixtures("encoded")
def test_the_first_search_of_a_vault_starts_encoding_in_the_background_and_the_next_does_not(
    notewell: Notewell, started: list[subprocess.Popen[bytes]]
) -> None:
    code, out, err = notewell("search", "hive", "--json")
    assert (code, json.loads(out)["hits"][0]["path"]) == (0, "Garden/Bees.md")
    assert err.endswith(BEHIND)
    assert ended(started[0], LONG)
    assert encoding(notewell)["left"] == 0
    assert notewell("search", "hive")[2] == ""
    assert len(started) == 1


@pytest.mark.usefixtures("encoded")
def test_a_search_that_lacks_vectors_of_changed_notes_starts_encoding_at_most_once_a_minute(
    notewell: Notewell, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("search", "hive")
    assert ended(started[0], LONG)
    Path("new.md").write_text("# New\n\nA zebra grazes in the garden today.\n", encoding="utf-8")
    assert (notewell("search", "zebra")[2], len(started)) == ("", 1)
    monkeypatch.setattr("notewell.serve.background.AGAIN_SECONDS", 0)
    assert (notewell("search", "zebra")[2], len(started)) == ("", 2)
    assert ended(started[1], LONG)
    assert encoding(notewell)["left"] == 0
    notewell("search", "zebra")
    assert len(started) == 2


def test_a_server_that_lacks_vectors_of_changed_notes_starts_encoding(
    encoded: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    with Vault.open(encoded) as vault:
        vault.index()
        vault.encode()
        (encoded / "new.md").write_text("# New\n\nA zebra grazes in the garden today.\n", encoding="utf-8")
        vault.index()
        answer(vault, "search", {"text": "zebra", "refresh": False})
        assert ended(started[0], LONG)
        assert vault.encoder.left == 0
        answer(vault, "search", {"text": "zebra", "refresh": False})
        assert len(started) == 1


@pytest.mark.usefixtures("encoded")
def test_encoding_is_announced_once_for_a_vault_and_never_started_while_paused(
    notewell: Notewell, started: list[subprocess.Popen[bytes]]
) -> None:
    assert notewell("index")[2] == BEHIND
    assert ended(started[0], LONG)
    Path("new.md").write_text("# New\n\nA note that was not there before at all.\n", encoding="utf-8")
    notewell("daemon", "pause")
    assert (notewell("index")[2], len(started)) == ("", 1)
    shown = notewell("status")[1]
    assert "words: 80% of 5 chunks done; paused\npaused    nothing starts in the background until" in shown
    # By hand it works all the same.
    assert notewell("encode")[1] == "words: 100% of 5 chunks done\n"
    Path("new.md").write_text("# New\n\nAnother text altogether, which was not encoded.\n", encoding="utf-8")
    notewell("daemon", "resume")
    assert notewell("index")[2] == ""
    assert ended(started[1], LONG)


@pytest.mark.usefixtures("encoded")
def test_stopping_the_daemon_stops_encoding_too(notewell: Notewell, started: list[subprocess.Popen[bytes]]) -> None:
    with held(private_folder(state()) / TURN, 0):
        # It waits for its turn, since another vault is being encoded.
        notewell("index")
        (process,) = started
        while not encoder_of(Path.cwd()):
            assert process.poll() is None
            time.sleep(0.05)
        assert notewell("daemon", "stop") == (0, "", "stopped encoding\n")
    assert ended(process, LONG) and encoding(notewell)["filled"] == 0


def test_encoding_that_waits_ends_when_its_vault_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(background, "LOOK", 0)
    with held(private_folder(state()) / TURN, 0), pytest.raises(StoreBusy), background.encoding(tmp_path / "gone"):
        pass


def test_encoding_ends_by_itself_when_notewell_was_uninstalled(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    program = f"from notewell.serve import background, cli; background.THIS_FILE = {encoded / 'gone'!r}; cli.main()"
    code = f"from pathlib import *; {program}"
    done = subprocess.run([sys.executable, "-c", code, "encode", "--gently"], cwd=encoded, check=False, timeout=LONG)
    assert (done.returncode, encoding(notewell)["filled"]) == (130, 0)


def children(pid: int) -> list[str]:
    """Return the children of a process, the dead ones too, for as long as nobody took their end down."""
    listed = subprocess.run(["ps", "-A", "-o", "ppid=,stat=,args="], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line.split()[:1] == [str(pid)]]


def test_watch_encodes_in_the_background_and_leaves_no_dead_child(
    encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "yes")
    watching = subprocess.Popen(
        [sys.executable, "-m", "notewell", "watch"], cwd=encoded, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + LONG
        with Vault.open(encoded) as vault:
            while not vault.indexed or vault.store.about().encoded < 4:
                assert time.monotonic() < deadline, "nobody fills"
                time.sleep(0.1)
            assert vault.encoder.left == 0
        while left := children(watching.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.05)
        assert watching.poll() is None
    finally:
        watching.terminate()
        watching.communicate(timeout=LONG)


def test_nothing_is_started_while_another_process_encodes(
    notewell: Notewell, encoded: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    with Vault.open(encoded) as vault:
        vault.index()
        with vault.store.locked("encode"):
            assert notewell("index", "--full")[2] == ""
    assert started == []

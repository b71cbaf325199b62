"""Progress of a run, as a terminal and as a pipe sees it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.serve.conftest import write_numbered
from tests.serve.terminal import on_terminal

from notewell.serve.cli.progress import Quiet, progress_shown

PROGRAM = """
from notewell.serve.cli.progress import Quiet, progress_shown

with progress_shown(quiet=Quiet(seconds=3_600)) as progress:
    for done in range(1, {total} + 1):
        progress.tell(done, {total})
    progress.stage("links")
"""


def on_a_terminal(program: str) -> bytes:
    """Run a program whose stderr is a terminal; return what the terminal got."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", program], stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    got = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        got += part
    os.close(ours)
    assert process.wait(300) == 0
    return got


def test_a_pipe_gets_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown() as progress:
        for done in range(1, 2001):
            progress.tell(done, 2000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"indexed {tenth * 200:,} of 2,000 notes" for tenth in range(1, 11)]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown(quiet=Quiet(seconds=3_600)) as progress:
        for done in range(1, 100):
            progress.tell(done, 99)
    assert capsys.readouterr() == ("", "")


def test_a_few_notes_that_take_long_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown(quiet=Quiet(seconds=0.0)) as progress:
        for done in (1, 2):
            progress.tell(done, 2)
    assert capsys.readouterr().err.splitlines() == ["indexed 1 of 2 notes", "indexed 2 of 2 notes"]


def test_a_terminal_gets_a_bar_that_is_gone_in_the_end() -> None:
    shown = on_a_terminal(PROGRAM.format(total=600))
    assert b"Indexing" in shown
    assert b"600 of 600" in shown
    assert shown.endswith(b"\r\x1b[2K")


def test_the_bar_is_gone_before_anything_else_is_printed(folder: Path) -> None:
    write_numbered(folder, 500)
    shown = on_terminal("search", "rye", "-n", "1", cwd=folder, NO_COLOR="1")
    bar, _, answer = shown.rpartition("\r\x1b[2K")
    assert "Ranking notes by their links" in bar and "rye" not in bar
    assert answer.startswith("0.md:3") and "Ranking" not in answer


def test_the_bar_names_what_is_done_after_the_last_note() -> None:
    shown = on_a_terminal(PROGRAM.format(total=600))
    after = shown[shown.index(b"600 of 600") :]
    assert b"Resolving links" in after and b"600 of 600" not in after[after.index(b"Resolving links") :]


def test_a_pipe_is_told_of_the_stages_of_a_long_run(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown() as progress:
        progress.tell(2000, 2000)
        progress.stage("links")
        progress.stage("standings")
    assert capsys.readouterr().err.splitlines()[1:] == ["resolving links", "ranking notes by their links"]


def test_a_terminal_gets_nothing_for_a_short_run() -> None:
    assert on_a_terminal(PROGRAM.format(total=100)) == b""


def test_the_first_ctrl_c_asks_to_stop_and_the_second_insists(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), progress_shown() as progress:
        assert not progress.stop()
        signal.raise_signal(signal.SIGINT)
        assert progress.stop()
        assert capfd.readouterr().err == "Stopping…\n"
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_sigterm_stops_the_run_and_then_ends_the_program() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with progress_shown() as progress:
            signal.raise_signal(signal.SIGTERM)
            assert (progress.stop(), seen) == (True, [])
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_thread_leaves_ctrl_c_to_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def run() -> None:
        with progress_shown() as progress:
            progress.tell(1000, 1000)
            seen.append((signal.getsignal(signal.SIGINT), progress.stop()))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [(before, False)]
    assert capsys.readouterr().err == ""

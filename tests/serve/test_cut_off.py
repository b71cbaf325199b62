"""A first search interrupted by a closed pipe or a kill: its work is kept, and the next search continues."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.serve.daemons import COMMAND, DaemonRunner, daemon_for

from notewell import Vault

# Enough notes that progress is reported and indexing does not end before the pipe is closed.
NOTES = 600
SEARCH = (*COMMAND, "search", "loaf", "-n", "1", "--format", "paths")


@pytest.fixture
def many(folder: Path) -> Path:
    """A vault that was never indexed, with many notes."""
    for number in range(NOTES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nOn the weather of day {number}.\n")
    return folder


def notes(folder: Path) -> int:
    with Vault.open(folder) as vault:
        return vault.status().notes


def test_talk_that_nobody_reads_does_not_end_the_work(many: Path) -> None:
    with subprocess.Popen(SEARCH, cwd=many, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"indexing ")
        process.stderr.close()
        assert process.stdout.read() == b"Recipes/Sourdough.md\n"
    assert (process.returncode, notes(many)) == (0, NOTES + 3)


def test_an_error_that_nobody_reads_keeps_its_exit_code(folder: Path) -> None:
    with subprocess.Popen([*COMMAND, "search", "--what"], cwd=folder, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
    assert process.returncode == 2


@pytest.fixture
def daemon(many: Path) -> Iterator[DaemonRunner]:
    """A daemon that has opened no vault yet."""
    with daemon_for(many) as made:
        made.start()
        yield made


def is_watched(pid: int, folder: Path) -> bool:
    """Tell whether the system tells a process of changes in a folder."""
    watched = f"ino:{folder.stat().st_ino:x} "
    return any(watched in file.read_text() for file in Path(f"/proc/{pid}/fdinfo").iterdir())


def kill_first_search(daemon: DaemonRunner) -> None:
    """Search a vault that was never indexed, and kill the command as soon as it indexes."""
    with subprocess.Popen(
        SEARCH, cwd=daemon.folder, env=daemon.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"indexing ")
        os.kill(process.pid, signal.SIGKILL)


def test_a_vault_whose_first_searches_were_killed_is_indexed_by_the_next_one(daemon: DaemonRunner) -> None:
    for asked in (1, 2):
        kill_first_search(daemon)
        told = daemon.about()
        assert (told["requests"], told["vaults"]) == (asked, [str(daemon.folder)])
        daemon.wait_for(partial(is_watched, told["pid"], daemon.folder))
    code, out, _ = daemon.run("search", "loaf", "-n", "1", "--format", "paths")
    assert (code, out) == (0, "Recipes/Sourdough.md\n")

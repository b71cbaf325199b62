from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell import Vault

GUARD = 300.0
COMMAND = [sys.executable, "-c", "import notewell.serve.cli as cli; cli.main()", "watch"]


class Started:
    """A `notewell watch` in its own process."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().rstrip("\n")

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; return the exit code and what was said on stderr."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=GUARD)
        return self.process.returncode, err


@pytest.fixture
def running() -> Iterator[list[Started]]:
    started: list[Started] = []
    yield started
    for watch in started:
        if watch.process.poll() is None:
            watch.process.kill()
            watch.process.communicate(timeout=GUARD)


def save_until_told(watch: Started, file: Path) -> str:
    """Save a note until it is reported: the first saves may come before the watch has started."""
    for number in range(100):
        file.write_text(f"# New\n\nA zebra grazes for the {number}th time.\n")
        assert watch.process.stdout
        if select.select([watch.process.stdout], [], [], 1.5)[0]:
            return watch.line()
    raise AssertionError("nothing was told")


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_saved_note_is_reported_and_searchable_and_a_signal_ends_it_well(
    folder: Path, running: list[Started], number: int, expected: int
) -> None:
    running.append(watch := Started(folder))
    first = watch.line()
    assert first.startswith("3 added, 0 changed, 0 removed in ")
    assert save_until_told(watch, folder / "new.md").startswith("1 added, 0 changed, 0 removed in ")
    with Vault.open(folder) as vault:
        assert vault.search("zebra")[0].path == "new.md"
    code, err = watch.end(number)
    assert (code, err) == (expected, f"watching {folder}\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(watch.process.pid, 0)
    with Vault.open(folder) as vault:
        assert vault.index(wait=0).added == 0
        assert vault.doctor().problems == ()


def test_json_is_one_line_for_each_change(folder: Path, running: list[Started]) -> None:
    running.append(watch := Started(folder, "--json"))
    first = json.loads(watch.line())
    assert isinstance(first.pop("seconds"), float)
    assert first == {"added": 3, "changed": 0, "removed": 0}
    second = json.loads(save_until_told(watch, folder / "new.md"))
    assert (second["added"], second["removed"]) == (1, 0)
    assert watch.end(signal.SIGTERM)[0] == 0


def test_a_folder_that_is_not_there_is_an_error_with_a_hint(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--vault", str(tmp_path / "nowhere")], capture_output=True, text=True, timeout=GUARD, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: There is no folder")
    assert "hint: " in done.stderr

"""Indexing killed at any moment: the store opens, is sound and has lost nothing, and the next run finishes it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest

from notewell import Vault
from notewell.types.note import Stamp

Content = Callable[[Vault], dict[str, Any]]

# Runs killed in each of the three kinds below: together more than fifty.
KILLS = 18
COMPANIONS = ("", "-wal", "-shm", ".lock", ".new", ".new-wal", ".new-shm")


class Runs(Protocol):
    """What `runner` gives."""

    def start(self, store: Path, *, full: bool) -> int:
        """Begin a run."""

    def wait(self) -> int:
        """Wait for its end."""


def opened(root: Path, store: Path) -> Vault:
    return Vault.open(root, {"embed.model": "words", "store.path": str(store)})


def begin_from(store: Path, base: Path | None) -> None:
    """Put the store into the state of another, or of none."""
    for suffix in COMPANIONS:
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    if base:
        shutil.copyfile(base, store)


def committed(root: Path, store: Path) -> dict[str, Stamp]:
    """Return the notes that another process sees now."""
    if not store.exists():
        return {}
    with opened(root, store) as vault:
        return vault.store.stamps()


def change_folder(root: Path) -> None:
    """Edit, rename, delete and add some notes each, and move a folder."""
    for number in range(0, 150, 3):
        file = root / f"folder {number % 7}" / f"note {number}.md"
        file.write_text(file.read_text() + f"\n## More\n\nA zebra of number {number} grazes here.\n", encoding="utf-8")
    for number in range(1, 150, 9):
        file = root / f"folder {number % 7}" / f"note {number}.md"
        file.rename(file.with_name(f"renamed {number}.md"))
    for number in range(2, 150, 9):
        (root / f"folder {number % 7}" / f"note {number}.md").unlink()
    for number in range(20):
        (root / f"new {number}.md").write_text(f"# New {number}\n\nThe new hive of number {number} hums.\n")
    (root / "folder 6").rename(root / "moved")


def kill_again_and_again(
    root: Path, runner: Runs, content: Content, *, base: Path | None, full: bool, seed: int
) -> int:
    """Kill runs from the same state at random moments of their length; return how many were."""
    store, fresh = root.parent / "store.db", root.parent / "fresh.db"
    with opened(root, fresh) as vault:
        vault.index()
        expected, after = content(vault), vault.store.stamps()
    before = committed(root, base) if base else {}
    begin_from(store, base)
    began = time.monotonic()
    runner.start(store, full=full)
    assert runner.wait() == 0
    length = time.monotonic() - began
    chance = random.Random(seed)
    killed, half_way = 0, 0
    for _ in range(4 * KILLS):
        begin_from(store, base)
        process = runner.start(store, full=full)
        time.sleep(chance.uniform(0, length))
        seen = committed(root, store) if chance.random() < 0.5 else before
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        killed += runner.wait() == -signal.SIGKILL
        with opened(root, store) as vault:
            assert vault.doctor().problems == ()
            left = vault.store.stamps()
            half_way += left not in (before, after)
            assert_nothing_is_lost(seen, left, after)
            vault.index(full=full)
            assert vault.doctor().problems == ()
            assert content(vault) == expected
        if killed == KILLS:
            break
    # A full run is seen whole or not at all; of the others, kills fall between two batches, too.
    assert half_way == 0 if full else half_way > 2
    return killed


def assert_nothing_is_lost(seen: dict[str, Stamp], left: dict[str, Stamp], after: dict[str, Stamp]) -> None:
    """What was there is there, as it was or as it is in the end; only what is gone from the folder may be gone."""
    for path, stamp in seen.items():
        assert left.get(path, after.get(path)) in (stamp, after.get(path))
        assert path in left or path not in after
    for path, stamp in left.items():
        assert stamp in (seen.get(path), after.get(path))


def test_a_first_run_killed_at_any_moment_is_finished_by_the_next(
    many_notes: Path, runner: Runs, content: Content
) -> None:
    assert kill_again_and_again(many_notes, runner, content, base=None, full=False, seed=1) == KILLS


def test_a_run_over_changes_killed_at_any_moment_is_finished_by_the_next(
    many_notes: Path, runner: Runs, content: Content
) -> None:
    with opened(many_notes, base := many_notes.parent / "base.db") as vault:
        vault.index()
    change_folder(many_notes)
    assert kill_again_and_again(many_notes, runner, content, base=base, full=False, seed=2) == KILLS


def test_a_full_run_killed_at_any_moment_keeps_the_old_state_and_is_finished_by_the_next(
    many_notes: Path, runner: Runs, content: Content
) -> None:
    with opened(many_notes, base := many_notes.parent / "base.db") as vault:
        vault.index()
    assert kill_again_and_again(many_notes, runner, content, base=base, full=True, seed=3) == KILLS


def test_a_full_run_that_was_killed_does_not_keep_the_next_from_taking_changes_in(
    many_notes: Path, runner: Runs, content: Content
) -> None:
    store = many_notes.parent / "store.db"
    with opened(many_notes, store) as vault:
        vault.index()
    change_folder(many_notes)
    process = runner.start(store, full=True)
    while not store.with_name("store.db.new").exists():
        time.sleep(0.001)
    os.kill(process, signal.SIGKILL)
    assert runner.wait() == -signal.SIGKILL
    with opened(many_notes, store) as vault, opened(many_notes, many_notes.parent / "fresh.db") as fresh:
        vault.index()
        fresh.index()
        assert content(vault) == content(fresh)
        vault.index(full=True)
        assert content(vault) == content(fresh)
        assert vault.doctor().problems == ()


@pytest.mark.parametrize("arguments", [(), ("--full",)])
def test_ctrl_c_keeps_what_was_done_and_says_how_to_go_on(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(1_200):
        (root / f"{number}.md").write_text(f"# {number}\n\n" + f"The hive of number {number} hums. " * 40)
    (root / "notewell.toml").write_text('[embed]\nmodel = "words"\n')
    program = "import notewell.index, notewell.serve.cli as cli; notewell.index.BATCH_BYTES = 20_000; cli.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "index", *arguments],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    first = process.stderr.readline()
    assert first.startswith("indexed 120 of 1,200")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == (
        f"stopped; what was done is kept. Run `notewell index{' --full' * bool(arguments)}` again to go on"
    )
    with Vault.open(root) as vault:
        assert vault.doctor().problems == ()
        report = vault.index(full=bool(arguments))
        assert 0 < report.added < 1_200 - 119
        assert vault.store.about().notes == 1_200

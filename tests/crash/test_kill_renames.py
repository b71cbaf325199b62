"""Renames that are killed before every step: the next one finds all notes as they were, or all renamed."""

from __future__ import annotations

import signal
from itertools import count
from pathlib import Path

import pytest
from tests.crash.conftest import Acts

NOTES = {"a.md": "#old one\n", "Sub/b.md": "---\ntags: [old]\n---\nTwo\n", "c.md": "#old three\n"}
RENAME = ("apply-renames", "old=new", "--json")
# Finds nothing to rename, but takes back what was left half done.
RECOVER = ("apply-renames", "nothing=else")


def make(root: Path) -> dict[str, str]:
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "notewell.toml").write_text('[curate]\nfolders = ["."]\n')
    return dict(NOTES)


def contents(root: Path) -> dict[str, str]:
    return {path: (root / path).read_text() for path in NOTES}


@pytest.fixture
def steps(perform: Acts, tmp_path: Path) -> int:
    make(root := tmp_path / "whole")
    # Twice: the first creates the folder of state.
    for _ in range(2):
        make(root)
        ended = perform("command", root, {}, *RENAME)
        assert ended.code == 0, ended.said
    return len(ended.steps)


def test_a_kill_at_any_step_leaves_all_notes_or_none_renamed(perform: Acts, tmp_path: Path) -> None:
    outcomes = set()
    for step in count():
        before = make(root := tmp_path / f"vault-{step}")
        after = {path: text.replace("old", "new") for path, text in before.items()}
        if (ended := perform("command", root, {}, *RENAME, at=step)).code == 0:
            break
        assert ended.code == -signal.SIGKILL
        ended = perform("command", root, {}, *RECOVER)
        assert ended.code == 0, ended.said
        found = contents(root)
        assert found in (before, after), f"before step {step}"
        assert not list(root.rglob(".notewell-unfinished-*")), f"before step {step}"
        outcomes.add(found == after)
    assert outcomes == {True, False}


def test_a_kill_during_the_recovery_is_recovered_from(perform: Acts, tmp_path: Path, steps: int) -> None:
    for step in range(0, steps, 3):
        before = make(root := tmp_path / f"vault-{step}")
        # After the first two notes were replaced.
        perform("command", root, {}, *RENAME, at=steps - 3)
        perform("command", root, {}, *RECOVER, at=step)
        assert perform("command", root, {}, *RECOVER).code == 0
        assert contents(root) == before, f"before step {step}"


def test_a_link_or_an_edit_in_a_notes_place_does_not_block_the_journal(
    perform: Acts, tmp_path: Path, steps: int
) -> None:
    make(root := tmp_path / "vault")
    (outside := tmp_path / "outside.md").write_text("#old outside\n")
    perform("command", root, {}, *RENAME, at=steps - 3)
    assert contents(root) != NOTES
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(outside)
    (root / "Sub/b.md").write_text("Written since.\n")
    ended = perform("command", root, {}, *RECOVER)
    assert ended.code == 0, ended.said
    assert "a.md" in ended.said and "Sub/b.md" in ended.said
    assert outside.read_text() == "#old outside\n"
    assert (root / "Sub/b.md").read_text() == "Written since.\n"
    assert (root / "c.md").read_text() == NOTES["c.md"]
    # The next run has nothing left to say.
    assert "a.md" not in perform("command", root, {}, *RECOVER).said

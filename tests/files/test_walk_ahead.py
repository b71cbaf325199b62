"""The walk that begins before a command has loaded: what it tells is what the command would have found itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from notewell.files.formats import BY_SUFFIX
from notewell.files.survey import WalkRules, survey
from notewell.files.walk_ahead import keep_rules

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork, so nothing walks ahead")

# In a process of its own: a process with threads should not fork.
SCRIPT = """
import sys
from pathlib import Path
from notewell.files.survey import WalkRules
from notewell.files.walk_ahead import begin, take
begin(sys.argv[1])
print(take(Path(sys.argv[2]), WalkRules(exclude=tuple(sys.argv[3:]))), take(Path(sys.argv[2]), WalkRules()))
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "notes"
    (root / "deep").mkdir(parents=True)
    (root / "deep/rye.md").write_text("Rye rises slowly.\n", encoding="utf-8")
    (root / "draft.md").write_text("Not yet.\n", encoding="utf-8")
    return root


def taken(folder: Path, root: Path, *exclude: str) -> str:
    command = [sys.executable, "-c", SCRIPT, str(folder), str(root), *exclude]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("begun_in", ["", "deep"])
def test_a_walk_by_the_same_rules_tells_what_a_walk_finds_now(root: Path, begun_in: str) -> None:
    rules = WalkRules(exclude=("draft.md",))
    keep_rules(root, rules)
    for text in ("Rye rises slowly.\n", "Rye rises overnight.\n"):
        (root / "deep/rye.md").write_text(text, encoding="utf-8")
        assert taken(root / begun_in, root, "draft.md") == f"{survey(root, rules, BY_SUFFIX).digest!r} None"


def test_a_walk_of_another_folder_by_other_rules_or_by_none_tells_nothing(root: Path, tmp_path: Path) -> None:
    assert taken(root, root) == "None None"
    keep_rules(root, WalkRules())
    assert taken(root, root) != "None None"
    assert taken(root, tmp_path) == taken(root, root, "draft.md") == "None None"
    for file in (tmp_path / "state/notewell/walked").iterdir():
        file.write_bytes(b'{"exclude": 3, "color": "no"}')
    assert taken(root, root) == "None None"

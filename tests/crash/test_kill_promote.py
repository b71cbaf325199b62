"""A promotion that is killed before every step: the next one finishes it, and no word of a person is lost."""

from __future__ import annotations

import re
import signal
from itertools import count
from pathlib import Path

from tests.crash.conftest import Acts

NOTES = {
    "notewell.toml": '[curate]\nfolders = ["."]\n[llm]\nmodel = "off"\n[embed]\nmodel = "words"\n',
    "_taxonomy.md": "- #bees: hive, queen, brood and honey\n",
    "a.md": "The hive has a queen, brood and honey. See [[Wax-moths]].\n",
    "Wax moths.md": "---\ntags: [bees]\n---\nMoths of the hive.\n",
}
PROMOTE = ("promote", "--json")
AFTER = "---\ntags:\n  - bees\n---\nThe hive has a queen, brood and honey. See [[Wax moths]].\n"


def make(perform: Acts, root: Path) -> None:
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    assert perform("command", root, {}, "review").code == 0
    queue = root / "_review-queue.md"
    text = queue.read_text().replace("- [ ]", "- [x]")
    assert len(re.findall(r"- \[x\]", text)) == 2
    queue.write_text(text + "\nA word of mine.\n")


def test_a_kill_at_any_step_leaves_a_note_as_it_was_or_promoted_and_the_next_run_finishes(
    perform: Acts, tmp_path: Path
) -> None:
    outcomes = set()
    for step in count():
        make(perform, root := tmp_path / f"vault-{step}")
        ended = perform("command", root, {}, *PROMOTE, at=step)
        if ended.code == 0:
            break
        assert ended.code == -signal.SIGKILL, ended.said
        queue = (root / "_review-queue.md").read_text()
        assert "A word of mine." in queue, f"before step {step}"
        found = (root / "a.md").read_text()
        assert found in (NOTES["a.md"], AFTER), f"before step {step}"
        outcomes.add(found == AFTER)
        ended = perform("command", root, {}, *PROMOTE)
        assert ended.code == 0, ended.said
        assert (root / "a.md").read_text() == AFTER, f"before step {step}"
        queue = (root / "_review-queue.md").read_text()
        assert "A word of mine." in queue and "^nw-" not in queue, f"before step {step}: {queue}"
        assert not list(root.rglob(".notewell-unfinished-*")), f"before step {step}"
    assert outcomes == {True, False}

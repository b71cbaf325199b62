"""An intake, or its undoing, that is killed before every step: the next run finishes it, and the log says what is."""

from __future__ import annotations

import json
import shutil
import signal
from itertools import count
from pathlib import Path

import pytest
from tests.crash.conftest import Acts

TOPICS = ("varroa", "swarms", "queens", "feeding", "honey", "disease", "frames", "smoke", "boxes")
TEXT = "The hive and its bees need care: {}. Check the frames, the brood and the queen; keep notes of honey."
NOTES = {
    "notewell.toml": '[curate]\nfolders = ["."]\n[intake]\nreview = 0.03\n[embed]\nmodel = "words"\n',
    **{f"Bees {topic}.md": f"# Bees {topic}\n\n{TEXT.format(topic)}\n" for topic in TOPICS},
}
ITEM = "<item><title>{}</title><link>https://b.example/{}</link><description>{}</description></item>"
GOOD = "Steps:\n\n1. Check frames.\n2. Check brood.\n3. Keep notes.\n\n" + TEXT.format("all of it in summer") * 2
FEED = (
    f"<rss><channel><title>F</title>{ITEM.format('Good', 1, GOOD)}{ITEM.format('Unsure', 2, 'A hive.')}</channel></rss>"
)


@pytest.fixture
def indexed(perform: Acts, tmp_path: Path) -> Path:
    """A vault to copy: `test_kill.py` kills the indexing of one."""
    (root := tmp_path / "indexed").mkdir()
    for path, text in NOTES.items():
        (root / path).write_text(text)
    (tmp_path / "feed.xml").write_text(FEED)
    assert perform("command", root, {}, "index").code == 0
    return root


def make(root: Path, indexed: Path) -> tuple[str, ...]:
    shutil.copytree(indexed, root)
    return "intake", str(root.parent / "feed.xml"), "--json"


def test_a_kill_at_any_step_is_made_good_by_the_next_run(perform: Acts, indexed: Path, tmp_path: Path) -> None:
    outcomes = set()
    for step in count():
        command = make(root := tmp_path / f"vault-{step}", indexed)
        ended = perform("command", root, {}, *command, at=step)
        if ended.code == 0:
            assert [one["verdict"] for one in json.loads(ended.printed)["decisions"]] == ["added", "queued"]
            break
        assert ended.code == -signal.SIGKILL, ended.said
        ended = perform("command", root, {}, *command)
        assert ended.code == 0, ended.said
        assert json.loads(ended.printed)["left"] == [], f"before step {step}"
        notes = [*(root / "Inbox").glob("*.md")]
        assert [note.name for note in notes] == ["Good.md"], f"before step {step}"
        assert notes[0].read_text().count("Check frames.") == 1, f"before step {step}"
        logged = json.loads(perform("command", root, {}, "intake", "log", "--json").printed)
        assert {one["title"]: one["verdict"] for one in logged} == {"Good": "added", "Unsure": "queued"}, step
        assert perform("command", root, {}, "review").code == 0
        assert (root / "_review-queue.md").read_text().count("Add `Inbox/Unsure.md`") == 1, f"before step {step}"
        outcomes.add(len(json.loads(ended.printed)["decisions"]))
    # Begun anew, or found done.
    assert outcomes == {0, 2}


def test_an_undoing_that_is_killed_at_any_step_is_finished_by_the_next(
    perform: Acts, indexed: Path, tmp_path: Path
) -> None:
    outcomes = set()
    for step in count():
        command = make(root := tmp_path / f"vault-{step}", indexed)
        assert perform("command", root, {}, *command).code == 0
        ended = perform("command", root, {}, "intake", "undo", "--json", at=step)
        if ended.code == 0:
            break
        assert ended.code == -signal.SIGKILL, ended.said
        again = perform("command", root, {}, "intake", "undo", "--json")
        # Begun anew, or found done.
        assert again.code == 0 or "no intake to undo" in again.said, again.said
        assert not [*(root / "Inbox").glob("*.md")], f"before step {step}"
        assert len([*(root / ".trash").iterdir()]) == 1, f"before step {step}"
        logged = json.loads(perform("command", root, {}, "intake", "log", "--json").printed)
        assert {one["title"]: one["later"] for one in logged} == {"Good": "undone", "Unsure": ""}, f"before step {step}"
        outcomes.add(again.code)
    assert outcomes == {0, 1}

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from tests.serve.conftest import write_numbered

from notewell.serve.cli.progress import QUIET

Notewell = Callable[..., tuple[int, str, str]]


def test_json_is_as_other_programs_know_it(notewell: Notewell, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\0\1\2")
    code, out, err = notewell("index", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert isinstance(report.pop("seconds"), float)
    assert report.pop("warnings") == []
    assert report.pop("interrupted") is False
    assert report.pop("notices") == []
    assert report == {
        "notes": 3,
        "chunks": 4,
        "added": 3,
        "changed": 0,
        "removed": 0,
        "unchanged": False,
        "skipped": [{"path": "bad.md", "reason": "not text: contains zero bytes"}],
        "redacted": 1,
    }


def test_a_second_run_reports_what_changed_since(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    (folder / "Garden" / "Bees.md").unlink()
    (folder / "Recipes" / "Sourdough.md").write_text("# Sourdough\n\nAn entirely different text about bread.\n")
    (folder / "new.md").write_text("# New\n\nA note that was not there before at all.\n")
    report = json.loads(notewell("index", "--json")[1])
    assert (report["added"], report["changed"], report["removed"], report["notes"]) == (1, 1, 1, 3)
    report = json.loads(notewell("index", "--json")[1])
    assert (report["added"], report["changed"], report["removed"]) == (0, 0, 0)


def test_a_touched_note_is_not_a_change(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    os.utime(folder / "Garden" / "Bees.md", ns=(1, 1))
    report = json.loads(notewell("index", "--json")[1])
    assert (report["added"], report["changed"]) == (0, 0)


def test_full_indexes_every_note_again(notewell: Notewell, folder: Path) -> None:
    notewell("index")
    report = json.loads(notewell("index", "--full", "--json")[1])
    assert (report["notes"], report["added"]) == (3, 3)
    assert sorted(file.name for file in (folder / ".notewell").iterdir()) == [".gitignore", "store.db", "store.db.lock"]


def test_a_person_reads_counts_on_stdout_and_trouble_on_stderr(notewell: Notewell, folder: Path) -> None:
    (folder / "bad\nname.md").write_bytes(b"\0")
    (folder / "odd.md").write_text("---\na: [\n---\n\n# Odd\n\nFront matter that is not YAML, and a text.\n")
    code, out, err = notewell("index")
    assert code == 0
    assert re.match(r"4 notes, 5 chunks \(4 added, 0 changed, 0 removed\) in \d+\.\d s\n1 secrets? redacted", out)
    assert "bad\\x0aname.md" in err
    assert "zero bytes" in err
    assert "odd.md: the front matter is not YAML" in err


def test_verbose_names_a_secret_by_kind_and_place_and_never_shows_it(notewell: Notewell) -> None:
    _, out, err = notewell("index", "--verbose")
    assert "Garden/Keys.md:5 password" in out
    assert "hunter2" not in out + err


def test_the_vault_can_be_named_as_an_argument(notewell: Notewell, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nA note in another vault altogether.\n")
    assert json.loads(notewell("index", str(other), "--json")[1])["notes"] == 1
    assert not (folder / ".notewell").exists()


def test_a_vault_named_twice_is_a_wrong_call_unless_it_is_the_same(
    notewell: Notewell, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    code, out, err = notewell("index", str(folder), "--vault", str(tmp_path / "other"))
    assert (code, out) == (2, "")
    assert err.startswith("error: VAULT and --vault name two folders\nhint: ")
    assert not (folder / ".notewell").exists()
    assert notewell("index", str(folder), "--vault", str(folder))[0] == 0


def test_an_empty_vault_is_not_an_error(notewell: Notewell, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, out, _ = notewell("index", str(tmp_path / "empty"))
    assert (code, out[:19]) == (0, "0 notes, 0 chunks (")


def test_a_long_run_reports_its_progress_on_stderr(notewell: Notewell, folder: Path) -> None:
    write_numbered(folder, QUIET.notes - 3)
    _, out, err = notewell("index")
    assert re.findall(r"indexed (\d+) of 500 notes", err) == [str(tenth) for tenth in range(50, 501, 50)]
    assert "indexed" not in out


def test_a_short_run_is_quiet(notewell: Notewell) -> None:
    assert notewell("index")[2] == ""

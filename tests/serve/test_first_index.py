"""First contact: a folder that is hardly a vault is not indexed without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.terminal import PROGRAM, run_on_terminal

Run = Callable[..., tuple[int, str, str]]

HINT = "hint: Go to the folder of your notes, name it with --vault, or add --yes to index this one\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a note in it."""
    folder = tmp_path / "people" / "ada"
    folder.mkdir(parents=True)
    (folder / "todo.md").write_text("# To do\n\nFeed the bees before the rain comes.\n")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("NOTEWELL_EMBED_MODEL", "words")
    return folder


@cases(
    "arguments",
    [
        ["search", "bees"],
        ["related", "todo"],
        ["read", "to do"],
        ["links"],
        ["graph"],
        ["traverse", "todo"],
        ["index"],
        ["watch"],
        ["serve", "--port", "0"],
        ["mcp"],
    ],
)
def test_no_command_indexes_the_home_folder_unasked(home: Path, run_command: Run, arguments: list[str]) -> None:
    code, out, err = run_command(home, *arguments)
    assert (code, out, err) == (1, "", f"error: {home} is your home folder; nothing was indexed\n{HINT}")
    assert not (home / ".notewell").exists()


def test_nor_a_folder_above_it_nor_all_files(home: Path, run_command: Run) -> None:
    assert "contains your home folder" in run_command(home.parent, "search", "bees")[2]
    assert "error: / is the root of the file system" in run_command(Path("/"), "search", "bees")[2]


@cases("answer, code", [("n", 1), ("y", 0)])
def test_a_person_is_asked(home: Path, answer: str, code: int) -> None:
    keys = f"{answer}\n".encode()
    ended, shown = run_on_terminal([PROGRAM, "search", "bees"], home, {"HOME": str(home), "NO_COLOR": "1"}, keys=keys)
    assert f"{home} is your home folder. Index all of it? [y/N]: " in shown
    assert (ended, (home / ".notewell").exists(), "Feed the bees" in shown) == (code, not code, not code)


@cases("mark", [".obsidian/", "notewell.toml", "--yes", "--vault=.", ".notewell/"])
def test_nobody_is_asked_about_a_folder_that_is_a_vault_or_was_named(home: Path, run_command: Run, mark: str) -> None:
    if mark.endswith("/"):
        (home / mark).mkdir()
    elif not mark.startswith("-"):
        (home / mark).touch()
    code, out, _ = run_command(home, "search", "bees", *([mark] if mark.startswith("-") else []))
    assert (code, out.splitlines()[1]) == (0, "    Feed the bees before the rain comes.")
    # A store is a sign, too.
    assert run_command(home, "search", "bees")[:2] == (code, out)
    for made in (home / ".notewell").iterdir():
        made.unlink()
    (home / ".notewell").rmdir()
    if (home / ".obsidian").exists():
        (home / ".obsidian").rmdir()
    (home / "notewell.toml").unlink(missing_ok=True)


def test_a_folder_with_too_many_files_is_doubtful_unless_it_is_a_vault(
    home: Path, run_command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.serve.cli.first_index.MOST_FILES", 1)
    (folder := home / "archive").mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text("# Bees\n\nThe hive hums in the evening.\n")
    fact = f"error: {folder} has 2 files and is not marked as a vault; nothing was indexed\n{HINT}"
    assert run_command(folder, "search", "hive") == (1, "", fact)
    (folder / ".obsidian").mkdir()
    assert run_command(folder, "search", "hive")[0] == 0


def test_a_folder_without_notes_is_not_indexed_unless_it_was_named(home: Path, run_command: Run) -> None:
    (folder := home / "empty").mkdir()
    assert run_command(folder, "index")[0] == 1
    assert not (folder / ".notewell").exists()
    assert run_command(folder, "index", ".")[0] == 0

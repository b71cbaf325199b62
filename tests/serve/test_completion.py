"""Shell completion, asked as shells ask, and by a real shell."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.terminal import PROGRAM, typed_in_shell

from notewell.serve.cli import COMMANDS
from notewell.serve.cli.completion import MOST

Notewell = Callable[..., tuple[int, str, str]]
Complete = Callable[..., list[str]]


@pytest.fixture
def complete(notewell: Notewell, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """Ask as the script for bash does; return what is offered for the last word."""

    def ask(*words: str, shell: str = "bash") -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv("_NOTEWELL_COMPLETE", f"{shell}_complete")
            patch.setenv("COMP_WORDS", "\n".join(("notewell", *map(shlex.quote, words))))
            patch.setenv("COMP_CWORD", str(len(words)))
            code, out, err = notewell()
        assert (code, err) == (0, "")
        return [line.partition("\t")[2] for line in out.splitlines() if line]

    return ask


def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert complete("") == list(COMMANDS)
    assert complete("re") == ["related", "read", "review", "restore", "remember"]
    assert complete("--no-p") == ["--no-pager"]
    assert "--format" in complete("search", "--f")


def test_choices_are_completed(complete: Complete) -> None:
    assert complete("search", "--format", "") == ["text", "json", "jsonl", "md", "csv", "paths"]
    assert complete("--color", "n") == ["never"]
    assert complete("completion", "") == ["bash", "zsh", "fish"]
    assert complete("daemon", "s") == ["status", "stop"]
    assert complete("hook", "") == ["after", "before", "install", "prompt", "start", "status", "uninstall"]
    assert complete("help", "q") == ["query"]
    assert complete("help", "sea") == ["search"]
    assert complete("config", "daemon.m") == ["daemon.max_mb"]


@cases(
    "before",
    [["read"], ["related"], ["traverse"], ["links"], ["forget"], ["secrets"], ["search", "x", "--like"]],
)
def test_notes_are_completed_by_the_beginning_of_their_paths(
    notewell: Notewell, complete: Complete, before: list[str]
) -> None:
    notewell("index")
    assert complete(*before, "Garden/") == ["Garden/Bees.md", "Garden/Keys.md"]
    assert complete(*before, "garden/b") == ["Garden/Bees.md"]


def test_a_note_is_completed_by_its_name_if_no_other_has_it(notewell: Notewell, complete: Complete) -> None:
    notewell("index")
    assert complete("read", "sour") == ["Recipes/Sourdough.md"]
    assert complete("related", "Garden/Bees.md", "ke") == ["Garden/Keys.md"]


def test_folders_and_tags_are_completed(notewell: Notewell, complete: Complete, folder: Path) -> None:
    (folder / "Garden" / "My bees").mkdir()
    (folder / "Garden" / "My bees" / "a.md").write_text("---\ntags: [bees/health, rye]\n---\nText.\n")
    notewell("index")
    assert complete("search", "--under", "G") == ["Garden", "Garden/My bees"]
    assert complete("search", "--tag", "b") == ["bees/health", "bread"]


def test_another_vault_is_asked_if_it_is_named(complete: Complete, indexed_sample: Path) -> None:
    assert complete("read", "--vault", str(indexed_sample), "Recipes/M") == ["Recipes/Miso soup.md"]


@cases("content", [None, b"no database " * 500])
def test_without_a_store_nothing_is_completed_and_nothing_is_made(
    complete: Complete, folder: Path, content: bytes | None
) -> None:
    if content:
        (folder / ".notewell").mkdir()
        (folder / ".notewell" / ".gitignore").write_text("*\n")
        (folder / ".notewell" / "store.db").write_bytes(content)
    before = {path: path.stat().st_size for path in folder.rglob("*")}
    assert complete("read", "Gar") == []
    assert complete("search", "--tag", "") == []
    assert {path: path.stat().st_size for path in folder.rglob("*")} == before


def test_a_large_vault_offers_as_many_as_one_looks_through(
    notewell: Notewell, complete: Complete, folder: Path
) -> None:
    for number in range(MOST + 20):
        (folder / f"note {number:04}.md").write_text("x\n")
    notewell("index")
    found = complete("read", "note")
    assert (len(found), found[0]) == (MOST, "note 0000.md")


@cases("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell_and_it_is_said_where_it_belongs(notewell: Notewell, shell: str) -> None:
    code, out, err = notewell("completion", shell)
    assert code == 0
    assert f"_NOTEWELL_COMPLETE={shell}_complete" in out
    assert "Save this as" in err
    if program := shutil.which(shell):
        assert subprocess.run([program, "-n", "-c", out], check=False).returncode == 0


def test_zsh_and_fish_are_answered_in_their_ways(
    notewell: Notewell, complete: Complete, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "Garden" / "a, b.md").write_text("x\n")
    notewell("index")
    monkeypatch.setenv("COMP_WORDS", "notewell read Garden/a")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setenv("_NOTEWELL_COMPLETE", "zsh_complete")
    assert notewell()[1].split("\n")[:2] == ["plain", "Garden/a, b.md"]
    monkeypatch.setenv("COMP_CWORD", "Garden/a")
    monkeypatch.setenv("_NOTEWELL_COMPLETE", "fish_complete")
    assert notewell()[1].strip() == "plain,Garden/a, b.md"
    # Its script cuts at the first comma only.
    monkeypatch.delenv("_NOTEWELL_COMPLETE")
    assert 'string split --max 1 ","' in notewell("completion", "fish")[1]


SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
BEGINNINGS = {
    "bash": "bind 'set enable-bracketed-paste off'",
    "zsh": "autoload -Uz compinit; compinit -u",
    "fish": "true",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_somebody_presses_tab(notewell: Notewell, folder: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (folder / "Garden" / "Varroa (new), it's 12:30.md").write_text("Nine mites, and a $price.\n")
    notewell("index")
    script = folder.parent / f"completion.{shell}"
    script.write_text(notewell("completion", shell)[1])
    lines = (
        f"{BEGINNINGS[shell]}; source {shlex.quote(str(script))}",
        "notewell read Garden/Varr\t",
        'notewell read "Garden/Varr\t',
        "notewell rea\tGarden/Keys.md:3",
        "notewell config search.lim\t",
    )
    home = {"HOME": str(folder.parent), "XDG_CONFIG_HOME": str(folder.parent), "XDG_DATA_HOME": str(folder.parent)}
    path = f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"
    shown = typed_in_shell(SHELLS[shell], lines, folder, {"PATH": path, **home})
    assert shown.count("Nine mites, and a $price.") == 2
    assert "For the weather station of the garden." in shown
    assert "NOTEWELL_SEARCH_LIMIT" in shown

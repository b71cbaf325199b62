"""Opening a note: what is run, with which arguments, and never through a shell."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """A Linux without or with a screen, where a program opens addresses; no editor is set."""
    for name in ("VISUAL", "EDITOR", "PAGER", "NOTEWELL_PAGER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if name == "xdg-open" else None)
    return lambda on: monkeypatch.setenv("DISPLAY", ":0" if on else "")


def printed(notewell: Run, *arguments: str) -> list[str]:
    code, out, err = notewell("open", "--print", *arguments)
    assert code == 0, err
    return shlex.split(out)


@pytest.mark.usefixtures("screen")
@cases(
    "variables, arguments",
    [
        ({}, ["less", "+9", "{}"]),
        ({"PAGER": "more"}, ["more", "{}"]),
        ({"EDITOR": "vim -R"}, ["vim", "-R", "+9", "{}"]),
        ({"EDITOR": "vim", "VISUAL": "code -w"}, ["code", "-w", "--goto", "{}:9"]),
        ({"EDITOR": "/opt/zed"}, ["/opt/zed", "{}:9"]),
        ({"EDITOR": "of-somebody"}, ["of-somebody", "{}"]),
    ],
)
def test_an_editor_opens_the_line_if_it_is_known_how(
    folder: Path, notewell: Run, variables: dict[str, str], arguments: list[str]
) -> None:
    file = str(folder / "Recipes/Sourdough.md")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        # As `read` names it, also by a heading.
        assert printed(notewell, "sourdough:9") == [word.format(file) for word in arguments]
        assert printed(notewell, "Recipes/Sourdough.md#Rye") == [word.format(file) for word in arguments]


def test_a_vault_of_obsidian_opens_there_at_the_heading_if_there_is_a_screen(
    folder: Path, notewell: Run, screen: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".obsidian").mkdir()
    monkeypatch.setenv("EDITOR", "vi")
    screen(False)
    assert printed(notewell, "sourdough:11")[0] == "vi"
    screen(True)
    address = "obsidian://open?vault=notes&file=Recipes%2FSourdough.md"
    assert printed(notewell, "sourdough:11") == ["xdg-open", f"{address}%23Rye"]
    assert printed(notewell, "sourdough") == ["xdg-open", address]
    known = {"path": "Recipes/Sourdough.md", "line": 1, "command": ["xdg-open", address]}
    assert json.loads(notewell("open", "sourdough", "--json")[1]) == known
    assert printed(notewell, "sourdough", "--with", "editor")[0] == "vi"
    monkeypatch.setenv("NOTEWELL_SHOW_OPEN_WITH", "pager")
    assert printed(notewell, "sourdough")[0] == "less"


def test_no_shell_reads_the_name_of_a_note(folder: Path, notewell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "$(touch made) & `touch made`; 'x\".md"
    (folder / name).write_text("# Odd\n\nA note with an odd name.\n")
    run: list[list[str]] = []

    def record(arguments: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        run.append(arguments)
        return subprocess.CompletedProcess(arguments, 3)

    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.setattr("subprocess.run", record)
    assert notewell("open", name, "--with", "editor")[0] == 3
    assert run == [["ed", str(folder / name)]]


@pytest.mark.usefixtures("screen")
@cases(
    "arguments, fact",
    [
        (["nowhere"], "No indexed note is called 'nowhere'"),
        (["sourdough", "--with", "obsidian"], "No program here opens obsidian:// links"),
        (["sourdough"], "/nowhere/ed cannot be started: No such file or directory"),
    ],
)
def test_what_cannot_be_opened_is_an_error(
    notewell: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], fact: str
) -> None:
    monkeypatch.setenv("EDITOR", "/nowhere/ed")
    code, out, err = notewell("open", *arguments)
    assert (code, out) == (1, "")
    assert f"error: {fact}\n" in err


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize(("name", "program"), [("EDITOR", " "), ("PAGER", " "), ("VISUAL", "''")])
def test_without_a_program_the_note_itself_is_not_run(
    notewell: Run, monkeypatch: pytest.MonkeyPatch, name: str, program: str
) -> None:
    monkeypatch.setenv(name, program)
    code, _, err = notewell("open", "sourdough")
    assert (code, "names no program" in err) == (1, True)

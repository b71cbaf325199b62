"""`notewell remember` and `notewell forget`."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]

APPROVALS = "The deploy of the billing service needs two approvals since March."


@pytest.fixture(autouse=True)
def allowed(folder: Path) -> None:
    with (folder / "notewell.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[memory]\nfolder = "Memories"\n')


def test_a_memory_is_reported_by_its_path_and_found(notewell: Notewell, folder: Path) -> None:
    arguments = ("--title", "Billing deploys", "--tag", "deploy", "--tag", "team", "--source", "Kim")
    assert notewell("remember", APPROVALS, *arguments) == (0, "Memories/Billing deploys.md\n", "")
    page = (folder / "Memories/Billing deploys.md").read_text(encoding="utf-8")
    assert "\ntitle: Billing deploys\ntags:\n- deploy\n- team\nsource: Kim\n---\n" in page
    _, out, _ = notewell("search", "approvals", "--type", "memory", "-n", "1")
    assert out.startswith("Memories/Billing deploys.md:")


def test_a_near_duplicate_is_shown_instead_with_exit_code_1(notewell: Notewell, folder: Path) -> None:
    notewell("remember", APPROVALS, "--title", "Billing deploys")
    code, out, err = notewell("remember", "Since March, deploying the billing service needs two approvals.")
    assert code == 1
    assert out.splitlines() == ["Memories/Billing deploys.md:7  Billing deploys  0.97", f"    {APPROVALS}"]
    assert err == "nothing written: a note says nearly the same; --anyway writes it anyway\n"
    assert len(list((folder / "Memories").iterdir())) == 1
    assert notewell("remember", APPROVALS, "--title", "Again", "--anyway") == (0, "Memories/Again.md\n", "")


def test_a_text_is_taken_from_a_pipe_without_being_asked_for(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The bees swarmed in May.\n")))
    assert notewell("remember", "--title", "Swarm") == (0, "Memories/Swarm.md\n", "")
    assert "swarmed in May" in (folder / "Memories" / "Swarm.md").read_text()
    with Path("/dev/null").open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert notewell("remember")[::2] == (
            2,
            "error: Missing argument 'TEXT'\nhint: Run `notewell remember --help`\n",
        )


def test_a_text_comes_from_stdin_and_its_secrets_are_counted(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "-".join(["hunter2", "again"])
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(f"For the router.\npassword: {value}\n\xff".encode()))
    )
    code, out, err = notewell("remember", "-")
    assert (code, out, err) == (0, "Memories/For the router.md\n", "1 secret redacted\n")
    assert value not in (folder / "Memories/For the router.md").read_text(encoding="utf-8")


def test_json_says_the_same(notewell: Notewell) -> None:
    code, out, _ = notewell("remember", APPROVALS, "--title", "Billing deploys", "--json")
    written = {"path": "Memories/Billing deploys.md", "written": True, "near": [], "redacted": 0, "notices": []}
    assert (code, json.loads(out)) == (0, written)
    code, out, err = notewell("remember", APPROVALS, "--json")
    near = {"path": written["path"], "line": 7, "title": "Billing deploys", "similarity": 1.0, "text": APPROVALS}
    assert (code, err) == (1, "")
    assert json.loads(out) == {"path": None, "written": False, "near": [near], "redacted": 0, "notices": []}
    code, out, _ = notewell("forget", "Billing deploys", "--json")
    assert json.loads(out) == {"path": written["path"], "trash": ".trash/Billing deploys.md", "notices": []}


def test_a_memory_is_forgotten_from_where_one_is(
    notewell: Notewell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("remember", APPROVALS, "--title", "Billing")
    monkeypatch.chdir(folder / "Memories")
    assert notewell("forget", "Billing.md") == (0, ".trash/Billing.md\n", "")
    assert (folder / ".trash/Billing.md").is_file()


def test_another_note_is_not_forgotten(notewell: Notewell, folder: Path) -> None:
    code, out, err = notewell("forget", "Garden/Bees.md")
    assert (code, out) == (1, "")
    assert err == (
        "error: Garden/Bees.md is not a memory: it lies outside Memories\n"
        "hint: Only notes that were remembered can be forgotten; delete others yourself\n"
    )
    assert (folder / "Garden/Bees.md").is_file()


@cases("arguments", [("remember", APPROVALS), ("forget", "Garden/Bees.md")])
def test_both_are_off_until_the_vaults_file_allows_them(
    notewell: Notewell, folder: Path, arguments: tuple[str, ...]
) -> None:
    (folder / "notewell.toml").write_text('[embed]\nmodel = "words"\n', encoding="utf-8")
    code, out, err = notewell(*arguments)
    assert (code, out) == (1, "")
    assert err == (
        "error: This vault has no folder for memories\n"
        f'hint: To allow memories, add two lines to {folder}/notewell.toml: `[memory]` and `folder = "Memories"`\n'
    )

"""Hits as a person sees them on a terminal, as a script reads them, and what scripts can ask for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.terminal import PROGRAM, on_terminal, run_on_terminal

from notewell.serve.width import wrapped

Run = Callable[..., tuple[int, str, str]]

LONG = "a hive in the orchard hums all day, and the keeper listens to it from the bench below the old pear tree.\n"


@pytest.fixture
def orchard(folder: Path) -> Path:
    """A vault where two sections of one note are found with a section of another between them."""
    (folder / "Orchard.md").write_text(
        f"# Orchard\n\nQuince and quince, and quince again.\n\n## Hive\n\nBelow a quince, {LONG}"
    )
    (folder / "2024 pears.md").write_text(
        "# Pears of the year\n\n## Late ones\n\nOne quince, and no pear at all there.\n"
    )
    return folder


def test_a_terminal_shows_hits_note_by_note_with_a_blank_line_between(orchard: Path) -> None:
    shown = on_terminal("search", '"quince"', "-q", cwd=orchard, COLUMNS="60", NO_COLOR="1")
    first, second = shown.replace("\r\n", "\n").split("\n\n")
    head, excerpt, again, *lines = first.splitlines()
    assert (head[:14], excerpt) == ("Orchard.md:3  ", "    Quince and quince, and quince again.")
    # The title is the file's name, and is not repeated.
    assert again.startswith("  :7  Hive  ")
    assert len(lines) == 3 and all(len(line) <= 60 and line.startswith("    ") for line in lines)
    assert second.startswith("2024 pears.md:5  Pears of the year > Late ones  ")


def test_a_pipe_gets_a_whole_line_for_each_hit_the_best_first(orchard: Path, notewell: Run) -> None:
    _, out, _ = notewell("search", '"quince"')
    heads = [line.rpartition("  ")[0] for line in out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "Orchard.md:3  Orchard",
        "Orchard.md:7  Orchard > Hive",
        "2024 pears.md:5  Pears of the year > Late ones",
    ]
    assert "\n\n" not in out and max(map(len, out.splitlines())) > 100


@cases(
    "line, width, pieces",
    [
        ("rye needs more water", 10, ["rye needs", "more water"]),
        ("1. rye needs more water", 12, ["1. rye needs", "   more", "   water"]),
        ("    indented code stays so", 20, ["    indented code", "    stays so"]),
        ("see https://example.org/a-long-one for it", 12, ["see", "https://example.org/a-long-one", "for it"]),
        ("abc蜂の巣が夏に鳴る。def ghi", 8, ["abc蜂の", "巣が夏に", "鳴る。", "def ghi"]),
        ("", 8, [""]),
    ],
)
def test_lines_are_cut_between_words_and_below_their_own_beginning(line: str, width: int, pieces: list[str]) -> None:
    assert list(wrapped(line, width)) == pieces


def test_a_line_of_json_for_each_hit_is_that_hit_of_the_whole(orchard: Path, notewell: Run) -> None:
    notewell("index")
    whole = json.loads(notewell("search", "quince", "--json")[1])["hits"]
    for flag in (["--jsonl"], ["--format", "jsonl"]):
        assert [json.loads(line) for line in notewell("search", "quince", *flag)[1].splitlines()] == whole
    code, _, err = notewell("search", "quince", "--jsonl", "--format", "csv")
    assert (code, err.splitlines()[0]) == (2, "error: --jsonl and --format csv exclude each other")


@cases(
    "arguments, code",
    [
        (["quince"], 0),
        (["tag:nowhere"], 1),
        (["tag:nowhere", "--json"], 1),
        (["quince tag:nowhere", "--deep"], 1),
        (["quince", "--vault", "nowhere"], 2),
        (["quince", "--limit", "no"], 2),
    ],
)
def test_a_script_can_ask_for_the_exit_codes_of_grep(
    orchard: Path, notewell: Run, arguments: list[str], code: int
) -> None:
    notewell("index")
    assert notewell("search", "--exit-status", *arguments)[0] == code
    usual = {0: 0, 1: 0, 2: 1}[code] if "--limit" not in arguments else 2
    assert notewell("search", *arguments)[0] == usual


@cases("place", [0, 1])
def test_a_quiet_command_says_nothing_but_errors(orchard: Path, notewell: Run, place: int) -> None:
    def quietly(*arguments: str) -> tuple[int, str, str]:
        return notewell(*arguments[:place], "-q", *arguments[place:])

    code, out, err = quietly("search", "quince tag:nowhere")
    assert (code, out, err) == (0, "", "")
    code, _, err = quietly("search", "quince", "--limit", "no")
    assert code == 2 and err.startswith("error: ")


def test_messages_are_wrapped_at_words_on_a_terminal_only(orchard: Path, notewell: Run) -> None:
    asked = ("search", "quince", "--vault", "a/folder/that/is/not/there")
    _, shown = run_on_terminal([PROGRAM, *asked], orchard, {"COLUMNS": "50", "NO_COLOR": "1"})
    lines = shown.replace("\r\n", "\n").splitlines()
    assert lines[-2:] == ["hint: Check the path, or name the vault with", "      --vault"]
    assert notewell(*asked)[2].splitlines()[-1] == "hint: Check the path, or name the vault with --vault"

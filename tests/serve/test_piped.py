"""A query that comes through a pipe."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases import cases

Notewell = Callable[..., tuple[int, str, str]]
QUERY = "\ufeffthe löaf\n  collapsed\n".encode()


def test_the_query_may_come_through_a_pipe(folder: Path) -> None:
    command = [sys.executable, "-m", "notewell", "search", "--json"]
    done = subprocess.run(command, cwd=folder, input=QUERY, capture_output=True, check=True)
    assert json.loads(done.stdout)["query"] == "the löaf\n  collapsed"


@cases("arguments", [["-"], [], ["-n", "1", "-"]])
def test_a_hyphen_may_stand_for_it(notewell: Notewell, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(QUERY)))
    code, out, _ = notewell("search", *arguments, "--json")
    assert (code, json.loads(out)["query"]) == (0, "the löaf\n  collapsed")


@cases(
    ("data", "message"),
    [
        (b"", "The query on stdin is empty"),
        (b" \n", "The query on stdin is empty"),
        (b"rye\0bread", "stdin is not UTF-8 text"),
        ("rye".encode("utf-16"), "stdin is not UTF-8 text"),
        (b"rye " * 20_000, "The query on stdin is longer than 65,536 bytes"),
    ],
)
def test_what_is_piped_and_no_query_is_wrong_usage(
    notewell: Notewell, monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, err = notewell("search", "-", "--json")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")


def test_filters_alone_do_not_wait_for_a_pipe(folder: Path) -> None:
    command = [sys.executable, "-m", "notewell", "search", "--tag", "bread", "--format", "paths"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.read() == "Recipes/Sourdough.md\n"


def test_a_stdin_that_somebody_stands_in_for_is_read_as_a_pipe(
    monkeypatch: pytest.MonkeyPatch, notewell: Notewell
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"loaf\n")))
    code, out, _ = notewell("search", "--format", "paths", "-n", "1")
    assert (code, out) == (0, "Recipes/Sourdough.md\n")
    monkeypatch.setattr("sys.stdin", None)
    assert notewell("search")[2].startswith("error: Missing argument 'TEXT...'")
    assert notewell("search", "-")[2].startswith("error: Missing argument 'TEXT...', and stdin cannot be read")


@cases("command", [["search", "rye"], ["search", "rye", "--format", "csv"], ["read", "Garden/Bees.md"]])
def test_a_command_whose_output_was_closed_is_not_an_error(folder: Path, command: list[str]) -> None:
    line = shlex.join([sys.executable, "-m", "notewell", *command])
    done = subprocess.run(f"{line} >&-", shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr

"""Long output on a terminal goes through a pager; anywhere else it does not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.terminal import PROGRAM, run_on_terminal

from notewell.serve.cli import COMMANDS
from notewell.serve.cli.help import OUTPUT
from notewell.serve.pager import PAGED

# Says that it was called, and shows what it got.
PAGER = "sed -e '1s/^/PAGED /'"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FIRST, LAST = "Data goes to stdout", "what was done is kept\r\n"
# As many rows as the text takes in a window of 100 columns.
ROWS = sum(1 + (len(line) - 1) // 100 for line in OUTPUT.splitlines() if line) + OUTPUT.count("\n\n")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path


def ask(here: Path, *options: str, rows: int = 9, **environment: str) -> str:
    """Return what a terminal shows of a text that takes no vault to print."""
    command = [PROGRAM, "help", "output", *options]
    code, shown = run_on_terminal(command, here, {"NOTEWELL_PAGER": PAGER, **environment}, rows=rows)
    assert code == 0
    return shown


def test_output_longer_than_the_window_goes_through_the_pager(here: Path) -> None:
    shown = ask(here)
    assert shown.startswith(f"PAGED {FIRST}")
    assert shown.endswith(LAST)


def test_what_fits_into_the_window_does_not(here: Path) -> None:
    assert ask(here, rows=ROWS + 1).startswith(FIRST)
    assert ask(here, rows=ROWS).startswith("PAGED")


def test_the_users_pager_is_asked_before_the_systems_one(here: Path) -> None:
    assert ask(here, PAGER="false").startswith("PAGED")
    command = ["sh", "-c", f"unset NOTEWELL_PAGER; {PROGRAM} help output"]
    code, shown = run_on_terminal(command, here, {"PAGER": PAGER}, rows=9)
    assert (code, shown[:6]) == (0, "PAGED ")


@cases("pager", ["", "cat", "no-such-program", "'", "false-friend -x"])
def test_no_pager_and_one_that_cannot_be_run_lose_nothing(here: Path, pager: str) -> None:
    shown = ask(here, NOTEWELL_PAGER=pager)
    assert shown.startswith(FIRST)
    assert shown.endswith(LAST)


def test_a_pager_can_be_switched_off_wherever_that_is_said(here: Path) -> None:
    assert ask(here, "--no-pager").startswith(FIRST)
    command = [PROGRAM, "--no-pager", "help", "output"]
    assert run_on_terminal(command, here, {"NOTEWELL_PAGER": PAGER}, rows=9)[1].startswith(FIRST)


def test_a_dumb_terminal_gets_no_pager(here: Path) -> None:
    assert ask(here, TERM="dumb").startswith(FIRST)


def test_piped_output_gets_no_pager(here: Path) -> None:
    environment = {**os.environ, "NOTEWELL_PAGER": PAGER, "TERM": "xterm"}
    command = [PROGRAM, "help", "output"]
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(FIRST)


def test_quitting_the_pager_is_not_an_error(folder: Path) -> None:
    (folder / "long.md").write_text("line\n" * 200_000)
    pager = {"NOTEWELL_PAGER": "sed -e '1s/^/PAGED /' -e 2q"}
    code, shown = run_on_terminal([PROGRAM, "read", "long.md"], folder, pager, rows=9)
    assert (code, shown) == (0, "PAGED line\r\nline\r\n")


def test_ctrl_c_is_the_pagers(here: Path) -> None:
    # This one sends it to everyone, as a terminal does, and goes on.
    pager = "sh -c \"trap '' INT; kill -INT 0; sleep 0.2; sed -e '1s/^/PAGED /'\""
    assert ask(here, NOTEWELL_PAGER=pager).startswith("PAGED")


def test_help_goes_through_the_pager_too(here: Path) -> None:
    for arguments in (["--help"], ["index", "--help"]):
        code, shown = run_on_terminal([PROGRAM, *arguments], here, {"NOTEWELL_PAGER": PAGER}, rows=9)
        assert (code, shown[:12]) == (0, "PAGED Usage:")


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_shows_a_window_with_colours_and_links_and_ends_with_q(folder: Path, by_daemon: dict[str, str]) -> None:
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# Rye {number}\n\nThe rye bread number {number}.\n")
    environment = {"NOTEWELL_PAGER": "less -FRX", "VTE_VERSION": "7000", **by_daemon}
    command = [PROGRAM, "search", "rye", "-n", "30"]
    code, shown = run_on_terminal(command, folder, environment, rows=12, keys=b"q")
    assert code == 0
    assert "Traceback" not in shown
    assert COLOUR.search(shown)
    assert "\x1b]8;;file://" in shown
    assert 3 < shown.count("The ") < 12


def test_codes_of_colours_and_links_take_no_room_and_an_error_keeps_its_exit_code(
    folder: Path, by_daemon: dict[str, str]
) -> None:
    (folder / "bad.md").write_text("[[Nowhere]]\n" * 30)
    environment = {"NOTEWELL_PAGER": PAGER, "VTE_VERSION": "7000", **by_daemon}
    code, shown = run_on_terminal([PROGRAM, "links", "--broken"], folder, environment, rows=9)
    assert (code, "PAGED" in shown) == (1, True)
    code, shown = run_on_terminal([PROGRAM, "search", "loaf", "-n", "1"], folder, environment, rows=4)
    assert (code, "PAGED" in shown) == (0, False)
    assert "\x1b]8;;" in shown
    code, shown = run_on_terminal([PROGRAM, "read", "nowhere.md"], folder, environment, rows=9)
    assert (code, "error:" in shown, "PAGED" in shown) == (1, True, False)


def test_the_commands_that_are_paged_are_commands() -> None:
    assert set(COMMANDS) >= PAGED


def test_a_client_can_print_by_it_without_loading_the_rest() -> None:
    program = "import sys, notewell.serve.pager; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"click", "subprocess", "notewell.serve.cli"} & set(done.stdout.split())

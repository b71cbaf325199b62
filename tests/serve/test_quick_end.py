"""Commands that end without taking Python apart: what they print and how they end is the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, sys
atexit.register(print, "an orderly end")
from notewell.serve.daemon.client import main
main()
"""


@pytest.mark.parametrize(("arguments", "code"), [(("status",), 0), (("search",), 2), (("read", "no such note"), 1)])
def test_a_command_ends_at_once_with_its_output_and_its_code(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr if code else done.stdout
    assert "an orderly end" not in done.stdout


def test_a_command_that_may_leave_threads_ends_in_order(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "secrets"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "an orderly end" in done.stdout

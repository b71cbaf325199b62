"""A real terminal to run the program on, with somebody at the keys."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

PROGRAM = shutil.which("notewell", path=str(Path(sys.executable).parent)) or "notewell"
# Far longer than anything here takes, also on a busy machine.
LONG = 300.0
# What says something of the terminal that tests run in, and nothing of the one they make.
FOREIGN = (
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "PAGER",
    "LESS",
    "VTE_VERSION",
    "TERM_PROGRAM",
    "WT_SESSION",
    "COLUMNS",
    "LINES",
)


def on_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    """Run the program on a terminal and return what it shows there; it has to end well."""
    code, shown = run_on_terminal([PROGRAM, *arguments], cwd, environment)
    assert code == 0, shown
    return shown


def run_on_terminal(
    command: list[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    keys: bytes = b"",
    later: Sequence[Callable[[], bytes]] = (),
    rows: int = 200,
) -> tuple[int, str]:
    """Run a command on a terminal, typing the keys; return its exit code and what it shows.

    Those of `later` are typed when each returns, one after the other.
    """
    process, ours = _start(command, cwd, environment, rows)
    os.write(ours, keys)
    if later:
        Thread(target=lambda: [os.write(ours, typed()) for typed in later], daemon=True).start()
    shown = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:
            # Linux says so when the other end is closed.
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode()


def typed_in_shell(command: list[str], lines: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> str:
    """Type lines into a shell, each once the one before is done; return what it shows."""
    process, ours = _start(command, cwd, environment, rows=200)
    shown = b""
    for number, line in enumerate(lines):
        # What is typed is shown, too, and is not yet done.
        os.write(ours, f"{line}; echo d''one-{number}\n".encode())
        while f"done-{number}".encode() not in shown:
            assert select.select([ours], (), (), LONG)[0], shown
            shown += os.read(ours, 65_536)
    os.close(ours)
    process.wait(LONG)
    return shown.decode()


def _start(
    command: list[str], cwd: Path, environment: Mapping[str, str], rows: int
) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    variables |= {"TERM": "xterm", "NOTEWELL_DAEMON": "no", "NOTEWELL_PAGER": "", **environment}
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=variables,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        # A shell wants the terminal for its own.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    return process, ours

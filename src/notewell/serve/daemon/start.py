"""Starting the warm process for the next command, by one that has to do without it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from binascii import crc32
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.serve.daemon import wire

if TYPE_CHECKING:
    from notewell.vault import Vault

# One thread each: what these libraries set aside for more costs memory, and a single search has no use for them. Of
# the memory itself one arena, and large arrays apart: they are the system's again when they go, and those of which
# little is used take little.
FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 20),
}

# So many seconds after a hook has seen that its vault wants no process, none is started: settings change.
MARKED = 3_600.0
# Nobody works in so many folders at once.
MOST = 100
# The hook that only has the vault opened: the process runs it for itself, as one that nobody waits for.
OPENING, FOR_NOBODY = b"start", {"between": b"0 0"}


class NotedVaults:
    """Opens vaults as ever, and notes whether their settings want a process behind."""

    def __init__(self) -> None:
        self.want_one = self.want_none = False

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Open a vault."""
        # A hook that only starts the process does not pay for it.
        from notewell.vault import Vault  # noqa: PLC0415

        vault = Vault.open(path, settings)
        self.want_one = vault.settings.daemon.use
        self.want_none = not self.want_one
        return vault


def run_and_start(request: dict[str, bytes]) -> None:
    """Run the command here, and start the process for the next one: behind the command, or before a hook.

    A hook may be ended by its limit before it has opened a vault. Whether that vault wants a process, the process
    finds out with the next hook, and what a hook has answered it does not answer again; only that of a session's start
    it runs itself. Whoever gets to know that the vault wants none leaves a mark for the hooks that follow.
    """
    command, name = [*request["arguments"].split(b"\0"), b""][:2]
    mark = _mark(request) if command == b"hook" else None
    if mark and not _is_fresh(mark):
        start(wire.packed(request | FOR_NOBODY) if name == OPENING else b"")
    from notewell.serve.cli import main  # noqa: PLC0415

    vaults = NotedVaults()
    try:
        main(vaults.open)
    finally:
        if mark and vaults.want_none:
            leave_mark(request)
        elif vaults.want_one and not mark:
            start(wire.packed(request))


def _mark(request: dict[str, bytes]) -> Path:
    """Return the file that says that hooks in this folder, of this vault, need no process."""
    # What is of hooks alone, other commands do not pay for.
    from notewell.files.user import home_folder, state_folder  # noqa: PLC0415

    _, _, *options = request["arguments"].split(b"\0")
    like = crc32(b"\0".join((request["cwd"], *options)))
    return state_folder(os.environ, home_folder(os.environ)) / "cold" / f"{like:08x}"


def leave_mark(request: dict[str, bytes]) -> None:
    """Tell the hooks that follow that the vault of this one wants no process."""
    from notewell.files.user import clean_up, private_folder  # noqa: PLC0415

    mark = _mark(request)
    with suppress(OSError):
        clean_up(private_folder(mark.parent), seconds=MARKED, most=MOST)
        mark.touch()


def _is_fresh(mark: Path) -> bool:
    try:
        return time.time() - mark.stat().st_mtime < MARKED
    except OSError:
        return False


def start(first: bytes = b"") -> None:
    """Start the process; of two that are started at once, one ends again. It runs the `first` request for itself."""
    # What the user set for this command comes with each request, and none of it stays.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOTEWELL_")}
    try:
        process = subprocess.Popen(
            # -P: the current folder, which may be the vault's, is no place for Python to look for modules.
            [sys.executable, "-P", "-m", "notewell", "daemon", "run", "--first"],
            cwd="/",
            env={**environment, **FRUGAL},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin is not None
        with process.stdin as stream:
            stream.write(first)
    except OSError:
        # The command has answered; that the next one takes longer is nothing to complain of.
        return
    # It is meant to outlive this process, and is no child that was forgotten.
    process.returncode = 0

"""Starting the warm process behind a command that had to do without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from notewell.serve.cli import main
from notewell.serve.warm import wire
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


class NotedVaults:
    """Opens vaults as ever, and notes whether their settings want a process behind; for a hook, starts it at once.

    A hook may be ended by its limit, and would never come to it later.
    """

    def __init__(self, hook: bool) -> None:
        self._hook = hook
        self.want_one = False

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Open a vault."""
        vault = Vault.open(path, settings)
        self.want_one = vault.settings.daemon.use
        if self._hook and self.want_one:
            # What a hook has answered, the process does not answer again.
            start()
            self.want_one = False
        return vault


def run_then_start(request: dict[str, bytes]) -> None:
    """Run the command here, and then, for the next one, start the process behind it."""
    vaults = NotedVaults(hook=request["arguments"].startswith(b"hook"))
    try:
        main(vaults.open)
    finally:
        if vaults.want_one:
            start(wire.packed(request))


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

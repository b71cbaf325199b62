"""Starting the daemon, and asking it about itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from binascii import crc32
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.files.user import clean_up, home_folder, private_folder, state_folder
from notewell.serve.background import announce, holder_of, is_paused
from notewell.serve.daemon import wire

if TYPE_CHECKING:
    from notewell.vault import Vault

# One thread per library: a single search has no use for more, and they cost memory. One arena of memory, with large
# arrays apart from it, which return to the system when they are freed.
FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 20),
}
# Seconds until the daemon counts as busy.
PATIENCE = 1.0
# Seconds for which hooks start no daemon after one has seen that its vault does not use it. Settings change.
MARKED = 3_600.0
# The most folders that are marked so.
MOST = 100
STARTED = (
    "note: a background process keeps this vault open, so that searches are quick; `notewell daemon pause` stops it"
)
# The hook that opens the vault; the daemon runs it for itself, and nobody waits for it.
OPENING, FOR_NOBODY = b"start", {"window": b"0 0"}


class VaultOpener:
    """Opens vaults as usual, and remembers whether their settings use the daemon."""

    def __init__(self) -> None:
        self.use_daemon: bool | None = None
        self.root = Path()

    def open(self, path: Path | None, settings: dict[str, Any]) -> Vault:
        """Open a vault."""
        # A hook that only starts the daemon does not wait for this to load.
        from notewell.freshness import Opening  # noqa: PLC0415
        from notewell.vault import Vault  # noqa: PLC0415

        vault = Vault.open(path, settings, Opening(loads="never"))
        self.use_daemon, self.root = vault.settings.daemon.use, vault.root
        return vault


def run_and_start(request: dict[str, bytes]) -> None:
    """Run the command here, and start the daemon for the next one: after a command, but before a hook.

    A hook may run out of time before it has opened a vault, so it starts the daemon first, and the daemon finds out by
    itself whether the vault uses it. Only the hook `start` is passed on to the daemon; the others need not run twice.
    A process that learns that a vault does not use the daemon leaves a mark for later hooks.
    """
    command, name = [*request["arguments"].split(b"\0"), b""][:2]
    mark = _mark(request) if command == b"hook" else None
    if mark and not _is_fresh(mark) and not is_paused():
        start_daemon(wire.packed(request | FOR_NOBODY) if name == OPENING else b"")
    from notewell.serve.cli import main  # noqa: PLC0415

    opener = VaultOpener()
    try:
        main(opener.open)
    finally:
        if mark and opener.use_daemon is False:
            leave_mark(request)
        elif opener.use_daemon and not mark and not is_paused():
            if announce(opener.root, "daemon"):
                from notewell.serve.say import say  # noqa: PLC0415

                say(STARTED)
            start_daemon(wire.packed(request))


def _mark(request: dict[str, bytes]) -> Path:
    """Return the file that says that hooks in this folder, for this vault, need no daemon."""
    _, _, *options = request["arguments"].split(b"\0")
    alike = crc32(b"\0".join((request["cwd"], *options)))
    return state_folder(os.environ, home_folder(os.environ)) / "cold" / f"{alike:08x}"


def leave_mark(request: dict[str, bytes]) -> None:
    """Tell later hooks that the vault of this one does not use the daemon."""
    mark = _mark(request)
    with suppress(OSError):
        clean_up(private_folder(mark.parent), seconds=MARKED, most=MOST)
        mark.touch()


def _is_fresh(mark: Path) -> bool:
    try:
        return time.time() - mark.stat().st_mtime < MARKED
    except OSError:
        return False


def start_daemon(first: bytes = b"") -> None:
    """Start the daemon, which first runs the `first` request; if two start at once, one of them ends again."""
    # Each request brings its own settings, and none of these may stay.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOTEWELL_")}
    try:
        process = subprocess.Popen(
            # -P: Python must not import modules from the current folder, which may be a vault.
            [sys.executable, "-P", "-m", "notewell", "daemon", "run", "--first"],
            cwd=Path(sys.executable).anchor,
            env={**environment, **FRUGAL},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # On Windows, a process outlives its parent only if told to.
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
        assert process.stdin is not None
        with process.stdin as stream:
            stream.write(first)
    except OSError:
        # The command has answered; that the next one takes longer is not worth a message.
        return
    # It is meant to outlive this process; without this, Python warns about a child that still runs.
    process.returncode = 0


def ask_daemon(verb: str) -> dict[str, Any]:
    """Ask the daemon `about` itself, or to `stop`, and return its report; empty if it does not answer."""
    outcome, parts = wire.ask({"verb": verb.encode()}, patience=PATIENCE)
    if outcome != "done":
        return {}
    report: dict[str, Any] = json.loads(b"".join(part for kind, part in parts if kind == wire.OUT))
    return report


def daemon_pid() -> int | None:
    """Return the process id of the daemon that listens or is about to; None if there is none."""
    return holder_of(daemon_lock()) if wire.is_safe(wire.socket_folder()) else None


def daemon_lock() -> Path:
    """Return the lock that the daemon holds."""
    return Path(f"{wire.socket_path()}.lock")

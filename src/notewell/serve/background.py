"""The user's background processes, the daemon and encoding: announced once, paused, and stopped."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from binascii import crc32
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from notewell.errors import DaemonError, StoreBusy
from notewell.files.lock import LONGEST, held
from notewell.files.safe_open import read_plain
from notewell.files.user import home_folder, private_folder, state_folder, write_private

if TYPE_CHECKING:
    from notewell.vault import Vault

# In the user's state folder: a file while everything is paused, one for each announcement, and the locks of the
# processes that encode.
PAUSED, ANNOUNCED, ENCODING, TURN = "paused", "announced", "encoding", "reader.lock"
# The lowest priority: any other process goes first.
LOWEST = 19
# How long encoding waits for its turn, in seconds; then it ends, and the next `index` starts another.
TURN_SECONDS = 600.0
# A search that lacks vectors starts no further process until this many seconds after the last.
AGAIN_SECONDS = 60.0
# How often it looks meanwhile whether it is still wanted, in seconds.
LOOK = 1.0
# How long a process may take to end when it is stopped, in seconds; then it is killed.
STOP_SECONDS = 5.0
PAUSE = 0.02
# Gone once Notewell is uninstalled.
THIS_FILE = Path(__file__)


def state() -> Path:
    """Return the user's state folder."""
    return state_folder(os.environ, home_folder(os.environ))


def is_paused() -> bool:
    """Tell whether nothing may start in the background."""
    return (state() / PAUSED).exists()


def pause() -> None:
    """Let nothing start in the background, until `resume`."""
    try:
        write_private(state() / PAUSED, b"")
    except OSError as error:
        hint = "Use --no-daemon, and set embed.background to false"
        raise DaemonError(f"{state()} cannot be written: {error.strerror or error}", hint) from error


def resume() -> None:
    """Let commands start what they need."""
    (state() / PAUSED).unlink(missing_ok=True)


def announce(root: Path, what: str) -> bool:
    """Tell whether `what` was never announced for a vault, and record that it is announced now."""
    told = state() / ANNOUNCED / f"{crc32(os.fsencode(root)):08x}-{what}"
    if told.exists():
        return False
    with suppress(OSError):
        write_private(told, b"")
    return True


def start(folder: Path, *arguments: str) -> None:
    """Start a command of Notewell in the background, in this folder."""
    # Few commands start one, and it takes 2 ms to load.
    import subprocess  # noqa: PLC0415

    process = subprocess.Popen(
        # -P: Python must not import modules from the current folder, which may be the vault.
        [sys.executable, "-P", "-m", "notewell", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # On Windows, a process outlives its parent only if told to.
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
    )
    # It may outlive this process; if this one lives longer, it waits for it and leaves no zombie.
    Thread(target=process.wait, name=arguments[0], daemon=True).start()


def give_way() -> None:
    """Give this process the lowest priority."""
    if hasattr(os, "nice"):
        os.nice(LOWEST)


def is_obsolete() -> bool:
    """Tell whether a background process should end: everything is paused, or Notewell was uninstalled."""
    return is_paused() or not THIS_FILE.exists()


def encoding(root: Path) -> AbstractContextManager[None]:
    """Hold the place of the one background process that encodes a vault, and wait for its turn among vaults.

    Raises `StoreBusy` if there is one already, or if its turn does not come.
    """
    with suppress(OSError):
        folder = private_folder(state() / ENCODING)
        if os.access(folder, os.W_OK):
            return _encoding(root, folder.parent / TURN)
    # In a container, say, the user may have no folder for it.
    return nullcontext()


@contextmanager
def _encoding(root: Path, turn: Path) -> Iterator[None]:
    ends = time.monotonic() + TURN_SECONDS
    with held(_place(root), 0, "is encoding this vault"), ExitStack() as stack:
        while True:
            try:
                stack.enter_context(held(turn, LOOK, "is encoding another vault"))
                break
            except StoreBusy:
                if is_obsolete() or not root.is_dir() or time.monotonic() > ends:
                    raise
        yield


def encoder_of(root: Path) -> int | None:
    """Return the background process that encodes a vault, or waits for its turn; None if there is none."""
    return holder_of(_place(root))


def start_encoding(vault: Vault) -> None:
    """Start the background process that encodes a vault."""
    start(vault.store_file.parent, "encode", "--gently", "--vault", str(vault.root))


def encode_wished(vault: Vault) -> None:
    """Start it after a search that lacked vectors, unless one runs, or did or tried to within the last minute.

    Notes that changed since the last one ended would otherwise have no vectors until the next `notewell index`.
    """
    if not vault.encoder.is_wished or not vault.settings.embed.background or is_paused():
        return
    with suppress(OSError):
        if time.time() - _place(vault.root).stat().st_mtime < AGAIN_SECONDS:
            return
    if encoder_of(vault.root) is None:
        start_encoding(vault)


def _place(root: Path) -> Path:
    return state() / ENCODING / f"{crc32(os.fsencode(root)):08x}.lock"


def stop_encoding() -> int:
    """Stop every background process that encodes a vault, and return how many there were."""
    found = {place: pid for place in state().glob(f"{ENCODING}/*.lock") if (pid := holder_of(place))}
    for place, pid in found.items():
        stop_process(place, pid)
    return len(found)


def stop_process(lock: Path, pid: int) -> None:
    """End the process that holds a lock, which may be suspended; one that does not end is killed."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            if hasattr(signal, "SIGCONT"):
                os.kill(pid, signal.SIGCONT)
        if is_ended(lock, pid):
            return
    raise DaemonError(f"Process {pid} does not stop", "Its disk may be hanging; try again later")


def is_ended(lock: Path, pid: int) -> bool:
    """Wait for a process to free its lock, and tell whether it did."""
    deadline = time.monotonic() + STOP_SECONDS
    while holder_of(lock) == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE)
    return True


def holder_of(lock: Path) -> int | None:
    """Return the process that holds a lock; None if none does, or if its signature cannot be read."""
    if not lock.exists():
        return None
    try:
        with held(lock, 0):
            return None
    except StoreBusy:
        pass
    try:
        return int(json.loads(read_plain(lock, LONGEST))["pid"])
    except (OSError, ValueError, LookupError, TypeError):
        return None

"""Files of this user alone: where they lie, whole before they are in place, and gone when they are old."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

# Nobody but this user lists it, or reads what is in it.
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return where what is of this user and machine is kept, and of no vault: the log, and what sessions were shown.

    >>> state_folder({"XDG_STATE_HOME": "/state"}, Path("/home/ada")).as_posix()
    '/state/notewell'
    >>> state_folder({"XDG_STATE_HOME": "not/absolute"}, Path("/home/ada")).as_posix()
    '/home/ada/.local/state/notewell'
    """
    named = (Path(environment.get(name, "")) for name in ("XDG_STATE_HOME", "LOCALAPPDATA"))
    return next((folder for folder in named if folder.is_absolute()), home / ".local" / "state") / "notewell"


def private_folder(folder: Path) -> Path:
    """Make a folder that only this user can look into, if it is not there, and return it."""
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        folder.chmod(PRIVATE_FOLDER)
    return folder


def write_private(file: Path, data: bytes) -> None:
    """Put a file in place in one step; a link that lies there is replaced, and not followed."""
    number, name = tempfile.mkstemp(prefix=".new-", dir=private_folder(file.parent))
    try:
        with os.fdopen(number, "wb") as made:
            made.write(data)
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def clean_up(folder: Path, *, seconds: float, most: int) -> None:
    """Delete files that nobody touched for so long, and the oldest of more than so many."""
    with suppress(OSError):
        ages = []
        now = time.time()
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False):
                ages.append((now - entry.stat(follow_symlinks=False).st_mtime, entry.path))
        for place, (age, path) in enumerate(sorted(ages)):
            if age > seconds or place >= most:
                with suppress(OSError):
                    Path(path).unlink()

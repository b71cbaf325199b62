"""What is the user's own, and no vault's: the folders of it, and files that nobody else reads."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

# Nobody but this user lists it, or reads what is in it.
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
# The home of who has none: nothing is found there, and nothing can be made.
NOWHERE = Path(os.devnull, "no-home")


def home_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's home: what the variable names, else what the system knows; nobody's lies where nothing can be.

    >>> home_folder({"HOME": "/home/ada", "USERPROFILE": "/home/ada"}).as_posix()
    '/home/ada'
    """
    named = Path(environment.get("USERPROFILE" if os.name == "nt" else "HOME", ""))
    return named if named.is_absolute() else _known_home()


def _known_home() -> Path:
    """Return the home that the system has for this user; in a container there may be none."""
    try:
        # Hardly anybody lacks the variable.
        import pwd  # noqa: PLC0415

        known = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        return NOWHERE
    return known if known.is_absolute() else NOWHERE


def user_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder of the user's settings and token.

    >>> user_folder({"XDG_CONFIG_HOME": "/config"}, Path("/home/ada")).as_posix()
    '/config/notewell'
    """
    return _folder(environment, ("XDG_CONFIG_HOME", "APPDATA"), home / ".config")


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return where what is of this user and machine is kept: the log of hooks, and what sessions were shown.

    >>> state_folder({"XDG_STATE_HOME": "not/absolute"}, Path("/home/ada")).as_posix()
    '/home/ada/.local/state/notewell'
    """
    return _folder(environment, ("XDG_STATE_HOME", "LOCALAPPDATA"), home / ".local" / "state")


def _folder(environment: Mapping[str, str], variables: tuple[str, ...], default: Path) -> Path:
    """Return our folder in the first that a variable names; one that is not absolute is none, as XDG has it."""
    named = (Path(environment.get(name, "")) for name in variables)
    return next((folder for folder in named if folder.is_absolute()), default) / "notewell"


def private_folder(folder: Path) -> Path:
    """Make a folder that only this user can look into, if it is not there, and return it."""
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        folder.chmod(PRIVATE_FOLDER)
    return folder


def write_private(file: Path, data: bytes) -> None:
    """Put a file for this user alone in place, in a folder for this user alone."""
    private_folder(file.parent)
    write_whole(file, data)


def write_whole(file: Path, data: bytes, *, mode: int = PRIVATE_FILE) -> None:
    """Put a file in place in one step, for this user alone by default; a link there is replaced, and not followed."""
    made = file.with_name(f".new-{os.urandom(8).hex()}")
    number = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE_FILE)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
        if mode != PRIVATE_FILE:
            made.chmod(mode)
        made.replace(file)
    except BaseException:
        with suppress(OSError):
            made.unlink()
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

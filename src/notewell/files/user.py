"""The user's own folders for settings and state, and files that only the user can read."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from notewell.errors import StoreError
from notewell.files.safe_open import NO_LINK, open_plain, read_plain

# Only this user may list or read it.
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
OVERWRITE = os.O_WRONLY | os.O_CREAT | NO_LINK
# The key's file in the user's folder of state, and its size in bytes.
KEY, KEY_BYTES = "key", 32
# A number that is random, and the same for all processes until the machine restarts.
BOOT = Path("/proc/sys/kernel/random/boot_id")
# Why a key cannot be read or created now, but soon can: no room on the disk, or too many open files.
PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
# The home of a user without one: nothing exists there, and nothing can be created.
NOWHERE = Path(os.devnull, "no-home")


def home_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's home from the environment, else from the system, else a place where nothing can exist.

    >>> home_folder({"HOME": "/home/ada", "USERPROFILE": "/home/ada"}).as_posix()
    '/home/ada'
    """
    named = Path(environment.get("USERPROFILE" if os.name == "nt" else "HOME", ""))
    return named if named.is_absolute() else _known_home()


def _known_home() -> Path:
    """Return the home that the system knows for this user; a container may know none."""
    try:
        # Loaded here because the variable is nearly always set.
        import pwd  # noqa: PLC0415

        known = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        return NOWHERE
    return known if known.is_absolute() else NOWHERE


def user_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder for the user's settings and token.

    >>> user_folder({"XDG_CONFIG_HOME": "/config"}, Path("/home/ada")).as_posix()
    '/config/notewell'
    """
    return _folder(environment, ("XDG_CONFIG_HOME", "APPDATA"), home / ".config")


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder for state of this user and machine: the log of hooks, and what sessions were shown.

    >>> state_folder({"XDG_STATE_HOME": "not/absolute"}, Path("/home/ada")).as_posix()
    '/home/ada/.local/state/notewell'
    """
    return _folder(environment, ("XDG_STATE_HOME", "LOCALAPPDATA"), home / ".local" / "state")


def _folder(environment: Mapping[str, str], variables: tuple[str, ...], default: Path) -> Path:
    """Return our folder in the first folder that a variable names; relative ones are ignored, as XDG requires."""
    named = (Path(environment.get(name, "")) for name in variables)
    return next((folder for folder in named if folder.is_absolute()), default) / "notewell"


def private_folder(folder: Path) -> Path:
    """Create a folder that only this user can open, if it is missing, and return it."""
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        folder.chmod(PRIVATE_FOLDER)
    return folder


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only this user can read, in a folder that only this user can open."""
    private_folder(file.parent)
    write_whole(file, data)


def write_whole(file: Path, data: bytes, *, mode: int = PRIVATE_FILE) -> None:
    """Write a file atomically, by default readable only by this user; a link there is replaced, not followed."""
    made = file.with_name(f".new-{os.urandom(8).hex()}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        if mode != PRIVATE_FILE:
            made.chmod(mode)
        made.replace(file)
    except BaseException:
        with suppress(OSError):
            made.unlink()
        raise


def overwrite_private(file: Path, data: bytes) -> None:
    """Write a file that only this user can read, in place: a tenth of the time of a new file, and not atomic."""
    try:
        descriptor = open_plain(file, OVERWRITE, PRIVATE_FILE)
    except FileNotFoundError:
        private_folder(file.parent)
        descriptor = open_plain(file, OVERWRITE, PRIVATE_FILE)
    try:
        os.ftruncate(descriptor, os.write(descriptor, data))
    finally:
        os.close(descriptor)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Key(NamedTuple):
    """The user's secret key. If it could not be saved, `problem` says why, and the key changes with a restart."""

    value: bytes
    problem: str = ""


def user_key(folder: Path) -> Key:
    """Return the key in the user's folder of state, created on first use; if it cannot be, a temporary key.

    For a reason that passes, that is an error: under a temporary key, the user's own store would seem another's.
    """
    file = folder / KEY
    try:
        if (found := _read_key(file)) is None:
            private_folder(folder)
            _create_key(file)
            found = _read_key(file)
    except OSError as error:
        problem = f"{file} cannot be read or created: {error.strerror or error}"
        if error.errno in PASSING:
            raise StoreError(problem, "Free some space, or close some files, then run it again") from error
        return Key(_temporary_key(), problem)
    return Key(found or _temporary_key(), "" if found else f"{file} cannot be read")


def _read_key(file: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        # A power cut may leave a key that is cut off, which is of no use.
        return found if len(found := read_plain(file, KEY_BYTES + 1)) == KEY_BYTES else None
    return None


def _create_key(file: Path) -> None:
    """Create a key. If several processes do, all use the one that was linked first."""
    made = file.with_name(f".new-{os.urandom(8).hex()}")
    write_whole(made, os.urandom(KEY_BYTES))
    try:
        descriptor = open_plain(made, os.O_RDWR)
        try:
            # A power cut must not leave stores without their key.
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if file.exists() and _read_key(file) is None:
            made.replace(file)
        else:
            os.link(made, file)
    except FileExistsError:
        pass
    except OSError:
        # A file system without links.
        made.replace(file)
    finally:
        made.unlink(missing_ok=True)


@cache
def _temporary_key() -> bytes:
    """Return a key that lasts until the machine restarts; without a boot id, as long as this process."""
    with suppress(OSError, AttributeError):
        # As bytes: Python loads the ASCII codec from a file, which a child without privileges may not be able to read.
        return sha256(b"%s %d" % (BOOT.read_bytes(), os.getuid())).digest()
    return os.urandom(KEY_BYTES)


def clean_up(folder: Path, *, seconds: float, most: int) -> None:
    """Delete files older than a limit, and the oldest of those beyond a number."""
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

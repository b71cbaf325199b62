"""The folder of a vault, and opening its files safely: no link leads out of it, even if one is swapped in meanwhile."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from notewell.errors import NoteOutOfReach, VaultError

# Folders and files that are never read, whatever the settings say: internals of programs, our settings and golden
# queries, generated lock files of package managers, and the user's trash.
SETTINGS, GOLDEN = "notewell.toml", "notewell-golden.toml"
MACHINERY = frozenset(
    {
        *(".git", ".obsidian", ".trash", ".notewell", SETTINGS, GOLDEN),
        *("node_modules", "bower_components", "__pycache__", "site-packages"),
    }
)
LOCK_FILES = frozenset({"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "composer.lock"})
ALWAYS_EXCLUDED = MACHINERY | LOCK_FILES

# Where a name can be opened relative to an open folder, nobody can swap that folder.
BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.link in os.supports_dir_fd
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
DIRECTORY = getattr(os, "O_DIRECTORY", 0)
# Flags to open a folder that is used, and one that is only passed through, which needs no permission to list it.
HOLD = os.O_RDONLY | DIRECTORY
PASS = getattr(os, "O_PATH", os.O_RDONLY) | DIRECTORY
# Opening a pipe would otherwise wait for ever, and a terminal could become this process's own.
NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
FILE = os.O_RDONLY | NO_WAIT
# Errors for a link where none may be followed.
MET_LINK = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


def exists(path: Path) -> bool:
    """Tell whether there is a file or folder at a path; no path raises an error."""
    try:
        return path.exists()
    except (OSError, ValueError):
        # No file can have this name: it is too long, or has a zero byte or half a character in it.
        return False


def check_folder(root: Path) -> None:
    """Refuse a path that cannot be a vault."""
    if not exists(root):
        raise VaultError(f"There is no folder {root}", "Check the path, or name the vault with --vault")
    if not root.is_dir():
        raise VaultError(f"{root} is a file, not a folder", "Name the folder that holds your notes")
    if not os.access(root, os.R_OK | os.X_OK):
        raise VaultError(f"{root} cannot be read", "Check the folder's permissions")


def why_not_written(file: str | Path) -> str:
    """Return why a file must not be written in place: its bytes may belong to another one; empty if it may be.

    An archive carries hard links, too: a name in our folder, and one of a note, may be one file.
    """
    try:
        found = os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if not S_ISREG(found.st_mode):
        return "it is a link, or not a regular file"
    return "it has a second name (a hard link), so that another file would change with it" if found.st_nlink > 1 else ""


def open_plain(file: str | Path, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Return the descriptor of a regular file; anything else at that path is an error, and no pipe is waited for.

    A link is followed: unless `flags` forbid it, the user may have linked a file of theirs. A file that is written must
    not have a second name, under which it may be a note.
    """
    descriptor = os.open(file, flags | NO_WAIT, mode)
    found = os.fstat(descriptor)
    if S_ISREG(found.st_mode) and (found.st_nlink <= 1 or not flags & (os.O_WRONLY | os.O_RDWR)):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is not a regular file, or has a second name", str(file))


def read_plain(file: str | Path, most: int = -1, flags: int = os.O_RDONLY) -> bytes:
    """Return the content of a regular file, or its beginning; anything else at that path is an error."""
    with os.fdopen(open_plain(file, flags), "rb") as stream:
        return stream.read(most)


def open_inside(root: Path, path: str, *, by_descriptor: bool = BY_DESCRIPTOR) -> int:
    """Return the descriptor of a file opened for reading; links must lead to a place in the vault."""
    if not by_descriptor:
        return _open_and_look(root, path)
    try:
        return _open_at(root, path)
    except OSError as error:
        if error.errno not in MET_LINK:
            raise
    return _open_at(root, _target(root, path))


def enter(root: Path, path: str, flags: int, *, make: bool = False) -> int:
    """Return the descriptor of a folder of the vault, opened without following links; `make` creates it."""
    descriptor = os.open(root, flags)
    for part in path.split("/") if path else ():
        try:
            inner = _step(part, descriptor, flags, make=make)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _step(part: str, descriptor: int, flags: int, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=descriptor)
    return os.open(part, flags | NO_LINK, dir_fd=descriptor)


def _open_at(root: Path, path: str) -> int:
    folder, _, name = path.rpartition("/")
    descriptor = enter(root, folder, PASS)
    try:
        return os.open(name, FILE | NO_LINK, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _open_and_look(root: Path, path: str) -> int:
    """Open a file by its path, then check that it is the one in the vault."""
    descriptor = os.open(root / path, FILE)
    try:
        if not os.path.samestat(os.fstat(descriptor), os.lstat(root / _target(root, path))):
            raise NoteOutOfReach("was replaced while it was being opened", "Index it again")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _target(root: Path, path: str) -> str:
    target = leads_to(root, path)
    if target is None:
        raise NoteOutOfReach("leads out of the vault", "Links are followed only within the vault")
    return target


def leads_to(root: Path, path: str) -> str | None:
    """Return the real path that a path leads to; None if that lies outside the vault or is never read."""
    target = path_without_links(root, path)
    return None if target is None or ALWAYS_EXCLUDED.intersection(target.split("/")) else target


def path_without_links(root: Path, path: str) -> str | None:
    """Return where a path leads, relative to the root; None if that lies outside."""
    try:
        target, top = Path(os.path.realpath(root / path)), os.path.realpath(root)
    except OSError:
        # The link became a file while it was followed.
        return None
    return target.relative_to(top).as_posix() if target.is_relative_to(top) else None

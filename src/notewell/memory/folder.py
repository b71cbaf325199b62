"""A folder of the vault, entered step by step and through no link: files put into it, and taken out, whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Self

from notewell.errors import NoteError, VaultError

# Of a file that is being written; a killed process leaves one, and the next that writes takes it away.
UNFINISHED = ".notewell-unfinished-"
# Where names can be told to be of a folder that is open, nobody can put another in its place.
BY_NUMBER = os.open in os.supports_dir_fd and os.link in os.supports_dir_fd
DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# How a file system says that it has no second names for a file.
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Folder:
    """A folder that is open; on systems that cannot hold one open, its path."""

    def __init__(self, root: Path, path: str, *, make: bool = False) -> None:
        """Open the folder `path` of a vault; with `make`, it is made where it is not there."""
        self.root, self.path = root, path
        self.number = _enter(root, path, make=make)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.number is not None:
            os.close(self.number)

    def _at(self, name: str) -> str:
        return name if self.number is not None else str(self.root / self.path / name)

    def write(self, names: Iterable[str], data: bytes) -> str:
        """Write a file under the first name that is free, and return it; it is there whole, or not at all."""
        self._sweep()
        made = f"{UNFINISHED}{token_hex(8)}"
        try:
            with self._created(made) as number:
                _write_all(number, data)
            self._check_in_place()
            return next(name for name in names if self._settle(self, made, name))
        except StopIteration as error:
            raise NoteError("There are too many notes of this name", "Give it another title") from error
        finally:
            with suppress(OSError):
                os.unlink(self._at(made), dir_fd=self.number)
            self._keep()

    def move(self, name: str, number: int, to: Folder, names: Iterable[str]) -> str:
        """Move a file that is open as `number` under the first name that is free there, and return that."""
        try:
            moved = next(other for other in names if to._settle(self, name, other, keep=number))
        except StopIteration as error:
            raise NoteError(f"{to.path} has too many notes of this name", "Empty it") from error
        with suppress(FileNotFoundError):
            # What another program saved in its place meanwhile is not what was asked for.
            if self._is(name, number):
                os.unlink(self._at(name), dir_fd=self.number)
        to._keep()
        self._keep()
        return moved

    @contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """Open a file of the folder, to read; a link or anything but a file is refused."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        number = os.open(self._at(name), flags, dir_fd=self.number)
        try:
            # Systems without O_NOFOLLOW have followed a link by now.
            if not stat.S_ISREG(os.fstat(number).st_mode) or not self._is(name, number):
                raise OSError(errno.ELOOP, "it is a link, or no file")
            yield number
        finally:
            os.close(number)

    def _settle(self, source: Folder, made: str, name: str, keep: int | None = None) -> bool:
        """Give a file of another folder a name in this one; tell whether the name was free."""
        ends = {"src_dir_fd": source.number, "dst_dir_fd": self.number}
        try:
            os.link(source._at(made), self._at(name), **ends, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            return self._claim(source, made, name)
        if keep is not None and not self._is(name, keep):
            os.unlink(self._at(name), dir_fd=self.number)
            raise OSError(errno.EBUSY, "another file took its place")
        return True

    def _claim(self, source: Folder, made: str, name: str) -> bool:
        """Do the same where a file has but one name: an empty file keeps the place, for a moment."""
        try:
            with self._created(name):
                pass
        except FileExistsError:
            return False
        os.replace(source._at(made), self._at(name), src_dir_fd=source.number, dst_dir_fd=self.number)
        return True

    @contextmanager
    def _created(self, name: str) -> Iterator[int]:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        number = os.open(self._at(name), flags, 0o666, dir_fd=self.number)
        try:
            yield number
        finally:
            os.close(number)

    def _is(self, name: str, number: int) -> bool:
        there = os.stat(self._at(name), dir_fd=self.number, follow_symlinks=False)
        return os.path.samestat(there, os.fstat(number))

    def _check_in_place(self) -> None:
        """Refuse to go on where the folder that is open is no longer the one of this path."""
        if self.number is None:
            return
        again = _enter(self.root, self.path, make=False)
        try:
            same = again is not None and os.path.samestat(os.fstat(again), os.fstat(self.number))
        finally:
            if again is not None:
                os.close(again)
        if not same:
            raise VaultError(f"{self.path} was moved while it was written to", "Try again")

    def _sweep(self) -> None:
        with os.scandir(self.root / self.path if self.number is None else self.number) as entries:
            left = [entry.name for entry in entries if entry.name.startswith(UNFINISHED)]
        for name in left:
            with suppress(OSError):
                os.unlink(self._at(name), dir_fd=self.number)

    def _keep(self) -> None:
        """Let the system write the folder itself to disk, where it knows how."""
        if self.number is not None:
            with suppress(OSError):
                os.fsync(self.number)


def _enter(root: Path, path: str, *, make: bool) -> int | None:
    """Return the number of the folder, opened from the root on; none where there are no such numbers."""
    if not BY_NUMBER:
        _enter_by_path(root, path, make=make)
        return None
    number = os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    for part in path.split("/"):
        try:
            inner = _step(part, number, make=make)
        finally:
            os.close(number)
        number = inner
    return number


def _step(part: str, number: int, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=number)
    return os.open(part, DIRECTORY, dir_fd=number)


def _enter_by_path(root: Path, path: str, *, make: bool) -> None:
    place = root
    for part in path.split("/"):
        place /= part
        if make:
            place.mkdir(exist_ok=True)
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))


def _write_all(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]
    os.fsync(number)

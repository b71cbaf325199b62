"""A folder of the vault, opened without following links, in which files are created and moved atomically."""

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
from notewell.files.safe_open import BY_DESCRIPTOR, FILE, HOLD, NO_LINK, enter

# The name of a file being written. A killed process may leave one behind; the next writer deletes it.
UNFINISHED = ".notewell-unfinished-"
# Errors of file systems without hard links.
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Folder:
    """A folder of the vault, held open by its descriptor; on systems without those, known by its path."""

    def __init__(self, root: Path, path: str, *, make: bool = False, by_descriptor: bool = BY_DESCRIPTOR) -> None:
        """Open the folder `path` of a vault; with `make`, create it if it is missing."""
        self.root, self.path = root, path
        self.descriptor = enter(root, path, HOLD, make=make) if by_descriptor else None
        if not by_descriptor:
            _check_by_path(root, path, make=make)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.root / self.path / name)

    def write(self, names: Iterable[str], data: bytes) -> str:
        """Write a file under the first free name and return that name; a crash leaves all of the file or nothing."""
        self._sweep()
        made = f"{UNFINISHED}{token_hex(8)}"
        try:
            with self._created(made) as descriptor:
                _write_all(descriptor, data)
            self._check_in_place()
            return next(name for name in names if self._link_from(self, made, name))
        except StopIteration as error:
            raise NoteError("There are too many notes with this name", "Give it another title") from error
        finally:
            with suppress(OSError):
                os.unlink(self._at(made), dir_fd=self.descriptor)
            self._sync()

    def read(self, name: str, most: int) -> tuple[bytes, os.stat_result]:
        """Return the beginning of a file and its identity; anything but a regular file is refused."""
        descriptor = os.open(self._at(name), FILE | NO_LINK, dir_fd=self.descriptor)
        try:
            about = os.fstat(descriptor)
            # Systems without O_NOFOLLOW have followed the link by now.
            if not stat.S_ISREG(about.st_mode) or not self._is_same(name, about):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            return os.read(descriptor, most), about
        finally:
            os.close(descriptor)

    def move(self, name: str, about: os.stat_result, to: Folder, names: Iterable[str]) -> str:
        """Move the file that was read to the first free name in another folder, and return that name."""
        try:
            moved = next(free for free in names if to._link_from(self, name, free))
        except StopIteration as error:
            raise NoteError(f"{to.path} has too many notes with this name", "Empty it") from error
        there = to._about(moved)
        with suppress(FileNotFoundError):
            # The file has two names now. If another program replaced the first meanwhile, its file keeps that name.
            if self._is_same(name, there):
                folder, extra = (self, name) if os.path.samestat(there, about) else (to, moved)
                os.unlink(folder._at(extra), dir_fd=folder.descriptor)
        if not os.path.samestat(there, about):
            raise OSError(errno.EBUSY, "another file replaced it")
        to._sync()
        self._sync()
        return moved

    def _link_from(self, source: Folder, made: str, name: str) -> bool:
        """Give a file of another folder a name in this one; return whether the name was free."""
        try:
            if source.descriptor is None or self.descriptor is None:
                os.link(source._at(made), self._at(name))
            else:
                ends = {"src_dir_fd": source.descriptor, "dst_dir_fd": self.descriptor}
                os.link(made, name, **ends, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            return self._move_from(source, made, name)
        return True

    def _move_from(self, source: Folder, made: str, name: str) -> bool:
        """Do the same by moving the file, without hard links; an empty file reserves the name for a moment."""
        try:
            with self._created(name):
                pass
        except FileExistsError:
            return False
        try:
            os.replace(source._at(made), self._at(name), src_dir_fd=source.descriptor, dst_dir_fd=self.descriptor)
        except OSError:
            os.unlink(self._at(name), dir_fd=self.descriptor)
            raise
        return True

    @contextmanager
    def _created(self, name: str) -> Iterator[int]:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._at(name), flags, 0o666, dir_fd=self.descriptor)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _about(self, name: str) -> os.stat_result:
        return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def _is_same(self, name: str, about: os.stat_result) -> bool:
        return os.path.samestat(self._about(name), about)

    def _check_in_place(self) -> None:
        """Raise an error if the open folder is no longer the one at this path."""
        if self.descriptor is None:
            return
        again = enter(self.root, self.path, HOLD)
        try:
            same = os.path.samestat(os.fstat(again), os.fstat(self.descriptor))
        finally:
            os.close(again)
        if not same:
            raise VaultError(f"{self.path} was moved while it was written to", "Try again")

    def _sweep(self) -> None:
        with os.scandir(self.root / self.path if self.descriptor is None else self.descriptor) as entries:
            left = [entry.name for entry in entries if entry.name.startswith(UNFINISHED)]
        for name in left:
            with suppress(OSError):
                os.unlink(self._at(name), dir_fd=self.descriptor)

    def _sync(self) -> None:
        """Write the folder itself to disk, where the system supports it."""
        if self.descriptor is not None:
            with suppress(OSError):
                os.fsync(self.descriptor)


def _check_by_path(root: Path, path: str, *, make: bool) -> None:
    """Reject a folder that is a link or has one above it, on systems without descriptors of folders."""
    place = root
    for part in path.split("/"):
        place /= part
        if make:
            with suppress(FileExistsError):
                place.mkdir()
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)

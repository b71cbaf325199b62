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

    def write(self, names: Iterable[str], data: bytes, like: os.stat_result | None = None) -> str:
        """Write a file under the first free name and return that name; a crash leaves all of the file or nothing.

        With `like`, it gets the owner, permissions and times of another file.
        """
        self.sweep()
        made = f"{UNFINISHED}{token_hex(8)}"
        try:
            if like:
                self._write_like(like, made, data, times=True)
            else:
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

    def create(self, name: str, data: bytes, like: os.stat_result | None = None) -> bool:
        """Write a file unless the name is taken, `like` another one; return whether it was free."""
        with suppress(NoteError):
            self.write((name,), data, like)
            return True
        return False

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

    def read_whole(self, name: str, most: int | None = None) -> tuple[bytes, os.stat_result]:
        """Return a regular file that has no second name, and its identity; anything else is an error."""
        with self._opened(name) as (descriptor, about):
            if most is not None and about.st_size > most:
                raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
            return _content(descriptor), about

    def replace(self, name: str, before: bytes, after: bytes) -> None:
        """Replace the content of a file, which must be `before`, atomically; its owner and permissions stay.

        If another program changes it meanwhile, that change stays, and `OSError` with `EBUSY` is raised.
        """
        self.sweep()
        made = f"{UNFINISHED}{token_hex(8)}"
        with self._opened(name) as (descriptor, about):
            try:
                self._write_like(about, made, after)
                self._check_in_place()
                if not self._is_same(name, about) or _content(descriptor) != before:
                    raise _changed()
                os.replace(self._at(made), self._at(name), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
                # A program that had opened the file may have written to it since the look above.
                if (late := _content(descriptor)) != before:
                    self._write_like(about, made, late)
                    os.replace(self._at(made), self._at(name), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
                    raise _changed()
            finally:
                with suppress(OSError):
                    os.unlink(self._at(made), dir_fd=self.descriptor)
                self._sync()

    def _write_like(self, about: os.stat_result, made: str, data: bytes, *, times: bool = False) -> None:
        """Write a file with the owner and permissions of another, which it has before its content; also its `times`."""
        with self._created(made, 0o600) as descriptor:
            with suppress(PermissionError, AttributeError):
                os.fchown(descriptor, about.st_uid, about.st_gid)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, stat.S_IMODE(about.st_mode))
            _write_all(descriptor, data)
            if times and os.utime in os.supports_fd:
                os.utime(descriptor, ns=(about.st_atime_ns, about.st_mtime_ns))

    def delete(self, name: str, content: bytes) -> None:
        """Delete a file with this content; any other is left, and `OSError` is raised."""
        with self._opened(name) as (descriptor, about):
            if not self._is_same(name, about) or _content(descriptor) != content:
                raise _changed()
            os.unlink(self._at(name), dir_fd=self.descriptor)
            self._sync()

    @contextmanager
    def _opened(self, name: str) -> Iterator[tuple[int, os.stat_result]]:
        """Open a regular file that has no second name."""
        descriptor = os.open(self._at(name), FILE | NO_LINK, dir_fd=self.descriptor)
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode) or not self._is_same(name, about):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            if about.st_nlink > 1:
                raise OSError(errno.EMLINK, "it has a second name (a hard link)")
            yield descriptor, about
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
    def _created(self, name: str, mode: int = 0o666) -> Iterator[int]:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._at(name), flags, mode, dir_fd=self.descriptor)
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

    def sweep(self) -> None:
        """Delete files that a killed process left unfinished."""
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


def _content(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts: list[bytes] = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _changed() -> OSError:
    return OSError(errno.EBUSY, "another program changed it meanwhile")

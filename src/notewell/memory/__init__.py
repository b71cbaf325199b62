"""What agents may remember: notes written into the folder that the user allowed, and moved to the trash again."""

from __future__ import annotations

import errno
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from notewell.errors import NoteError, SettingsError, VaultError
from notewell.files.folder import Folder
from notewell.files.lock import held
from notewell.index.walk import WalkRules
from notewell.memory.allowed import allowed_folder, check_indexed
from notewell.memory.known import find_said
from notewell.memory.names import numbered
from notewell.memory.near import Near
from notewell.memory.page import LONGEST, MARK, Memory, name_of, split_page, tidy, write_page
from notewell.store import Store
from notewell.types.notices import Notice

__all__ = ["Forgotten", "Memories", "Memory", "Near", "Remembered", "allowed_folder"]

# Where Obsidian puts what is deleted; no note there is ever indexed.
TRASH = ".trash"
# To look and write takes milliseconds: whoever has to wait longer, in seconds, waits for somebody who hangs.
PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a text: the note that was written, or none, and what says nearly the same already."""

    path: str
    written: bool
    near: tuple[Near, ...] = ()
    redacted: int = 0
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that is one no more, and where it lies now."""

    path: str
    trash: str
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of a vault: the folder where they lie, and the store that knows most of them."""

    root: Path
    folder: str
    rules: WalkRules
    store: Store
    lock: Path

    def remember(self, memory: Memory, *, anyway: bool) -> Remembered:
        """Write a memory, unless something says nearly the same; `anyway` writes it all the same."""
        memory, taken = tidy(memory)
        page, more = write_page(memory)
        wanted = name_of(memory, self.folder)
        check_indexed(f"{self.folder}/{wanted}", self.rules)
        # Whoever remembers the same at the same time waits, and then sees this one.
        with self._alone(self.folder), Folder(self.root, self.folder, make=True) as folder:
            near = tuple(find_said(memory.text, self.root, self.folder, self.rules, self.store))
            if near and not anyway:
                return Remembered("", written=False, near=near, redacted=taken + more)
            name = folder.write(numbered(wanted), page.encode())
        return Remembered(f"{self.folder}/{name}", written=True, near=near, redacted=taken + more)

    def forget(self, path: str) -> Forgotten:
        """Move a memory to the trash; any other note is refused."""
        path = posixpath.normpath(path)
        place, _, name = path.rpartition("/")
        if not path.startswith(f"{self.folder}/"):
            raise _no_memory(path, f"it lies outside {self.folder}")
        with self._alone(place, path), Folder(self.root, place) as folder:
            page, about = folder.read(name, LONGEST)
            _check_marked(path, page)
            with _explained(TRASH), Folder(self.root, TRASH, make=True) as trash:
                moved = folder.move(name, about, trash, numbered(name))
        return Forgotten(path, f"{TRASH}/{moved}")

    @contextmanager
    def _alone(self, folder: str, note: str = "") -> Iterator[None]:
        """Be the only one that changes memories; what the system refuses is a fact and a hint."""
        with held(self.lock, PATIENCE, "is changing the memories of this vault"), _explained(folder, note):
            yield


def _check_marked(path: str, begins: bytes) -> None:
    if split_page(begins.decode("utf-8", "replace"))[0].get("type") != MARK:
        raise _no_memory(path, f"its front matter does not say `type: {MARK}`")


def _no_memory(path: str, why: str) -> NoteError:
    return NoteError(
        f"{path} is no memory: {why}", "Only notes that were remembered can be forgotten; delete others yourself"
    )


@contextmanager
def _explained(folder: str, note: str = "") -> Iterator[None]:
    """Turn what the system refuses into a fact and a hint."""
    try:
        yield
    except OSError as error:
        if note and error.errno == errno.ENOENT:
            raise NoteError(f"There is no note {note}", "Paths are as `notewell search` prints them") from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            kind, what, thing = (NoteError, note, "file") if note else (SettingsError, folder, "folder")
            raise kind(f"{what} is no {thing}, or lies behind a link", "Links are not followed to write") from error
        hint = "Check the folder's permissions and the disk; nothing was changed"
        raise VaultError(f"{folder} cannot be written: {error.strerror or error}", hint) from error

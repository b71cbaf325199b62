"""The memories of agents: notes that they write into one folder, if the user allows it, and can move to the trash."""

from __future__ import annotations

import errno
import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notewell.errors import NoteError, SettingsError, VaultError
from notewell.files.folder import Folder
from notewell.files.lock import held
from notewell.files.safe_open import ALWAYS_EXCLUDED
from notewell.files.survey import WalkRules, left_out_by
from notewell.frozen import frozen
from notewell.index.shown import Shown
from notewell.memory.near import Near, find_similar
from notewell.memory.page import (
    LONGEST,
    MARK,
    MOST,
    SUFFIX,
    Memory,
    file_name,
    numbered_names,
    split_page,
    tidy,
    write_page,
)
from notewell.types.notices import Notice

__all__ = ["Forgotten", "Memories", "Memory", "Near", "Remembered", "allowed_folder"]

SETTING = "memory.folder"
# Where Obsidian puts deleted notes; nothing there is ever indexed.
TRASH = ".trash"
# Comparing and writing takes milliseconds: a process that waits longer, in seconds, waits for one that hangs.
PATIENCE = 10.0


@frozen
class Remembered:
    """What `remember` did: the note it wrote, or the notes that say nearly the same."""

    path: str | None
    """The note that was written; null if none was."""
    written: bool
    """Whether a note was written."""
    near: tuple[Near, ...] = ()
    """Notes that say nearly the same."""
    redacted: int = 0
    """How many secrets were redacted."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Forgotten:
    """Where a forgotten memory was, and where it is now."""

    path: str
    """Where it was."""
    trash: str
    """Where it is now; move it back from there to restore it."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Memories:
    """The memories of a vault: the folder they are in, and what may be shown of the store that has most of them."""

    root: Path
    folder: str
    rules: WalkRules
    shown: Shown
    lock: Path
    most: int = MOST

    def remember(self, memory: Memory, *, anyway: bool) -> Remembered:
        """Write a memory, unless a note says nearly the same; with `anyway`, write it in any case."""
        memory, redacted = tidy(memory)
        page, more = write_page(memory)
        name = file_name(memory, self.folder)
        check_indexed(f"{self.folder}/{name}", self.rules)
        # A process that remembers the same at the same time waits, and then sees this memory.
        with self._alone(self.folder), Folder(self.root, self.folder, make=True) as folder:
            near = tuple(find_similar(memory.text, self.root, self.folder, self.rules, self.shown))
            if near and not anyway:
                return Remembered(None, written=False, near=near, redacted=redacted + more)
            name = folder.write(numbered_names(name, self.most), page.encode())
        return Remembered(f"{self.folder}/{name}", written=True, near=near, redacted=redacted + more)

    def forget(self, path: str) -> Forgotten:
        """Move a memory to the trash; any other note is refused."""
        path = posixpath.normpath(path)
        place, _, name = path.rpartition("/")
        if not path.startswith(f"{self.folder}/"):
            raise _not_a_memory(path, f"it lies outside {self.folder}")
        with self._alone(place, path), Folder(self.root, place) as folder:
            page, about = folder.read(name, LONGEST)
            _check_marked(path, page)
            with _explained(TRASH), Folder(self.root, TRASH, make=True) as trash:
                moved = folder.move(name, about, trash, numbered_names(name))
        return Forgotten(path, f"{TRASH}/{moved}")

    @contextmanager
    def _alone(self, folder: str, note: str = "") -> Iterator[None]:
        """Be the only process that changes memories, and explain errors of the file system."""
        # To open the store makes its folder, which has the lock.
        assert self.shown.store
        with held(self.lock, PATIENCE, "is changing the memories of this vault"), _explained(folder, note):
            yield


def allowed_folder(root: Path, named: str, rules: WalkRules) -> str:
    """Return the folder for memories, from the root; raise an error unless the settings name one that is indexed."""
    if not named:
        raise SettingsError(
            "This vault has no folder for memories",
            f'To allow memories, add two lines to {root / "notewell.toml"}: `[memory]` and `folder = "Memories"`',
        )
    path = os.path.normpath(named).replace(os.sep, "/")
    parts = path.split("/")
    if Path(named).is_absolute() or re.match("[A-Za-z]:", path) or parts[0] == "..":
        raise SettingsError(f"{SETTING} names a folder outside the vault", "Name a folder of the vault")
    if path == ".":
        raise SettingsError(
            f"{SETTING} names the vault itself", "Name a separate folder, so that you see what agents wrote"
        )
    if any(part.startswith(".") or part in ALWAYS_EXCLUDED for part in parts):
        raise SettingsError(
            f"{SETTING} names a hidden folder, or one that belongs to a program",
            "Name a folder that you see in your vault",
        )
    check_indexed(f"{path}/note{SUFFIX}", rules)
    return path


def check_indexed(path: str, rules: WalkRules) -> None:
    """Refuse to write a note that no search would find."""
    if setting := left_out_by(path, rules):
        raise SettingsError(
            f"Memories in {path.rpartition('/')[0]} would not be found: {setting} leaves it out",
            f"Change {SETTING} or {setting}",
        )


def _check_marked(path: str, begins: bytes) -> None:
    if split_page(begins.decode("utf-8", "replace"))[0].get("type") != MARK:
        raise _not_a_memory(path, f"its front matter does not say `type: {MARK}`")


def _not_a_memory(path: str, why: str) -> NoteError:
    return NoteError(
        f"{path} is not a memory: {why}", "Only notes that were remembered can be forgotten; delete others yourself"
    )


@contextmanager
def _explained(folder: str, note: str = "") -> Iterator[None]:
    """Turn errors of the file system into a fact and a hint."""
    try:
        yield
    except OSError as error:
        if note and error.errno == errno.ENOENT:
            raise NoteError(f"There is no note {note}", "Use a path as `notewell search` prints it") from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            kind, what, thing = (NoteError, note, "file") if note else (SettingsError, folder, "folder")
            raise kind(f"{what} is not a {thing}, or is a link", "Notewell does not write through links") from error
        hint = "Check the folder's permissions and the disk; nothing was changed"
        raise VaultError(f"{folder} cannot be written: {error.strerror or error}", hint) from error

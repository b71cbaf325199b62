"""Changes to many files of a vault, all or none: a journal in the user's folder of state outlives a killed process.

The journal has the changed bytes only, not the notes; a vault cannot bring one along.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

from notewell.errors import CurateError
from notewell.files.folder import Folder
from notewell.files.lock import held
from notewell.files.safe_open import read_plain
from notewell.files.user import home_folder, private_folder, state_folder, sync, write_private
from notewell.frozen import frozen

# Where deleted notes go, as in Obsidian; nothing there is ever indexed.
TRASH = ".trash"
RUNNING = "running.json"
# What an entry is for that takes another one back, before the name of its file.
UNDO_OF = "undo of "
DONE = re.compile(r"done-\d{8}T\d{12}\.json")
# Errors of a file that somebody changed, moved or replaced since: it is theirs now.
BY_OTHERS = (errno.EBUSY, errno.ENOENT, errno.EEXIST, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EMLINK)
# How many changes can be undone.
KEPT = 50
# Seconds to wait for another process that changes notes of the vault.
PATIENCE = 30.0


class Edit(NamedTuple):
    """Bytes of a file that are replaced: where they start, what they were, and what they become."""

    start: int
    old: bytes
    new: bytes


@frozen
class Change:
    """One file that is edited, created, moved to the trash or back; digests of its content say how far that is."""

    path: str
    kind: Literal["edit", "create", "trash", "restore"]
    before: str = ""
    after: str = ""
    edits: tuple[Edit, ...] = ()
    # What a new file contains. It is not in the journal: to undo it, its digest is enough.
    data: bytes = field(default=b"", repr=False)
    trashed_as: str = ""


@frozen
class Entry:
    """Changes that belong together: what they are for, when they were made, and the name of their file."""

    doing: str
    at: str
    changes: tuple[Change, ...]
    file: str = ""


def edit(path: str, before: bytes, edits: Sequence[Edit]) -> Change:
    """Return the change that makes these edits, which are in ascending order, in a file with this content."""
    return Change(path, "edit", digest(before), digest(edited(before, edits)), tuple(edits))


def rewrite(path: str, before: bytes, after: bytes) -> Change:
    """Return the change of a file from one content to another, as one edit.

    >>> rewrite("a.md", b"one two three", b"one 2 three").edits
    (Edit(start=4, old=b'two', new=b'2'),)
    """
    start = _same(before, after)
    room = min(len(before), len(after)) - start
    end = _same(before[::-1][:room], after[::-1][:room])
    return edit(path, before, [Edit(start, before[start : len(before) - end], after[start : len(after) - end])])


def _same(one: bytes, other: bytes) -> int:
    """Return how many bytes two contents have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def create(path: str, data: bytes) -> Change:
    """Return the change that creates a file."""
    return Change(path, "create", after=digest(data), data=data)


def trash(path: str, content: bytes) -> Change:
    """Return the change that moves a file with this content to the trash."""
    place, dot, suffix = path.rpartition("/")[2].rpartition(".")
    # The digest makes the name unique, and the journal knows it before the file is moved.
    return Change(path, "trash", digest(content), trashed_as=f"{place} {digest(content)[:8]}{dot}{suffix}")


def digest(data: bytes) -> str:
    """Return the digest of a file's content."""
    return blake2b(data, digest_size=16).hexdigest()


def edited(data: bytes, edits: Sequence[Edit], *, back: bool = False) -> bytes:
    """Return a content with its edits made, or undone.

    >>> edits = [Edit(0, b"a", b"long"), Edit(4, b"b", b"")]
    >>> edited(b"a - b", edits), edited(b"long - ", edits, back=True)
    (b'long - ', b'a - b')
    """
    parts: list[bytes] = []
    at = moved = 0
    for start, old, new in edits:
        found, other = (new, old) if back else (old, new)
        begin = start + (moved if back else 0)
        if data[begin : begin + len(found)] != found:
            raise _changed()
        parts += data[at:begin], other
        at, moved = begin + len(found), moved + len(new) - len(old)
    return b"".join((*parts, data[at:]))


class Journal:
    """The changes that Notewell made to the files of one vault."""

    def __init__(self, root: Path) -> None:
        self.root = root
        name = blake2b(os.fsencode(os.path.realpath(root)), digest_size=12).hexdigest()
        self.folder = state_folder(os.environ, home_folder(os.environ)) / "curate" / name
        # Whether `alone` took back what a killed process began, so that an index may have it.
        self.recovered = False

    @contextmanager
    def alone(self) -> Iterator[list[str]]:
        """Be the only process that changes files of this vault; yield the files that a killed one left half done.

        What a killed process began is taken back first. Files that were changed since are left as they are.
        """
        try:
            private_folder(self.folder)
        except OSError as error:
            raise CurateError(f"{self.folder} cannot be written: {error.strerror}", "Check its permissions") from error
        with held(self.folder / "lock", PATIENCE, "is changing notes of this vault"):
            left = self._recover()
            self._forget_undone()
            yield left

    def apply(self, doing: str, changes: Sequence[Change]) -> None:
        """Make all changes or none; `alone` must be held. An error says which file stopped it."""
        entry = Entry(doing, datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f"), tuple(changes))
        self._write(entry)
        done: list[Change] = []
        try:
            for change in changes:
                # Before it is made: what fails half way is taken back, too.
                done.append(change)
                self._make(change)
        except OSError as error:
            # A file that was there before is not ours.
            self._give_up(done[:-1] if isinstance(error, FileExistsError) else done)
            is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
            why = "it is a link, or not a file" if is_link else error.strerror
            hint = "Name a folder that is none" if is_link else "Try again once no other program writes to it"
            hint = (
                hint if error.errno in BY_OTHERS else "Check the disk, and the permissions of the file and its folder"
            )
            raise CurateError(f"Nothing was changed: {done[-1].path}: {why}", hint) from error
        except BaseException:
            self._give_up(done)
            raise
        self._running.rename(self.folder / f"done-{entry.at}.json")
        for old in self._done()[:-KEPT]:
            old.unlink(missing_ok=True)

    def _give_up(self, changes: Sequence[Change]) -> list[str]:
        """Undo these changes as far as they were made; return the files that somebody changed since, which stay.

        If one cannot be written now, that is an error, and the journal stays for the next command.
        """
        left = [(change.path, error) for change in reversed(changes) if (error := self._take_back(change))]
        if stuck := next((one for one in left if one[1].errno not in BY_OTHERS), None):
            path, error = stuck
            # Without its cause, so that nobody begins again before that is done.
            raise CurateError(
                f"{path} was changed and cannot be restored yet: {error.strerror}",
                f"Fix that, and the next command restores it. To keep it as it is, delete {self._running}",
            ) from None
        self._running.unlink()
        return [path for path, _ in left]

    def history(self) -> list[Entry]:
        """Return the changes that can be undone, the newest first."""
        return [self._read(file) for file in reversed(self._done())]

    def undo(self, entry: Entry) -> None:
        """Undo all changes of an entry, or none if one of its files was changed since; `alone` must be held."""
        back: list[Change] = []
        for change in reversed(entry.changes):
            try:
                back.append(self._reversed(change))
            except OSError as error:
                raise CurateError(
                    f"{change.path} was changed since, so nothing was undone",
                    "Change it back by hand, or apply the opposite change",
                ) from error
        self.apply(f"{UNDO_OF}{entry.file}", back)
        self._forget_undone()

    def _forget_undone(self) -> None:
        """Forget a change that was undone, and its undoing: neither can be undone again."""
        for file in self._done()[-1:]:
            with suppress(CurateError):
                undone = self._read(file).doing.removeprefix(UNDO_OF)
                if DONE.fullmatch(undone):
                    (self.folder / undone).unlink(missing_ok=True)
                    file.unlink()

    def _reversed(self, change: Change) -> Change:
        """Return the change that undoes another; an error if the file is not as that one left it."""
        if change.kind == "trash":
            with Folder(self.root, TRASH) as bin:
                data, _ = bin.read_whole(change.trashed_as)
            if digest(data) != change.before or os.path.lexists(self.root / change.path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            return replace(change, kind="restore")
        with self._folder_of(change.path) as (folder, name):
            data, _ = folder.read_whole(name)
        if digest(data) != change.after:
            raise _changed()
        if change.kind == "create":
            return trash(change.path, data)
        moved, edits = 0, []
        for start, old, new in change.edits:
            edits.append(Edit(start + moved, new, old))
            moved += len(new) - len(old)
        return edit(change.path, data, edits)

    def _make(self, change: Change) -> None:
        with self._folder_of(change.path, make=change.kind in ("create", "restore")) as (folder, name):
            if change.kind == "create":
                if not folder.create(name, change.data):
                    raise FileExistsError(errno.EEXIST, "another file has that name now")
            elif change.kind == "edit":
                data, _ = folder.read_whole(name)
                if digest(data) != change.before:
                    raise _changed()
                folder.replace(name, data, edited(data, change.edits))
            else:
                with Folder(self.root, TRASH, make=True) as bin:
                    ends = (folder, name), (bin, change.trashed_as)
                    _move(*(ends if change.kind == "trash" else ends[::-1]), change.before)

    def _take_back(self, change: Change) -> OSError | None:
        """Undo a change as far as it was made; return why that is not possible."""
        try:
            self._take_one_back(change)
        except OSError as error:
            return error
        return None

    def _take_one_back(self, change: Change) -> None:
        if change.kind in ("trash", "restore"):
            self._make(replace(change, kind="restore" if change.kind == "trash" else "trash"))
            return
        try:
            self._take_content_back(change)
        except FileNotFoundError:
            # Not created yet, perhaps not even its folder; an edited note is gone for another reason.
            if change.kind != "create":
                raise

    def _take_content_back(self, change: Change) -> None:
        with self._folder_of(change.path) as (folder, name):
            folder.sweep()
            data, _ = folder.read_whole(name)
            if digest(data) == change.after and change.kind == "create":
                folder.delete(name, data)
            elif digest(data) == change.after:
                folder.replace(name, data, edited(data, change.edits, back=True))
            elif digest(data) != change.before:
                raise _changed()

    @contextmanager
    def _folder_of(self, path: str, *, make: bool = False) -> Iterator[tuple[Folder, str]]:
        place, _, name = path.rpartition("/")
        with Folder(self.root, place, make=make and bool(place)) as folder:
            yield folder, name

    def _recover(self) -> list[str]:
        if not self._running.exists():
            return []
        try:
            entry = self._read(self._running)
        except CurateError as error:
            if isinstance(error.__cause__, OSError):
                hint = "Check its permissions: by it, the next command restores what a killed run changed"
                raise CurateError(error.fact, hint) from error
            # Killed while it was written, before any file was changed.
            self._running.unlink()
            return []
        left = self._give_up(entry.changes)
        self.recovered = True
        return left

    @property
    def _running(self) -> Path:
        return self.folder / RUNNING

    def _done(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return sorted(file for file in self.folder.iterdir() if DONE.fullmatch(file.name))

    def _write(self, entry: Entry) -> None:
        data = {"doing": entry.doing, "at": entry.at, "changes": [_as_json(change) for change in entry.changes]}
        try:
            write_private(self._running, json.dumps(data).encode())
            sync(self._running)
            sync(self.folder)
        except OSError as error:
            raise CurateError(
                f"{self.folder} cannot be written: {error.strerror}; nothing was changed", "Check the disk"
            ) from error

    def _read(self, file: Path) -> Entry:
        try:
            data = json.loads(read_plain(file))
            changes = tuple(_from_json(change) for change in data["changes"])
            return Entry(data["doing"], data["at"], changes, file.name)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise CurateError(f"{file} cannot be read", "Delete it; the changes in it cannot be undone") from error


def _as_json(change: Change) -> dict[str, Any]:
    fields = asdict(change)
    del fields["data"]
    return fields | {"edits": [(start, old.hex(), new.hex()) for start, old, new in change.edits]}


def _from_json(data: dict[str, Any]) -> Change:
    edits = tuple(Edit(int(start), bytes.fromhex(old), bytes.fromhex(new)) for start, old, new in data["edits"])
    return Change(**{**data, "edits": edits})


def _move(source: tuple[Folder, str], target: tuple[Folder, str], content: str) -> None:
    """Move a file whose content has this digest; if that was done before, or half done, finish it."""
    (folder, name), (to, new) = source, target
    try:
        data, about = folder.read_whole(name)
    except FileNotFoundError:
        if digest(to.read_whole(new)[0]) == content:
            return
        raise
    if digest(data) != content:
        raise _changed()
    if not to.create(new, data, like=about) and digest(to.read_whole(new)[0]) != content:
        raise FileExistsError(errno.EEXIST, "another file has that name now")
    folder.delete(name, data)


def _changed() -> OSError:
    return OSError(errno.EBUSY, "another program changed it meanwhile")

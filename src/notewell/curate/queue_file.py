"""The file of the review queue: read, merged, marked, and written whole, also while a person edits it."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from notewell.curate.journal import Journal, digest
from notewell.curate.notes import NoteFile, allowed_folders, is_below, read_note
from notewell.curate.queue import LARGEST, NO_BASE, Base, Item, Proposal, Renewed, check_ids, marked, read_queue, renew
from notewell.curate.review import readable_action
from notewell.errors import CurateError, NoteError, SettingsError
from notewell.files.folder import Folder
from notewell.files.safe_open import read_plain
from notewell.files.user import write_private
from notewell.vault import Vault

# How often to begin again if another program saves the queue meanwhile.
TRIES = 3
# What was written last, beside the journal.
BASE = "queue"
CHANGED = "another program changes it again and again"


class QueueFile:
    """The file of a queue, and what Notewell wrote there last."""

    def __init__(self, vault: Vault, path: str) -> None:
        self.root, self.path = vault.root, path
        self.journal = Journal(vault.root)
        folders = allowed_folders(vault.root, vault.settings)
        if not self.path.endswith(".md") or not is_below(self.path, folders):
            raise SettingsError(
                f"The review queue, {self.path}, is not a Markdown note in a folder that curate.folders names",
                f'Set queue = "{folders[0]}/_review-queue.md" under [curate] in notewell.toml',
            )

    def read(self) -> NoteFile | None:
        """Return the queue; None if there is none. One that is too large, a link or not UTF-8 is an error."""
        try:
            return read_note(self.root, self.path, LARGEST)
        except NoteError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise CurateError(f"{self.path} cannot be read: {error.fact}", error.hint) from error

    def check_writable(self) -> None:
        """Raise an error if the queue is read-only."""
        try:
            if found := self.read():
                found.check_writable()
        except NoteError as error:
            raise CurateError(f"{self.path} cannot be written: {error.fact}", error.hint) from error

    def sweep(self) -> None:
        """Remove the files of a process that was killed while it wrote the queue; the journal's lock must be held."""
        place = self.path.rpartition("/")[0]
        with suppress(OSError), Folder(self.root, place) as folder:
            folder.sweep()

    def items(self) -> list[Item]:
        """Return the proposals in the queue."""
        found = self.read()
        if found is None:
            return []
        check_ids(found.text, self.path, self.base)
        return read_queue(found.text, self.path)

    def write(self, proposals: Sequence[Proposal], done: Iterable[str] = ()) -> Renewed:
        """Merge proposals into the queue as it is at this moment, and return what was written.

        If another program saves it meanwhile, its text is merged instead.
        """
        done, base = [*done], self.base
        for _ in range(TRIES):
            found = self.read()
            made = renew(found.text if found else "", self.path, proposals, base, done)
            if self._replace(found, made.text):
                # After the queue: what a killed run leaves behind, the next one proposes or drops by itself.
                data = {"open": dict(made.base.open), "declined": sorted(made.base.declined), "path": self.path}
                try:
                    write_private(self._base, json.dumps(data).encode())
                except OSError as error:
                    raise CurateError(
                        f"{self.journal.folder} cannot be written: {error.strerror}", "Check the disk"
                    ) from error
                return made
        raise CurateError(f"{self.path} was not written: {CHANGED}", "Close it in other programs, then try again")

    def proposals(self) -> list[Proposal]:
        """Return the open proposals in the queue that can be read."""
        kinds = ((item, readable_action(item)) for item in self.items() if not item.declined)
        return [Proposal(action.kind, item.id, item.text, read=True) for item, action in kinds if action]

    def mark(self, marks: Mapping[str, str]) -> None:
        """Write other signs into the boxes of proposals, by their ids."""
        for _ in range(TRIES):
            found = self.read()
            if found is None or self._replace(found, marked(found.text, marks)):
                return
        raise CurateError(f"{self.path} was not written: {CHANGED}", "Close it in other programs, then try again")

    def _replace(self, found: NoteFile | None, text: str) -> bool:
        """Write the queue unless somebody changed it since; return whether it is as it should be."""
        if found is None and not read_queue(text, self.path):
            return True
        place, _, name = self.path.rpartition("/")
        after = text.encode() if found is None else found.with_text(text)
        try:
            with Folder(self.root, place, make=found is None and bool(place)) as folder:
                if found is None:
                    return folder.create(name, after)
                if after != found.data:
                    folder.replace(name, found.data, after)
                return True
        except OSError as error:
            if error.errno in (errno.EBUSY, errno.ENOENT):
                return False
            raise CurateError(f"{self.path} cannot be written: {error.strerror}", "Check the folder") from error

    @property
    def _base(self) -> Path:
        return self.journal.folder / f"{BASE}-{digest(self.path.encode())[:12]}.json"

    @property
    def base(self) -> Base:
        """Return what was written last; nothing if that is unknown, or was another file."""
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            data = json.loads(read_plain(self._base))
            if data["path"] == self.path:
                return Base({str(key): str(line) for key, line in data["open"].items()}, frozenset(data["declined"]))
        return NO_BASE

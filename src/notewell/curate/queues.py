"""The review queues of a vault: one for all notes, or one for each domain that names its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from notewell.curate.intake_log import IntakeLog
from notewell.curate.journal import Journal
from notewell.curate.notes import checked_path, domains_by, is_asked, settings_at
from notewell.curate.queue import Item, Proposal
from notewell.curate.queue_file import QueueFile
from notewell.curate.review import action_of
from notewell.errors import CurateError
from notewell.vault import Vault


class Queues:
    """The queues of the domains that are asked, as one; a proposal is in that of its note's domain."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.journal = Journal(vault.root)
        paths = domains_by(vault, lambda settings: settings.queue)
        self._files = {path: QueueFile(vault, path) for path in paths}

    def sweep(self) -> None:
        """Remove the files of a process that was killed while it wrote a queue; the journal's lock must be held."""
        for file in self._files.values():
            file.sweep()

    def check_writable(self) -> None:
        """Raise an error if a queue is read-only, before anything is changed for it."""
        for file in self._files.values():
            file.check_writable()

    def items(self) -> list[Item]:
        """Return the proposals for the domains that are asked."""
        every = chain.from_iterable(file.items() for file in self._files.values())
        return [item for item in every if self._is_asked(item.text)]

    def _is_asked(self, text: str) -> bool:
        """Tell whether a proposal is for the domains that are asked; one that cannot be read may be."""
        path = _path_in(text)
        return not path or is_asked(self._vault, path)

    def write(self, proposals: Sequence[Proposal], done: Sequence[str] = ()) -> frozenset[str]:
        """Merge proposals into the queues as they are at this moment; return the ids of what is declined."""
        declined = set[str]()
        for path, own in self._shared_out(proposals).items():
            file = self._files[path]
            # Domains may share a queue; what is for the others stays.
            others = [one for one in file.proposals() if not self._is_asked(one.text)]
            declined |= file.write([*own, *others], done).base.declined
        return frozenset(declined)

    def _shared_out(self, proposals: Iterable[Proposal]) -> Mapping[str, list[Proposal]]:
        """Return the proposals of each queue; a note that is in none of the domains that are asked is left out."""
        shared: dict[str, list[Proposal]] = {path: [] for path in self._files}
        for one in proposals:
            path = checked_path(settings_at(self._vault, _path_in(one.text)).queue)
            if path in shared:
                shared[path].append(one)
        return shared

    def add(self, proposals: Sequence[Proposal]) -> None:
        """Add proposals to those that are in the queues."""
        self.sweep()
        for path, own in self._shared_out(proposals).items():
            there = self._files[path].proposals()
            known = {one.id for one in there}
            if new := [one for one in own if one.id not in known]:
                self._files[path].write([*there, *new])

    def drop(self, key: str) -> None:
        """Take a proposal out of its queue."""
        self.sweep()
        for file in self._files.values():
            there = file.proposals()
            file.write([one for one in there if one.id != key], [key])

    def marked(self, marks: Mapping[str, str]) -> list[Item]:
        """Return the proposals as they would be with other signs in their boxes, by their ids."""
        items = self.items()
        self._check_known(marks, items)
        return [replace(item, box=marks.get(item.id, item.box)) for item in items]

    def mark(self, marks: Mapping[str, str]) -> None:
        """Write other signs into the boxes of proposals, by their ids; one that is in no queue is an error."""
        items = self.items()
        self._check_known(marks, items)
        for path, file in self._files.items():
            own = {item.id: marks[item.id] for item in items if item.queue == path and item.id in marks}
            if own:
                file.mark(own)

    def _check_known(self, marks: Iterable[str], items: Sequence[Item]) -> None:
        known = {item.id for item in items}
        if missing := [key for key in marks if key not in known]:
            raise CurateError(
                f"There is no proposal '{missing[0][:20]}' in {' or '.join(self._files)}", "Read the queue again"
            )

    def accept(self, paths: Mapping[str, str]) -> None:
        """Log which signals became notes, by their ids."""
        log = IntakeLog(self.journal.folder)
        log.mark(_waiting(log, paths), "accepted", paths)

    def reject(self, declined: Iterable[str]) -> None:
        """Log which of the signals that waited were declined."""
        log = IntakeLog(self.journal.folder)
        log.mark([*_waiting(log, declined)], "rejected")


def _waiting(log: IntakeLog, keys: Iterable[str]) -> Iterator[str]:
    known = log.decisions()
    yield from (key for key in keys if key in known and known[key].waits)


def _path_in(text: str) -> str:
    """Return the note that a proposal is for; empty if it cannot be read."""
    try:
        action = action_of(text)
    except CurateError:
        return ""
    return action.path if action else ""

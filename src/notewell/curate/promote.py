"""The review queue of a vault: written, and what a person ticked in it applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from notewell.curate.duplicates import still_same
from notewell.curate.intake_log import IntakeLog
from notewell.curate.intake_page import page_of
from notewell.curate.journal import Change, Journal, create, rewrite, trash
from notewell.curate.link_fixes import link_edits
from notewell.curate.notes import NoteFile, allowed_folders, checked_path, domains_by, is_below, own_files, read_note
from notewell.curate.queue import Item, Kind, boxes
from notewell.curate.queues import Queues
from notewell.curate.renames import TRIES, half_done
from notewell.curate.review import Action, Proposed, asked_for, find_proposals, readable_action
from notewell.curate.tag_edits import add_tags, note_of, with_edits
from notewell.errors import CurateError, NoteError, NotewellError
from notewell.frozen import frozen
from notewell.index import Progress
from notewell.index.report import Reason
from notewell.types.notices import Notice
from notewell.vault import Vault

DOING = "promote"


@frozen
class Ticked:
    """A ticked proposal that was applied, or would be."""

    kind: Kind
    """What kind it is: tag, link, duplicate, intake."""
    path: str
    """The note that changed."""
    text: str
    """What was proposed."""


@frozen
class QueueItem:
    """A proposal in the review queue."""

    id: str
    """What identifies it."""
    kind: Kind
    """What kind it is: tag, link, duplicate, intake."""
    path: str
    """The note that it would change, or add."""
    text: str
    """What would be done, and why."""
    ticked: bool
    """Whether it is ticked."""
    queue: str
    """The note with the queue that it is in."""


@frozen
class Queue:
    """The review queue."""

    path: str
    """The note with the queue; the first, if domains have several."""
    items: tuple[QueueItem, ...]
    """The open proposals in it, in their order."""
    declined: int = 0
    """How many were declined."""
    new: int = 0
    """How many were added now."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class Promoted:
    """What `promote` did, or would do."""

    done: tuple[Ticked, ...]
    """The ticked proposals that were applied."""
    applied: bool
    """Whether anything was written."""
    left: tuple[Reason, ...] = ()
    """Ticked proposals that cannot be applied, and why; they stay in the queue."""
    open: int = 0
    """How many proposals are in the queue now; after undoing, 0 if it cannot be read."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def read_review(vault: Vault) -> Queue:
    """Return the review queue as it is now; nothing is written, and a vault that allows no queue has none."""
    vault.reread()
    items = Queues(vault).items() if vault.settings.curate.folders else []
    return _queue(vault, items)


def review(vault: Vault, progress: Progress | None = None) -> Queue:
    """Write proposals for an indexed vault into its review queue."""
    vault.reread()
    queues = Queues(vault)
    with queues.journal.alone() as unfinished:
        queues.sweep()
        queues.check_writable()
        before = {item.id for item in queues.items()}
        proposed = _proposed(vault, queues, progress)
        declined = queues.write(proposed.proposals)
        queues.reject(declined)
        items = queues.items()
    new = len({item.id for item in items if not item.declined} - before)
    return _queue(vault, items, new, (*_unfinished(unfinished), *proposed.notices), len(declined))


def _queue(
    vault: Vault, items: Sequence[Item], new: int = 0, notices: tuple[Notice, ...] = (), declined: int | None = None
) -> Queue:
    refused = sum(item.declined for item in items) if declined is None else declined
    shown = [(item, readable_action(item)) for item in items if not item.declined]
    made = tuple(
        QueueItem(item.id, action.kind, action.path, item.text, item.ticked, item.queue)
        for item, action in shown
        if action
    )
    path = next(iter(domains_by(vault, lambda settings: settings.queue)))
    return Queue(path, made, refused, new, notices)


def _unfinished(paths: Sequence[str]) -> tuple[Notice, ...]:
    return tuple(Notice("left_half_done", {"path": path}) for path in paths)


def _proposed(vault: Vault, queues: Queues, progress: Progress | None) -> Proposed:
    return find_proposals(vault, allowed_folders(vault.root, vault.settings), queues.items(), progress)


def promote(
    vault: Vault,
    *,
    tick: Sequence[str] = (),
    decline: Sequence[str] = (),
    untick: Sequence[str] = (),
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Promoted:
    """Apply all ticks in the review queue, or none, and update the queue.

    Proposals whose ids are in `tick`, `decline` or `untick` are marked first. A ticked proposal that cannot be applied
    stays ticked, with its reason in the report. A dry run writes nothing.
    """
    vault.reread()
    queues = Queues(vault)
    with queues.journal.alone() as unfinished:
        queues.sweep()
        marks = boxes(tick, decline, untick)
        if dry_run:
            plan = _plan(vault, queues, queues.marked(marks))
            left = (*half_done(unfinished), *plan.left)
            return Promoted(plan.done, applied=False, left=left, open=_open_in(queues.items()))
        queues.check_writable()
        queues.mark(marks)
        plan = _apply(vault, queues)
        left = (*half_done(unfinished), *plan.left)
        # Before the lines leave the queue: a kill in between leaves them ticked, and the next run finds them done.
        queues.accept({key: one.path for key, one in zip(plan.ids, plan.done, strict=True) if one.kind == "intake"})
        notices = vault.refresh() if vault.indexed and plan.changes else ()
        proposed = _proposed(vault, queues, progress)
        queues.reject(queues.write(proposed.proposals, plan.ids))
        remaining = _open_in(queues.items())
    notices = (*notices, *proposed.notices)
    return Promoted(plan.done, applied=bool(plan.changes), left=left, open=remaining, notices=notices)


def _open_in(items: Sequence[Item]) -> int:
    return sum(not item.declined for item in items)


def undo_promote(vault: Vault) -> Promoted:
    """Undo all changes of the last `promote` in notes, or none; the queue proposes them again."""
    allowed_folders(vault.root, vault.settings)
    journal = Journal(vault.root)
    with journal.alone() as unfinished:
        entry = next((entry for entry in journal.history() if entry.doing == DOING), None)
        if entry is None:
            raise CurateError(
                "There is no promotion to undo", "Only the last changes made on this machine can be undone"
            )
        log, paths = IntakeLog(journal.folder), {change.path for change in entry.changes if change.kind == "create"}
        waited = [one.id for one in log.decisions().values() if one.later == "accepted" and one.path in paths]
        with log.undoing(waited, ""):
            journal.undo(entry)
    notices = vault.refresh() if vault.indexed else ()
    kinds: dict[str, Kind] = {"trash": "duplicate", "create": "intake"}
    done = tuple(Ticked(kinds.get(change.kind, "tag"), change.path, "") for change in entry.changes)
    remaining = 0
    # The notes are as they were, even if a queue cannot be read.
    with suppress(NotewellError):
        remaining = _open_in(Queues(vault).items())
    return Promoted(done, applied=True, left=half_done(unfinished), open=remaining, notices=notices)


@frozen
class _Plan:
    done: tuple[Ticked, ...]
    changes: tuple[Change, ...]
    left: tuple[Reason, ...]
    ids: tuple[str, ...]


def _apply(vault: Vault, queues: Queues) -> _Plan:
    for left in reversed(range(TRIES)):
        plan = _plan(vault, queues, queues.items())
        try:
            if plan.changes:
                queues.journal.apply(DOING, plan.changes)
        except CurateError as error:
            # Obsidian saves a note two seconds after the last key: the next try has its text.
            if not left or not isinstance(error.__cause__, OSError):
                raise
            continue
        return plan
    raise AssertionError("the last try returns or raises")


def _plan(vault: Vault, queues: Queues, items: Sequence[Item]) -> _Plan:
    """Return what the ticked proposals change; every one of them is read before anything is changed."""
    asked = [(item, asked_for(item)) for item in items if item.ticked]
    folders, most = allowed_folders(vault.root, vault.settings), vault.settings.index.max_bytes
    files, texts, log = dict[str, NoteFile](), dict[str, str](), IntakeLog(queues.journal.folder)
    trashed, created, own = dict[str, bytes](), dict[str, bytes](), own_files(vault)
    done, left, ids = [], [], []
    for item, action in asked:
        try:
            if action.path in own:
                raise NoteError("it is a taxonomy or a review queue", "Edit it by hand")
            if not is_below(checked_path(action.path), folders):
                raise NoteError("it is not in a folder that curate.folders names", "Name its folder there")
            STEPS[action.kind](vault, action, _Open(files, texts, trashed, created, log, most))
        except NoteError as error:
            left.append(Reason(action.path, error.fact))
            continue
        done.append(Ticked(action.kind, action.path, item.text))
        ids.append(item.id)
    edited = {path: text for path, text in texts.items() if text != files[path].text and path not in trashed}
    changes = [rewrite(path, files[path].data, files[path].with_text(text)) for path, text in edited.items()]
    changes += [trash(path, data) for path, data in trashed.items()]
    changes += [create(path, data) for path, data in created.items()]
    return _Plan(tuple(done), tuple(changes), tuple(left), tuple(ids))


@frozen
class _Open:
    """The notes that ticked proposals change together: as they were, as they shall be, and those to trash."""

    files: dict[str, NoteFile]
    texts: dict[str, str]
    trashed: dict[str, bytes]
    created: dict[str, bytes]
    log: IntakeLog
    most: int

    def text(self, vault: Vault, path: str) -> str:
        """Return the text of a note with the changes so far."""
        if path not in self.texts:
            self.files[path] = found = read_note(vault.root, path, self.most)
            found.check_writable()
            self.texts[path] = self.files[path].text
        return self.texts[path]


def _add_tag(vault: Vault, action: Action, opened: _Open) -> None:
    text = opened.text(vault, action.path)
    edits = add_tags(note_of(action.path, text), text, (action.tag,))
    opened.texts[action.path] = with_edits(text, edits)


def _mend_link(vault: Vault, action: Action, opened: _Open) -> None:
    text = opened.text(vault, action.path)
    edits = link_edits(action.path, text, action.line, action.old, action.new)
    opened.texts[action.path] = with_edits(text, edits)


def _trash(vault: Vault, action: Action, opened: _Open) -> None:
    if action.other in opened.trashed or action.other == action.path:
        raise NoteError(f"the note to keep, {action.other}, would be removed", "Tick one of the two")
    # The one that stays must be there, and say what the other one says by now.
    kept = read_note(vault.root, checked_path(action.other), opened.most)
    try:
        found = read_note(vault.root, action.path, opened.most)
        found.check_writable()
    except NoteError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        return
    if not still_same(*(note.text[note.body :] for note in (note_of(one.path, one.text) for one in (found, kept)))):
        raise NoteError(f"it is no longer nearly the same as {action.other}", "Delete it by hand, or untick the line")
    opened.trashed[action.path] = found.data


def _create(vault: Vault, action: Action, opened: _Open) -> None:
    signal, decision = opened.log.held(action.id), opened.log.decisions().get(action.id)
    if signal is None or decision is None:
        raise NoteError(
            "its text is not on this machine",
            "Promote it on the machine that queued it, or run intake on its source again",
        )
    made = page_of(signal, datetime.fromisoformat(decision.at), decision.total)
    if not action.path.endswith(".md") or any(part.startswith(".") for part in action.path.split("/")):
        raise NoteError("it is not the path of a Markdown note", "Give it another path")
    try:
        if read_note(vault.root, action.path, opened.most).data != made:
            raise NoteError("a note with that path already exists", "Give it another path in the queue")
    except NoteError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        opened.created[action.path] = made


STEPS: dict[Kind, Callable[[Vault, Action, _Open], None]] = {
    "tag": _add_tag,
    "link": _mend_link,
    "duplicate": _trash,
    "intake": _create,
}

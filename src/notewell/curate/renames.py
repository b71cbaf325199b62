"""Renaming, merging and splitting tags over many notes: all of them or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from notewell.curate.journal import Change, Edit, Journal, edit
from notewell.curate.notes import NoteFile, allowed_folders, is_asked, is_below, markdown_paths, read_note
from notewell.curate.tag_edits import Renames, TextEdit, note_of, rename_tags, with_edits
from notewell.errors import CurateError, NoteError, NoteOutOfReach
from notewell.frozen import frozen
from notewell.index.report import Reason
from notewell.redact import redact_text
from notewell.types.notices import Notice
from notewell.vault import Vault

# How often to begin again if another program changes a note meanwhile.
TRIES = 3
# The most changed lines that a report shows of a note.
SHOWN = 20
DOING = "apply-renames"


@frozen
class ChangedLine:
    """A line of a note, before and after; secrets are redacted."""

    line: int
    """Its number."""
    before: str
    """The line as it was."""
    after: str
    """The line as it is now, or would be; empty if it goes, several lines if its tag is split."""


@frozen
class RenamedNote:
    """A note whose tags were renamed, or would be."""

    path: str
    """The note, from the vault's root."""
    tags: int
    """How many tags in it."""
    lines: tuple[ChangedLine, ...] = ()
    """The first lines that change, at most 20."""


@frozen
class Renamed:
    """What `apply-renames` did, or would do."""

    notes: tuple[RenamedNote, ...]
    """The notes that changed, by path."""
    applied: bool
    """Whether anything was written: not in a dry run, and not if no note has these tags."""
    left: tuple[Reason, ...] = ()
    """Notes with such a tag that could not be changed, and why."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


@frozen
class _Plan:
    notes: tuple[RenamedNote, ...]
    changes: tuple[Change, ...]
    left: tuple[Reason, ...]
    taken: Mapping[str, int]
    notices: tuple[Notice, ...]


def apply_renames(
    vault: Vault, renames: Renames, *, under: str = "", merge: bool = False, dry_run: bool = False
) -> Renamed:
    """Rename tags in all notes, or in those `under` a folder; if one note cannot be written, none is changed.

    A tag that other notes have already is refused, unless the tags shall `merge`. A dry run writes nothing.
    """
    vault.reread()
    folders = allowed_folders(vault.root, vault.settings)
    scope = under.strip("/")
    if dry_run:
        plan = _plan(vault, renames, folders, scope)
        _check_merge(plan, merge=merge)
        return Renamed(plan.notes, applied=False, left=plan.left, notices=plan.notices)
    journal = Journal(vault.root)
    with journal.alone() as unfinished:
        plan = _apply(vault, renames, (folders, scope), journal, merge=merge)
    notices = vault.refresh() if vault.indexed and plan.changes else ()
    left = (*half_done(unfinished), *plan.left)
    return Renamed(plan.notes, applied=bool(plan.changes), left=left, notices=(*plan.notices, *notices))


def undo_renames(vault: Vault) -> Renamed:
    """Undo the last renames that can be undone, in all notes or none."""
    allowed_folders(vault.root, vault.settings)
    journal = Journal(vault.root)
    with journal.alone() as unfinished:
        entry = next((entry for entry in journal.history() if entry.doing.startswith(DOING)), None)
        if entry is None:
            raise CurateError(
                "There are no renames to undo", "Only the last changes made on this machine can be undone"
            )
        journal.undo(entry)
    notices = vault.refresh() if vault.indexed else ()
    notes = tuple(RenamedNote(change.path, len(change.edits)) for change in entry.changes)
    return Renamed(notes, applied=True, left=half_done(unfinished), notices=notices)


def half_done(paths: Sequence[str]) -> tuple[Reason, ...]:
    """Return the reasons why a run that was killed could not be taken back in these files."""
    return tuple(Reason(path, "a run that was killed changed it, and somebody else did since") for path in paths)


def _apply(
    vault: Vault, renames: Renames, where: tuple[tuple[str, ...], str], journal: Journal, *, merge: bool
) -> _Plan:
    for left in reversed(range(TRIES)):
        plan = _plan(vault, renames, *where)
        _check_merge(plan, merge=merge)
        try:
            if plan.changes:
                journal.apply(f"{DOING} {_written(renames)}", plan.changes)
        except CurateError as error:
            # Obsidian saves a note two seconds after the last key: the next try has its text.
            if not left or not isinstance(error.__cause__, OSError):
                raise
            continue
        return plan
    raise AssertionError("the last try returns or raises")


def _written(renames: Renames) -> str:
    return " ".join(f"{old}={','.join(new)}" for old, new in renames.targets.items())


def _plan(vault: Vault, renames: Renames, folders: tuple[str, ...], scope: str) -> _Plan:
    """Return what the renames change, reading every Markdown note that has an old or a new name in it."""
    names = {*renames.targets, *(new for targets in renames.targets.values() for new in targets)}
    named = re.compile("|".join(map(re.escape, sorted(names))), re.IGNORECASE)
    notes, changes, left = [], [], []
    seen, looked = set[str](), 0
    existing, made = Counter[str](), _made([*renames.targets], renames)
    for path in markdown_paths(vault):
        inside = is_below(path, (scope,)) and is_asked(vault, path)
        looked += inside
        try:
            file = read_note(vault.root, path, vault.settings.index.max_bytes)
            if not named.search(file.text):
                continue
            note = note_of(path, file.text)
            seen.update(map(str.casefold, note.tags))
            existing.update(tag.casefold() for tag in note.tags if renames.of(tag) is None or not inside)
            made |= _made(note.tags, renames) if inside else set()
            edits = rename_tags(note, file.text, renames) if inside else []
            if edits:
                file.check_writable()
        except NoteError as error:
            # The note that a link leads to is renamed by its own name.
            if inside and not isinstance(error, NoteOutOfReach):
                left.append(Reason(path, error.fact))
            continue
        if edits and not is_below(path, folders):
            left.append(Reason(path, "it is not in a folder that curate.folders names"))
        elif edits:
            notes.append(RenamedNote(path, len(edits), _changed_lines(file.text, edits)))
            changes.append(edit(path, file.data, _in_bytes(file, edits)))
    taken = {tag: existing[tag] for tag in sorted(made & {*existing})}
    notices = () if left else (*_missing_folder(scope, looked), *_missing_tags(renames, seen))
    return _Plan(tuple(notes), tuple(changes), tuple(left), taken, notices)


def _missing_folder(scope: str, looked: int) -> Iterator[Notice]:
    if scope and not looked:
        yield Notice("unknown_folder", {"path": scope})


def _missing_tags(renames: Renames, seen: Set[str]) -> Iterator[Notice]:
    """Yield a notice for each tag that shall be renamed and that no note has, here or elsewhere."""
    for old in renames.targets:
        if not any(is_below(tag, (old,)) for tag in seen):
            yield Notice("no_tag", {"value": old})


def _made(tags: Sequence[str], renames: Renames) -> set[str]:
    """Return the tags that renames make of these, folded; one that only changes its case is none."""
    pairs = ((tag.casefold(), new.casefold()) for tag in tags for new in renames.of(tag) or ())
    return {new for old, new in pairs if new != old}


def _check_merge(plan: _Plan, *, merge: bool) -> None:
    """Refuse a rename onto a tag that notes have already, also of a tag nested below."""
    if plan.taken and plan.notes and not merge:
        tag, count = next(iter(plan.taken.items()))
        notes = "1 note has" if count == 1 else f"{count:,} notes have"
        raise CurateError(f"{notes} the tag #{tag} already", "To merge the two tags, add --merge")


def _in_bytes(file: NoteFile, edits: Sequence[TextEdit]) -> list[Edit]:
    made, at, offset = [], 0, file.offset(0)
    for start, end, new in edits:
        offset += len(file.text[at:start].encode())
        old = file.encoded(file.text[start:end])
        made.append(Edit(offset, old, file.encoded(new)))
        at, offset = end, offset + len(old)
    return made


def _changed_lines(text: str, edits: Sequence[TextEdit]) -> tuple[ChangedLine, ...]:
    """Return the first lines that the edits change, as whole lines before and after, without secrets."""
    lines: dict[int, tuple[int, int, list[TextEdit]]] = {}
    number, at = 1, 0
    for one in edits:
        # A line that goes takes the line end above it along.
        cut = text[one.start : one.end]
        begin = one.start if one.new else one.start + len(cut) - len(cut.lstrip("\r\n"))
        number += text.count("\n", at, begin)
        at = begin
        if number not in lines:
            if len(lines) == SHOWN:
                break
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", one.end)
            lines[number] = start, len(text) if end < 0 else end, []
        start = lines[number][0]
        lines[number][2].append(TextEdit(max(one.start, start) - start, one.end - start, one.new))
    return tuple(_changed_line(text, line, *found) for line, found in lines.items())


def _changed_line(text: str, line: int, start: int, end: int, edits: Sequence[TextEdit]) -> ChangedLine:
    return ChangedLine(line, _safe(text[start:end]), _safe(with_edits(text[start:end], edits)))


def _safe(line: str) -> str:
    return redact_text(line[:500])[0]

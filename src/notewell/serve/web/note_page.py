"""A note for the page: rendered, with its outline, properties, backlinks and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from notewell.errors import NoteError
from notewell.files.control_chars import escaped, visible_line
from notewell.frozen import frozen_by_name
from notewell.index.links import WIKI
from notewell.index.place import Place, Reading, find_place, lines_at, read_note
from notewell.index.shapes.front_matter import split_front_matter
from notewell.names.addresses import Addresses
from notewell.names.place import before_lines, lines_of, split_part
from notewell.serve.web.backlinks import Backlink, backlinks_of
from notewell.serve.web.elements import code
from notewell.serve.web.embeds import Embeds
from notewell.serve.web.layouts import Shown, layout_of
from notewell.serve.web.markdown import Heading
from notewell.serve.web.note_links import NoteLinks
from notewell.serve.web.obsidian import label_in
from notewell.serve.web.resolving import Resolving
from notewell.serve.web.sanitise import sanitised
from notewell.serve.web.unread_file import find_unread
from notewell.store import Snapshot
from notewell.types.note import Chunk, Note
from notewell.types.notices import Notice
from notewell.vault import Vault

# Characters that are shown at once: ten times a long note, and a second's work.
MOST_SHOWN = 300_000
# Characters of properties that cannot be read.
MOST_FRONT = 5_000
# Lines above the place that was asked for, in a note that is not shown from its beginning.
ABOVE = 50


@frozen_by_name
class NotePage:
    """A note as the page shows it."""

    path: str
    """The note, from the vault's root."""
    title: str
    """Its title."""
    kind: str
    """How it is shown: text, plain, code, table, pages, cells, turns or cards; `file` for one that is not read."""
    html: str
    """Its text as HTML, without secrets; `data-line` has the lines of each block."""
    first_line: int
    """The first line in the HTML: the one after the front matter, unless a part of a long note is shown."""
    last_line: int
    """The last line in the HTML."""
    lines_above: int
    """How many lines above the first one are left out, since the note is long."""
    lines_below: int
    """How many lines below the last one are left out."""
    outline: tuple[Heading, ...]
    """Its headings, or the parts of a format without headings."""
    properties: Mapping[str, str]
    """The properties of its front matter."""
    tags: tuple[str, ...]
    """Its tags."""
    date: str
    """Its day; empty if it is unknown."""
    uri: str
    """A link that opens it: `obsidian://` in an Obsidian vault, `file://` elsewhere."""
    line: int
    """The first line that was asked for; 0 for none."""
    end_line: int
    """The last line that was asked for; 0 for none."""
    problem: str
    """Why the file, its properties, or the lines or part that was asked for are not shown; empty if they are."""
    backlinks: tuple[Backlink, ...]
    """Links of other notes that lead here, with their sentences; at most 50."""
    backlink_count: int
    """How many such links there are."""
    notices: tuple[Notice, ...] = ()
    """What the user should know."""


def note_page(vault: Vault, note: str) -> NotePage:
    """Return a note as the page shows it, with the lines or the part that was asked for marked."""
    try:
        asked = _asked(vault, note)
    except NoteError:
        if unread := find_unread(vault, note):
            return _of_unread(vault, *unread)
        raise
    read = read_note(vault.root, asked.path, vault.settings.index)
    marked, problem = _marked(read, asked)
    lines = read.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    uri_of = Addresses.of(vault.root)
    shown = _window(read, lines, marked.line if marked else 0, breaks=uri_of.opener == "obsidian")
    flaw, front = _unread_front_matter(read, lines) if shown.first == _body_line(read, lines) else ("", "")
    with _resolved(vault, asked.path) as (snapshot, resolving):
        html, outline, kind = _rendered(vault, shown, resolving, front)
        links = resolving.backlinks(asked.path)
        chunks = list(snapshot.chunks(snapshot.chunks_of(asked.path)[:1]).values())
        first = chunks[0] if chunks else Chunk(asked.path, "", 1, 1, title=_name(asked.path))
        facts = snapshot.notes([asked.path])[asked.path]
        backlinks = backlinks_of(snapshot, links)
    return NotePage(
        path=asked.path,
        title=visible_line(first.title),
        kind=kind,
        html=html,
        first_line=shown.first,
        last_line=shown.last,
        lines_above=shown.first - _body_line(read, lines),
        lines_below=len(lines) - max(shown.last, 0),
        outline=outline,
        properties={escaped(key): escaped(_shown(value)) for key, value in facts.fields.items()},
        tags=first.tags,
        date=facts.day,
        uri=uri_of.of_chunk(replace(first, headings=())),
        line=marked.line if marked else 0,
        end_line=marked.end_line if marked else 0,
        problem=problem or flaw,
        backlinks=backlinks,
        backlink_count=len(links),
    )


def _of_unread(vault: Vault, path: str, why: str) -> NotePage:
    """Return the page of a file that is no note: its name, where to open it, and why it is not shown."""
    file = Chunk(path, "", 1, 1)
    return NotePage(
        path=path,
        title=visible_line(path.rpartition("/")[2]),
        kind="file",
        html="",
        first_line=1,
        last_line=0,
        lines_above=0,
        lines_below=0,
        outline=(),
        properties={},
        tags=(),
        date="",
        uri=Addresses.of(vault.root).of_chunk(file),
        line=0,
        end_line=0,
        problem=why,
        backlinks=(),
        backlink_count=0,
    )


def _asked(vault: Vault, note: str) -> Place:
    """Return the place that was asked for; a note that has no such lines or part is still found."""
    try:
        return find_place(vault.root, vault.find(note))
    except NoteError:
        for path, part in split_part(note):
            with suppress(NoteError):
                return Place(vault.find(path), part=part)
        if lines := lines_of(note):
            with suppress(NoteError):
                return Place(vault.find(before_lines(note)), *lines)
        raise


def _marked(note: Note, asked: Place) -> tuple[Reading | None, str]:
    """Return the lines that were asked for, or why there are none; a note by itself marks nothing."""
    if asked == Place(asked.path):
        return None, ""
    try:
        return lines_at(note, asked), ""
    except NoteError as error:
        return None, error.fact


def _body_line(note: Note, lines: Sequence[str]) -> int:
    """Return the first line after the front matter."""
    body = split_front_matter(note.text)[1] if layout_of(note)[0] == "text" else 0
    return note.text.count("\n", 0, body) + 1 if body < len(note.text) else len(lines) + 1


def _unread_front_matter(note: Note, lines: Sequence[str]) -> tuple[str, str]:
    """Return why the properties of a note cannot be read, and as HTML what is written there; both empty if they can."""
    warnings = split_front_matter(note.text)[2] if layout_of(note)[0] == "text" else ()
    if not warnings:
        return "", ""
    written = "\n".join(lines[1 : _body_line(note, lines) - 2])[:MOST_FRONT]
    return f"{warnings[0][0].upper()}{warnings[0][1:]}", code(written, 2, kind="numbered")


def _window(note: Note, lines: Sequence[str], line: int, *, breaks: bool) -> Shown:
    """Return the lines to show: all without front matter; of a long note, as many as fit, with the line asked for."""
    first = _body_line(note, lines)
    last = _last_that_fits(lines, first)
    if line > last:
        first = max(first, line - ABOVE)
        last = _last_that_fits(lines, first)
    # One line may be longer than all that is shown.
    return Shown(note, [one[:MOST_SHOWN] for one in lines[first - 1 : last]], first, breaks)


def _last_that_fits(lines: Sequence[str], first: int) -> int:
    room = MOST_SHOWN
    for number in range(first, len(lines) + 1):
        room -= len(lines[number - 1]) + 1
        if room < 0:
            return max(first, number - 1)
    return len(lines)


@contextmanager
def _resolved(vault: Vault, path: str) -> Iterator[tuple[Snapshot, Resolving]]:
    """Read one state of the store in which the links of a note are resolved, if they can be."""
    with vault.shown.answering() as snapshot:
        resolving = Resolving(vault, snapshot)
        if resolving.is_resolved(path):
            yield snapshot, resolving
            return
    vault.links(path)
    with vault.shown.answering() as snapshot:
        yield snapshot, Resolving(vault, snapshot)


def _rendered(vault: Vault, shown: Shown, resolving: Resolving, above: str) -> tuple[str, tuple[Heading, ...], str]:
    links = NoteLinks(resolving.resolver(shown.note.path))
    links = replace(links, embed=Embeds(vault, resolving, links.made, breaks=shown.breaks).shown)
    kind, layout = layout_of(shown.note)
    html, outline = layout(shown, links)
    named = tuple(replace(heading, text=visible_line(heading.text)) for heading in outline)
    # The one gate for all formats, whatever a layout did.
    return sanitised(above + html, links.judge), named, kind


def _name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _shown(value: Any) -> str:
    """Return the value of a property as a line of text.

    >>> _shown(["[[Bees|hive]]", 3]), _shown({"a": None}), _shown(True)
    ('hive, 3', 'a: ', 'yes')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(part)}" for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else WIKI.sub(label_in, str(value))

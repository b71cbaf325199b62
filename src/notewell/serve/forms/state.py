"""The forms of everything else: lines of a note, how a vault stands, and what became of a run or of a memory."""

from __future__ import annotations

from notewell.serve.forms.form import Form


class Reading(Form):
    """Lines of a note."""

    path: str
    """The note, from the vault's root."""
    line: int
    """The first line."""
    end_line: int
    """The last line."""
    text: str
    """The lines, without secrets."""
    place: str
    """The page, slide or other part they are in, if the note has such."""


class Reason(Form):
    """Why something happened to a file."""

    path: str
    """The file, from the vault's root."""
    reason: str
    """Why."""


class Filling(Form):
    """How far the better model is."""

    encoder: str
    """Its name; empty for none."""
    filled: int
    """Chunks it has read."""
    unread: int
    """Chunks it does not read."""
    left: int
    """Chunks it has still to read."""
    under_way: bool
    """Whether it is reading now."""
    problem: str
    """Why it cannot be used."""


class Status(Form):
    """What is indexed, and what is not."""

    vault: str
    """The vault's folder."""
    store: str
    """The store's file."""
    notes: int
    """Notes."""
    chunks: int
    """Chunks."""
    links: int
    """Links."""
    embedder: str
    """What made the vectors."""
    filling: Filling
    """What the better model has read."""
    generation: int
    """The state of the store; it grows with every change."""
    indexed_at: str | None
    """When the last change was taken in."""
    stale: int
    """Files that changed since."""
    store_bytes: int
    """The store's size."""
    skipped: list[Reason]
    """Files that were not read."""
    others: dict[str, int]
    """Files of other formats, by suffix."""


class Report(Form):
    """What a run of indexing did."""

    notes: int
    """Notes now."""
    chunks: int
    """Chunks now."""
    added: int
    """New notes."""
    changed: int
    """Notes read again."""
    removed: int
    """Notes that are gone."""
    unchanged: bool
    """Whether there was nothing to take in."""
    skipped: list[Reason]
    """Files that were not read."""
    redacted: int
    """Secrets taken out."""
    seconds: float
    """How long it took."""
    warnings: list[Reason]
    """Files that were read with some trouble."""
    interrupted: bool
    """Whether it was stopped before its end."""


class Progress(Form):
    """How far a run of indexing is."""

    done: int
    """Files done."""
    total: int
    """Files to do."""


class Near(Form):
    """A place that says nearly the same."""

    path: str
    """The note, from the vault's root."""
    line: int
    """Its line."""
    title: str
    """The note's title."""
    similarity: float
    """How nearly: 1 is word for word."""
    text: str
    """What it says, without secrets."""


class Remembered(Form):
    """What became of a text to remember."""

    path: str | None
    """The note that was written; none, if none was."""
    written: bool
    """Whether one was."""
    near: list[Near]
    """What says nearly the same."""
    redacted: int
    """Secrets taken out."""
    notices: list[str]
    """What the user should know."""


class Forgotten(Form):
    """What became of a memory."""

    path: str
    """Where it was."""
    trash: str
    """Where it lies now."""
    notices: list[str]
    """What the user should know."""


class Failure(Form):
    """Why there is no answer."""

    error: str
    """What is wrong."""
    hint: str
    """What to do."""


class Health(Form):
    """That the server is there."""

    ok: bool
    """Always true."""
    version: str
    """Which Notewell it is."""

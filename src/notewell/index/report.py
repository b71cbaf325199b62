"""Reports on a vault: the progress and result of a run, the state of the store, and its health."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from notewell.frozen import frozen
from notewell.index.prepare import Outcome
from notewell.store import About
from notewell.types.notices import Notice
from notewell.types.results import PYTHON_ONLY

# What is done after the last note.
Stage = Literal["links", "standings", "check", "answers"]


@frozen
class Progress:
    """Functions that a run calls: to report its progress, and to ask whether to stop."""

    tell: Callable[[int, int], None] = lambda done, total: None
    """Called for each note, with how many are done and how many there are."""
    stop: Callable[[], bool] = lambda: False
    """Asked after each note whether the run should stop there."""
    stage: Callable[[Stage], None] = lambda stage: None
    """Called after the last note, before each step that has no numbers."""


# Tells nobody, and never stops.
QUIET = Progress()


@frozen
class EncoderProgress:
    """How many chunks the encoder has encoded, and how many are left."""

    encoder: str = ""
    """The encoder; empty for none."""
    filled: int = 0
    """How many chunks it has encoded."""
    unread: int = 0
    """How many chunks are in a language it does not know."""
    left: int = 0
    """How many chunks it has yet to encode."""
    under_way: bool = False
    """Whether a process is encoding them now."""
    problem: str = ""
    """Why the encoder cannot be used."""

    @property
    def done(self) -> int:
        """Return how many chunks are done: encoded, or skipped because of their language."""
        return self.filled + self.unread

    @property
    def total(self) -> int:
        """Return how many chunks there are, each text once."""
        return self.done + self.left


@frozen
class Reason:
    """A file, and what happened to it."""

    path: str
    """The file."""
    reason: str
    """What happened to it."""


def reasons_of(by_path: Mapping[str, str]) -> tuple[Reason, ...]:
    """Return reasons that are given by path."""
    return tuple(Reason(path, reason) for path, reason in by_path.items())


@frozen
class Redaction:
    """A secret that was redacted in a note."""

    path: str
    """The note."""
    line: int
    """The line."""
    rule: str
    """The rule that found it."""


@frozen
class Report:
    """What an indexing run did."""

    notes: int
    """How many notes are indexed now."""
    chunks: int
    """How many chunks they have."""
    added: int
    """How many notes were added."""
    changed: int
    """How many notes were changed."""
    removed: int
    """How many notes were removed."""
    unchanged: bool
    """Whether there was nothing to do."""
    skipped: tuple[Reason, ...]
    """Files that could not be read."""
    redacted: int
    """How many secrets were redacted."""
    seconds: float
    """How long it took."""
    warnings: tuple[Reason, ...]
    """Files that were read with a problem."""
    interrupted: bool
    """Whether it was stopped before its end."""
    total: int = field(default=0, metadata=PYTHON_ONLY)
    """How many files there were to read."""
    done: int = field(default=0, metadata=PYTHON_ONLY)
    """How many files were read."""
    touched: int = field(default=0, metadata=PYTHON_ONLY)
    """How many files have a new date and the same content."""
    redactions: tuple[Redaction, ...] = field(default=(), metadata=PYTHON_ONLY)
    """Where the secrets were."""
    notices: tuple[Notice, ...] = ()
    """What the user should know, such as why the store was rebuilt."""


@dataclass(slots=True)
class Tally:
    """The counts of a run while it goes on."""

    began: float
    done: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    redactions: list[Redaction] = field(default_factory=list)
    warnings: list[Reason] = field(default_factory=list)
    interrupted: bool = False

    def add(self, outcome: Outcome, *, is_new: bool) -> None:
        """Count one file."""
        self.done += 1
        note = outcome.note
        if note is None:
            # A note whose file can no longer be read leaves the store.
            self.removed += not is_new
            return
        if outcome.same:
            self.touched += 1
            return
        self.added += is_new
        self.changed += not is_new
        self.redactions += [Redaction(outcome.path, found.line, found.rule) for found in note.redactions]
        if note.warnings:
            self.warnings.append(Reason(outcome.path, "; ".join(note.warnings)))

    def report(self, about: About, *, total: int) -> Report:
        """Return what the run did to a store, of `total` files to read."""
        return Report(
            notes=about.notes,
            chunks=about.chunks,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
            unchanged=not (self.added or self.changed or self.removed or self.interrupted),
            skipped=reasons_of(about.skipped),
            redacted=len(self.redactions),
            seconds=round(time.perf_counter() - self.began, 3),
            warnings=tuple(self.warnings),
            interrupted=self.interrupted,
            total=total,
            done=self.done,
            touched=self.touched,
            redactions=tuple(self.redactions),
        )


# The most used tags that a status names.
TOP_TAGS = 8


@frozen
class Status:
    """The state of the store, compared with the folder."""

    vault: str
    """The vault's folder."""
    store: str
    """The store's file, or the server and the vault's name there."""
    notes: int
    """How many notes are indexed."""
    chunks: int
    """How many chunks they have."""
    links: int
    """How many links they have."""
    tags: int
    """How many tags they have."""
    top_tags: Mapping[str, int]
    """The tags that most notes have, with the number of notes."""
    embedder: str
    """The embedder whose vectors are stored."""
    filling: EncoderProgress
    """The encoder's progress."""
    generation: int
    """A number that grows with every change of the store."""
    indexed_at: str | None
    """When the vault was last indexed; none if never."""
    stale: int
    """How many files changed since."""
    store_bytes: int
    """How large the store is."""
    skipped: tuple[Reason, ...]
    """Files that could not be read."""
    others: Mapping[str, int]
    """How many files are in unsupported formats, by suffix."""
    domains: Mapping[str, int] = field(default_factory=dict)
    """How many notes each domain has; none for a vault without domains."""
    notices: tuple[Notice, ...] = ()
    """What is missing from the store now: the notes of a node that cannot be reached, or what a replica lacks."""

    @classmethod
    def of(cls, root: Path, store: str, about: About) -> Status:
        """Return the state of a store from its own figures; those that need the folder are empty."""
        return cls(
            vault=str(root),
            store=store,
            notes=about.notes,
            chunks=about.chunks,
            links=about.links,
            tags=len(about.tags),
            top_tags=dict(list(about.tags.items())[:TOP_TAGS]),
            embedder=about.embedder,
            filling=EncoderProgress(),
            generation=about.generation,
            indexed_at=about.indexed_at or None,
            stale=0,
            store_bytes=about.bytes,
            skipped=reasons_of(about.skipped),
            others={},
        )


@frozen
class Diagnosis:
    """The health of a store."""

    problems: tuple[str, ...]
    """What is wrong with it, one sentence each."""
    repaired: bool
    """Whether it was rebuilt because of that."""

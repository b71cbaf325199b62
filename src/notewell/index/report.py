"""What is told of a vault: while a run goes on, when it is done, and how the store stands and is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from notewell.index.changes import Changes
from notewell.index.prepare import Outcome
from notewell.store import About, Filling, Writer


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run tells while it goes on, and how it is told to stop after the note at hand."""

    tell: Callable[[int, int], None] = lambda done, total: None
    stop: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Report:
    """What a run did."""

    total: int = 0
    done: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    redacted: list[tuple[str, int, str]] = field(default_factory=list)
    warned: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """How the store stands against the folder."""

    root: Path
    store: Path
    about: About
    stale: int
    filling: Filling = Filling()
    others: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a store, a sentence each, and whether it was made anew for that."""

    problems: tuple[str, ...]
    repaired: bool


def keep(outcome: Outcome, writer: Writer, changes: Changes, report: Report) -> None:
    """Store one outcome, and count it."""
    path, note = outcome.found.path, outcome.note
    report.done += 1
    if note is None:
        writer.skip(path, outcome.found.stamp, outcome.reason, outcome.again)
        return
    if outcome.same:
        writer.touch(path, note.stamp)
        report.touched += 1
        return
    writer.put(note, outcome.chunks, outcome.vectors)
    if path in changes.known:
        report.changed += 1
    else:
        report.added += 1
    report.redacted += [(path, redaction.line, redaction.rule) for redaction in note.redactions]
    if note.warnings:
        report.warned[path] = "; ".join(note.warnings)


def forget(writer: Writer, changes: Changes, report: Report) -> None:
    """Remove the notes that are gone, and count them."""
    for path in changes.gone:
        writer.remove(path)
        report.removed += path in changes.known

"""Reports on a vault: the progress and result of a run, the state of the store, and its health."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from notewell.index.prepare import Outcome
from notewell.store import About


@dataclass(frozen=True, slots=True)
class Progress:
    """How a run reports its progress, and how it is told to stop after the current note."""

    tell: Callable[[int, int], None] = lambda done, total: None
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Filling:
    """How far an encoder is: chunks with a vector, texts it cannot read, those left, and whether a process is at it."""

    encoder: str = ""
    filled: int = 0
    unread: int = 0
    left: int = 0
    under_way: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did."""

    total: int = 0
    done: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    redacted: tuple[tuple[str, int, str], ...] = ()
    warned: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


@dataclass(slots=True)
class Tally:
    """The counts of a run while it goes on."""

    began: float
    done: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0
    redacted: list[tuple[str, int, str]] = field(default_factory=list)
    warned: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    def add(self, outcome: Outcome, *, is_new: bool) -> None:
        """Count one file."""
        self.done += 1
        note = outcome.note
        if note is None:
            return
        if outcome.same:
            self.touched += 1
            return
        self.added += is_new
        self.changed += not is_new
        self.redacted += [(outcome.path, redaction.line, redaction.rule) for redaction in note.redactions]
        if note.warnings:
            self.warned[outcome.path] = "; ".join(note.warnings)

    def report(self, *, total: int) -> Report:
        """Return what the run did, of `total` files to read."""
        return Report(
            total=total,
            done=self.done,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
            touched=self.touched,
            redacted=tuple(self.redacted),
            warned=self.warned,
            interrupted=self.interrupted,
            seconds=time.perf_counter() - self.began,
        )


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the store compared with the folder."""

    root: Path
    store: Path
    about: About
    stale: int
    filling: Filling = Filling()
    others: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a store, one sentence each, and whether it was rebuilt because of that."""

    problems: tuple[str, ...]
    repaired: bool

"""The log of intake: every decision with its reasons, what became of it, and the signals that wait in the queue."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from notewell.curate.scoring import DIMENSIONS, Score, Scores
from notewell.curate.signals import Signal
from notewell.errors import CurateError
from notewell.files.safe_open import open_plain, read_plain
from notewell.files.user import private_folder, write_private
from notewell.frozen import frozen

Verdict = Literal["added", "queued", "dropped", "duplicate"]
Later = Literal["", "accepted", "rejected", "undone"]
LOG, PENDING, UNDOING, HELD = "intake.jsonl", "intake-pending.json", "intake-undoing.json", "held"
# How many signals keep their text, so that they can be taken back: the newest ones, and all that wait in the queue.
MOST_HELD = 2_000


@frozen
class Decision:
    """The decision on a signal, with its reasons."""

    id: str
    """What identifies the signal."""
    at: str
    """When it was decided."""
    verdict: Verdict
    """Whether it was added, queued, dropped, or a duplicate."""
    total: float
    """Its score, from 0 to 1."""
    title: str
    """Its title."""
    url: str
    """Its address; empty if it has none."""
    source: str
    """The feed, mailbox or file that it came from."""
    path: str
    """The note that it became, or would become."""
    why: str
    """The reason of the verdict, and of the folder."""
    scores: Scores
    """Its four scores, each with its reasons."""
    later: Later = ""
    """What you did with it since: accepted or rejected in the queue, or undone."""

    @property
    def waits(self) -> bool:
        """Tell whether it waits in the review queue."""
        return self.verdict == "queued" and not self.later


class IntakeLog:
    """The decisions of one vault, in a private file that only grows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def decisions(self) -> dict[str, Decision]:
        """Return the last decision on each signal, in the order in which they were made."""
        found: dict[str, Decision] = {}
        for line in self._lines():
            # A killed process may leave half a line.
            with suppress(ValueError, LookupError, TypeError):
                data = json.loads(line)
                if "later" in data and data["id"] in found:
                    known = found[data["id"]]
                    found[known.id] = replace(known, later=data["later"], path=data.get("path", known.path))
                elif "verdict" in data:
                    found.pop(data["id"], None)
                    found[data["id"]] = decision_of(data)
        return found

    def _lines(self) -> list[bytes]:
        try:
            return read_plain(self._folder / LOG).split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CurateError(f"{self._folder / LOG} cannot be read: {error.strerror}", "Check the file") from error

    def add(self, decisions: Iterable[Decision]) -> None:
        """Write decisions."""
        self._append(data_of(one) for one in decisions)

    def mark(self, ids: Iterable[str], later: Later, paths: Mapping[str, str] | None = None) -> None:
        """Write what became of signals, and in which notes if a person gave them other paths."""
        where = {key: {"path": path} for key, path in (paths or {}).items()}
        self._append({"id": key, "later": later, "at": timestamp(), **where.get(key, {})} for key in ids)

    def _append(self, every: Iterable[Mapping[str, Any]]) -> None:
        lines = "".join(f"{json.dumps(data, ensure_ascii=False)}\n" for data in every)
        if not lines:
            return
        try:
            private_folder(self._folder)
            descriptor = open_plain(self._folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            with os.fdopen(descriptor, "r+b") as stream:
                end = stream.seek(0, os.SEEK_END)
                # After half a line, which a killed process left.
                stream.seek(max(0, end - 1))
                broken = end and stream.read(1) != b"\n"
                stream.write((b"\n" if broken else b"") + lines.encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise CurateError(f"{self._folder / LOG} cannot be written: {error.strerror}", "Check the disk") from error

    def _write(self, name: str, data: object) -> None:
        try:
            write_private(self._folder / name, json.dumps(data).encode())
        except OSError as error:
            raise CurateError(f"{self._folder / name} cannot be written: {error.strerror}", "Check the disk") from error

    def expect(self, decisions: Iterable[Decision]) -> None:
        """Keep decisions until their notes are written; `settle` writes them into the log."""
        self._write(PENDING, [data_of(one) for one in decisions])

    def settle(self, is_done: bool) -> None:
        """Write the decisions that were kept into the log, if their notes were written; else forget them."""
        file = self._folder / PENDING
        with suppress(FileNotFoundError, ValueError, LookupError, TypeError):
            kept = [decision_of(data) for data in json.loads(read_plain(file))]
            logged = self.decisions()
            if is_done:
                self.add(one for one in kept if logged.get(one.id) != one)
        file.unlink(missing_ok=True)

    def pending(self) -> list[Decision]:
        """Return the decisions that a killed process kept."""
        with suppress(OSError, ValueError, LookupError, TypeError):
            return [decision_of(data) for data in json.loads(read_plain(self._folder / PENDING))]
        return []

    @contextmanager
    def undoing(self, ids: Sequence[str], later: Later) -> Iterator[None]:
        """Mark signals once their notes are gone; if that fails, do not. `settle_undo` makes up for a kill."""
        self._write(UNDOING, {"ids": list(ids), "later": later})
        try:
            yield
            self.mark(ids, later)
        finally:
            (self._folder / UNDOING).unlink(missing_ok=True)

    def settle_undo(self, is_gone: Callable[[str], bool]) -> None:
        """Mark the signals whose notes a killed process removed."""
        with suppress(OSError, ValueError, LookupError, TypeError):
            data = json.loads(read_plain(self._folder / UNDOING))
            known = self.decisions()
            gone = [key for key in data["ids"] if key in known and is_gone(known[key].path)]
            self.mark(gone, data["later"])
        (self._folder / UNDOING).unlink(missing_ok=True)

    def hold(self, signals: Iterable[Signal]) -> None:
        """Keep the texts of signals that wait in the queue, or were dropped; old ones make room."""
        for signal in signals:
            self._write(f"{HELD}/{signal.id}.json", asdict(signal))
        files = [*(self._folder / HELD).glob("*.json")]
        if len(files) > MOST_HELD:
            waiting = {one.id for one in self.decisions().values() if one.waits}
            oldest = sorted(files, key=lambda file: file.stat().st_mtime_ns)[:-MOST_HELD]
            for file in oldest:
                if file.stem not in waiting:
                    file.unlink(missing_ok=True)

    def held(self, key: str) -> Signal | None:
        """Return a signal that waits; None if it does not, or waits on another machine."""
        with suppress(OSError, ValueError, TypeError):
            return Signal(**json.loads(read_plain(self._folder / HELD / f"{key}.json")))
        return None


def timestamp() -> str:
    """Return the present time, as the log has it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def data_of(one: Decision) -> dict[str, Any]:
    """Return a decision as JSON has it."""
    data = asdict(one)
    del data["later"]
    return data


def decision_of(data: Mapping[str, Any]) -> Decision:
    """Return the decision in a line of the log."""
    scores = Scores(**{name: Score(**data["scores"][name]) for name in DIMENSIONS})
    return Decision(**{**data, "scores": scores})

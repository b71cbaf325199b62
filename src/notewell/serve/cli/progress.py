"""Progress on stderr, and Ctrl-C that stops a run cleanly."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from notewell.index import Progress, Stage
from notewell.serve.say import is_unheard, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

# What a run does after the last note.
STAGES: dict[Stage, str] = {"links": "Resolving links", "standings": "Ranking notes by their links"}


@dataclass(frozen=True, slots=True)
class Quiet:
    """A run with fewer notes shows no progress until it has taken this many seconds."""

    notes: int = 500
    seconds: float = 2.0

    def is_over(self, total: int, began: float) -> bool:
        """Tell whether a run of `total` notes that started at `began` is long enough to show."""
        return total >= self.notes or time.monotonic() - began >= self.seconds


QUIET = Quiet()


@contextmanager
def progress_shown(
    doing: str = "Indexing", line: str = "indexed {:,} of {:,} notes", quiet: Quiet = QUIET
) -> Iterator[Progress]:
    """Show a bar on a terminal and plain lines elsewhere.

    Ctrl-C stops the run after the current note, and so does a reader that closes both stdout and stderr.
    """
    stopping: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if stopping:
            raise KeyboardInterrupt
        stopping.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield Progress()
        return
    before = signal.signal(signal.SIGINT, stop)
    shown = _Bar(doing, quiet) if sys.stderr.isatty() else _Lines(line, quiet)
    try:
        yield Progress(shown.tell, lambda: bool(stopping) or is_unheard(), shown.stage)
    finally:
        shown.end()
        signal.signal(signal.SIGINT, before)


class _Lines:
    """Says a line for every tenth of a long run, and one for each stage after the last note."""

    def __init__(self, line: str, quiet: Quiet) -> None:
        self._line = line
        self._quiet = quiet
        self._began = time.monotonic()
        self._tenth = 0

    def tell(self, done: int, total: int) -> None:
        tenth = 10 * done // total
        if tenth > self._tenth and self._quiet.is_over(total, self._began):
            self._tenth = tenth
            say(self._line.format(done, total))

    def stage(self, stage: Stage) -> None:
        if self._tenth:
            say(STAGES[stage][0].lower() + STAGES[stage][1:])

    def end(self) -> None:
        """Do nothing: lines stay."""


class _Bar:
    """A bar for a long run, which ends with the last of its stages."""

    def __init__(self, doing: str, quiet: Quiet) -> None:
        self._doing = doing
        self._quiet = quiet
        self._began = time.monotonic()
        self._bar: Bar | None = None

    def tell(self, done: int, total: int) -> None:
        if self._bar is None and self._quiet.is_over(total, self._began):
            self._bar = _start_bar(self._doing, total)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done)

    def stage(self, stage: Stage) -> None:
        if self._bar is not None:
            self._bar.refresh()
            # How long it takes is not known: the bar moves to and fro, without numbers.
            self._bar.columns = self._bar.columns[:2]
            self._bar.update(self._bar.task_ids[0], description=STAGES[stage], total=None)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _start_bar(doing: str, total: int) -> Bar:
    # It takes 50 ms to load, which only a long run on a terminal is worth.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    name = TextColumn("{task.description}")
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(doing, total=total)
    bar.start()
    return bar

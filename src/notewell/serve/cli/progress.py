"""Progress on stderr, and Ctrl-C that stops a run cleanly."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from notewell.frozen import frozen
from notewell.index import Progress, Stage
from notewell.index.background_run import BackgroundRun
from notewell.serve.say import is_quiet, is_unheard, say
from notewell.serve.width import columns_of

# What a run does after the last note.
STAGES: dict[Stage, str] = {
    "links": "Resolving links",
    "standings": "Ranking notes by their links",
    "check": "Checking the copy",
    "answers": "Comparing answers",
}
# The widest bar, and how often it is drawn again, in seconds.
WIDEST, REDRAW = 40, 0.1
NOTES_DONE = "indexed {:,} of {:,} notes"
# Back to the first column, and delete the line.
ERASE = "\r\x1b[2K"


@frozen
class Quiet:
    """A run with fewer notes shows no progress until it has taken this many seconds."""

    notes: int = 500
    seconds: float = 2.0

    def is_over(self, total: int, began: float) -> bool:
        """Tell whether a run of `total` notes that started at `began` is long enough to show."""
        return total >= self.notes or time.monotonic() - began >= self.seconds


QUIET = Quiet()


@contextmanager
def progress_shown(doing: str = "Indexing", line: str = NOTES_DONE, quiet: Quiet = QUIET) -> Iterator[Progress]:
    """Show a bar on a terminal and plain lines elsewhere.

    The bar is gone when the block ends. Ctrl-C is acknowledged at once and stops the run after the
    current note; a reader that closes both stdout and stderr stops it, too. So does SIGTERM, which then
    ends the process.
    """
    stopping: list[int] = []
    said = not is_quiet()
    erasable = said and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def stop(number: int, frame: FrameType | None) -> None:
        if stopping:
            raise KeyboardInterrupt
        stopping.append(number)
        with suppress(OSError, ValueError):
            # Not through `sys.stderr`: the signal may have come while that was writing.
            os.write(sys.stderr.fileno(), f"{ERASE * erasable}Stopping…\n".encode() if said else b"")

    if threading.current_thread() is not threading.main_thread():
        yield Progress()
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    shown = _Bar(doing, quiet) if erasable else _Lines(line, quiet)
    try:
        yield Progress(shown.tell, lambda: bool(stopping) or is_unheard(), shown.stage)
    finally:
        shown.end()
        for number, handler in before.items():
            signal.signal(number, handler)
        if signal.SIGTERM in stopping:
            signal.raise_signal(signal.SIGTERM)


def follow(run: BackgroundRun) -> None:
    """Say a line for every tenth of a long background run, until it is over."""
    shown = _Lines(NOTES_DONE, Quiet(seconds=math.inf))
    while not run.is_over:
        run.join(REDRAW)
        if run.progress[1]:
            shown.tell(*run.progress)


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
    """A bar for a long run: one line, drawn over and over, which is gone in the end."""

    def __init__(self, doing: str, quiet: Quiet) -> None:
        self._doing = doing
        self._quiet = quiet
        self._began = time.monotonic()
        self._drawn = 0.0

    def tell(self, done: int, total: int) -> None:
        now = time.monotonic()
        is_due = done == total or now - self._drawn >= REDRAW
        if is_due and self._quiet.is_over(total, self._began):
            # After a few notes of many, the time left would be a wild guess.
            seconds = (now - self._began) * (total - done) / done if done * 100 >= total else None
            self._draw(bar_line(self._doing, done, total, seconds, columns=columns_of(sys.stderr)))

    def stage(self, stage: Stage) -> None:
        if self._drawn:
            # How long it takes is not known.
            self._draw(f"{STAGES[stage]} …")

    def end(self) -> None:
        if self._drawn:
            self._draw("")

    def _draw(self, line: str) -> None:
        self._drawn = time.monotonic()
        with suppress(OSError):
            sys.stderr.write(ERASE + line)
            sys.stderr.flush()


def bar_line(doing: str, done: int, total: int, seconds: float | None, *, columns: int) -> str:
    """Return a bar with its numbers and the time left if it is known, as wide as the window allows; `^C` fits behind.

    >>> bar_line("Indexing", 1200, 4800, 65.2, columns=80)
    'Indexing ━━━━━━━━━━────────────────────────────── 1,200 of 4,800, 1:05 left'
    """
    minutes, rest = divmod(int(seconds or 0), 60)
    numbers = f"{done:,} of {total:,}{'' if seconds is None else f', {minutes}:{rest:02} left'}"
    width = max(0, min(WIDEST, columns - len(doing) - len(numbers) - 5))
    full = width * done // total
    return f"{doing} {'━' * full}{'─' * (width - full)} {numbers}"[: columns - 3]

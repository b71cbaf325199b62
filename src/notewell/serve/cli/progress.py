"""Progress on stderr, and Ctrl-C that stops a run cleanly."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from notewell.index import Progress
from notewell.serve.say import is_unheard, say

# A run with fewer notes shows no progress until it has taken this many seconds.
QUIET_NOTES = 500
QUIET_SECONDS = 2.0


@contextmanager
def progress_shown(doing: str = "Indexing", line: str = "indexed {:,} of {:,} notes") -> Iterator[Progress]:
    """Show a bar on a terminal and plain lines elsewhere; Ctrl-C stops after the current note.

    So does the end of whatever reads both stdout and stderr.
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
    try:
        with _bar(doing) if sys.stderr.isatty() else _lines(line) as tell:
            yield Progress(tell, lambda: bool(stopping) or is_unheard())
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    bars: list[Callable[[int, int], None]] = []
    ends: list[Callable[[], None]] = []
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        if not bars and _is_long(total, began):
            show, end = _start_bar(doing, total)
            bars.append(show)
            ends.append(end)
        for show in bars:
            show(done, total)

    try:
        yield tell
    finally:
        for end in ends:
            end()


def _start_bar(doing: str, total: int) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    # It takes 50 ms to load, which only a long run on a terminal is worth.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("notes", total=total)
    bar.start()
    return lambda done, _: bar.update(task, completed=done), bar.stop


@contextmanager
def _lines(line: str) -> Iterator[Callable[[int, int], None]]:
    shown = [0]
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        tenth = 10 * done // total
        if tenth > shown[0] and _is_long(total, began):
            shown[0] = tenth
            say(line.format(done, total))

    yield tell


def _is_long(total: int, began: float) -> bool:
    return total >= QUIET_NOTES or time.monotonic() - began >= QUIET_SECONDS

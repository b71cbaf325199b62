"""Changes of a folder as they happen, gathered while they come in bursts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Self

from watchfiles import watch as watch_files
from watchfiles._rust_notify import RustNotify

from notewell.files.safe_open import ALWAYS_EXCLUDED
from notewell.index.readers.formats import BY_SUFFIX

# A burst (a save by rename, a checkout) is one change: it ends when nothing happened for the pause, in milliseconds.
PAUSE = 50
# It is cut off after this, however long it goes on, so that a saved note is searchable within a second.
LONGEST_BURST = 400
# How often to look whether the folder itself is still there, in milliseconds.
ROUND = 500
# How long to wait for the news of a mark, in milliseconds; it takes two.
UNTIL_MARK = 60


def watch(root: Path, stop: Event) -> Iterator[None]:
    """Yield at once, then whenever something below the folder changed; also when it went away and came back."""
    while not stop.is_set():
        seen = _identity(root)
        if seen is None:
            stop.wait(ROUND / 1000)
            continue
        yield
        changes = watch_files(
            root,
            watch_filter=lambda _, path: _matters(root, path),
            debounce=LONGEST_BURST,
            step=PAUSE,
            stop_event=stop,
            rust_timeout=ROUND,
            yield_on_timeout=True,
            raise_interrupt=False,
        )
        begun = False
        for burst in changes:
            if _identity(root) != seen:
                # Another folder under the same name: a drive that was taken out and put in.
                break
            # The first round is for what changed before the watch had begun.
            if burst or not begun:
                yield
            begun = True


class Watched:
    """A folder that is watched, and asked now and then whether something below it changed.

    To be sure that nothing is still on its way, a mark is made in a second folder: the system tells of changes in the
    order in which they were made, so that what was changed before the mark is known when the mark is.
    """

    def __init__(self, root: Path, marks: Path) -> None:
        """Begin; OSError, where a folder cannot be watched."""
        self._root = root
        # As the system names them, which knows no links.
        self._real, self._marks = Path(os.path.realpath(root)), Path(os.path.realpath(marks))
        self._identity = _identity(root)
        self._changed = True
        self._made = 0
        # Told to ignore folders that may not be read, it would ignore, too, that the system watches no more of them.
        self._events = RustNotify([str(self._real), str(self._marks)], False, False, 0, True, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def in_place(self) -> bool:
        """Tell whether the folder is still the one that is watched."""
        return self._identity is not None and _identity(self._root) == self._identity

    def changed(self) -> bool:
        """Tell whether something changed since this was last asked, or may have."""
        # Each has its own name: the news of an older one may be late.
        self._made += 1
        mark = self._marks / f"{os.getpid()}-{id(self)}-{self._made}.mark"
        try:
            mark.touch(mode=0o600)
            heard = self._heard_of(str(mark))
            mark.unlink()
        except OSError:
            heard = False
        before, self._changed = self._changed or not heard, False
        return before

    def gather(self) -> None:
        """Take down what was told until now, so that it does not pile up."""
        self._changed = self.changed()

    def close(self) -> None:
        """End the watch."""
        self._events.close()

    def _heard_of(self, mark: str) -> bool:
        while not isinstance(told := self._events.watch(0, 1, UNTIL_MARK, None), str):
            paths = {path for _, path in told}
            self._changed |= any(_lies_below(self._real, path) for path in paths)
            if mark in paths:
                return True
        return False


def _lies_below(root: Path, path: str) -> bool:
    """Tell whether a path may be one of a note, or of a folder; of what is gone nobody knows which it was."""
    return Path(path).is_relative_to(root) and not ALWAYS_EXCLUDED.intersection(Path(path).relative_to(root).parts)


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        stat = root.stat()
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if root.is_dir() else None


def _matters(root: Path, path: str) -> bool:
    """Tell whether a change may be one of a note, or of a folder that may hold some."""
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return False
    suffix = Path(path).suffix.lower()
    return not ALWAYS_EXCLUDED.intersection(parts) and (not suffix or suffix in BY_SUFFIX or Path(path).is_dir())

"""Changes of a folder as they happen, gathered while they come in bursts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

from watchfiles import watch as watch_files

from notewell.index.readers.formats import BY_SUFFIX
from notewell.index.walk import ALWAYS_EXCLUDED

# A burst (a save by rename, a checkout) is one change: it ends when nothing happened for the pause, in milliseconds.
PAUSE = 50
# It is cut off after this, however long it goes on, so that a saved note is searchable within a second.
LONGEST_BURST = 400
# How often to look whether the folder itself is still there, in milliseconds.
ROUND = 500


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

"""Changes of a folder: yielded as they happen, a burst at a time, or asked for now and then."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from notewell.files.formats import BY_SUFFIX
from notewell.files.safe_open import ALWAYS_EXCLUDED, SETTINGS

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from watchfiles._rust_notify import RustNotify

# A burst (a save by rename, a checkout) counts as one change; it ends after a pause of this many milliseconds.
PAUSE = 50
# It is cut off after this time, however long it goes on, so that a saved note is searchable within a second.
LONGEST_BURST = 400
# How often to check whether the folder itself is still there, in milliseconds.
ROUND = 500
# How often to look at a quiet folder anyway, in seconds: watchfiles loses events that come while it hands over others.
LOOK_ANYWAY = 60.0
# How long to wait for the event of a marker file, in milliseconds; it takes two.
UNTIL_MARK = 60


def watch(root: Path, stop: Event, anyway: float = LOOK_ANYWAY) -> Iterator[None]:
    """Yield at once, then whenever something below the folder changed; also after it went away and came back."""
    # Loaded here, because it takes 15 ms.
    from watchfiles import watch as watch_files  # noqa: PLC0415

    while not stop.is_set():
        seen = _identity(root)
        if seen is None:
            stop.wait(ROUND / 1000)
            continue
        yield
        changes = watch_files(
            root,
            # Filtered below: a burst that a filter empties would not arrive at all, not even as the first round.
            watch_filter=None,
            debounce=LONGEST_BURST,
            step=PAUSE,
            stop_event=stop,
            rust_timeout=ROUND,
            yield_on_timeout=True,
            raise_interrupt=False,
        )
        looked = 0.0
        for burst in changes:
            paths = {path for _, path in burst}
            # Another folder under the same name: a drive that was taken out and put in. Or the same one, moved away and
            # back: its events may have ended while it was away.
            if _identity(root) != seen or str(root) in paths:
                break
            # The first round covers changes from before the watch started.
            if not looked or time.monotonic() - looked > anyway or any(matters(root, path) for path in paths):
                looked = time.monotonic()
                yield


class FolderWatch:
    """Tells whether something below a folder changed; until it is started, anything may have.

    To be sure that no event is still on its way, it creates a marker file in a second folder: the system reports events
    in order, so once the marker is reported, every earlier change has been reported too.
    """

    def __init__(self, root: Path, until_mark: int = UNTIL_MARK) -> None:
        self._root = root
        self._until_mark = until_mark
        self._real_root = root
        self._events: RustNotify | None = None
        self._identity: tuple[int, int] | None = None
        self._markers: Path | None = None
        self._own_markers: TemporaryDirectory[str] | None = None
        self._made = 0
        self._changed = True
        # Whether the system refused: too many folders, or a drive that sends no events.
        self.is_refused = False

    def start(self, markers: Path | None = None) -> None:
        """Start to watch, or start again; `markers` is a folder for marker files, by default a temporary one."""
        # Loaded here, because it takes 15 ms.
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415

        self.close()
        self._changed = True
        # As the system reports them, without symbolic links.
        self._real_root = Path(os.path.realpath(self._root))
        self._markers = Path(os.path.realpath(markers or self._temporary_folder()))
        try:
            # With unreadable folders ignored, it would also hide that the system has run out of watches.
            self._events = RustNotify([str(self._real_root), str(self._markers)], False, False, 0, True, False)
            self._identity, self.is_refused = _identity(self._root), False
        except OSError:
            self.is_refused = True

    @property
    def is_on(self) -> bool:
        """Tell whether the folder is watched, and is still the same folder."""
        return self._events is not None and self._identity is not None and _identity(self._root) == self._identity

    def changed(self) -> bool:
        """Tell whether something changed since the last call, or may have."""
        if not self.is_on or self._markers is None:
            return True
        # Each marker has its own name: the event of an older one may be late.
        self._made += 1
        marker = self._markers / f"{os.getpid()}-{id(self)}-{self._made}.mark"
        try:
            marker.touch(mode=0o600)
            reported = self._read_events_until(str(marker))
            marker.unlink()
        except OSError:
            reported = False
        before, self._changed = self._changed or not reported, False
        return before

    def drain(self) -> None:
        """Read the events so far, so that they do not pile up; `changed` still reports them."""
        if self.is_on:
            self._changed = self.changed()

    def close(self) -> None:
        """Stop watching, and clean up."""
        if self._events is not None:
            self._events.close()
            self._events = None
        if self._own_markers is not None:
            self._own_markers.cleanup()
            self._own_markers = None

    def _temporary_folder(self) -> str:
        from tempfile import TemporaryDirectory  # noqa: PLC0415

        self._own_markers = TemporaryDirectory(prefix="notewell-", ignore_cleanup_errors=True)
        return self._own_markers.name

    def _read_events_until(self, marker: str) -> bool:
        while self._events and not isinstance(events := self._events.watch(0, 1, self._until_mark, None), str):
            paths = {path for _, path in events}
            self._changed |= any(_lies_below(self._real_root, path) for path in paths)
            if marker in paths:
                return True
        return False


def _lies_below(root: Path, path: str) -> bool:
    """Tell whether a path below the root may be a note or a folder; for a deleted one it is not known which."""
    return Path(path).is_relative_to(root) and not ALWAYS_EXCLUDED.intersection(Path(path).relative_to(root).parts)


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        stat = root.stat()
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if root.is_dir() else None


def matters(root: Path, path: str) -> bool:
    """Tell whether a changed path may be a note, a folder that may hold notes, or says which files are notes."""
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return False
    if parts == (SETTINGS,):
        return True
    suffix = Path(path).suffix.lower()
    return not ALWAYS_EXCLUDED.intersection(parts) and (not suffix or suffix in BY_SUFFIX or Path(path).is_dir())

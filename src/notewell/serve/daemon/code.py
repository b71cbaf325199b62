"""Whether the code on disk is still what runs: an update is noticed by the next request."""

from __future__ import annotations

import os
import sys

import click

PACKAGE = __name__.partition(".")[0]

Stamp = tuple[int, int]


class RunningCode:
    """The files that this process was loaded from, as they were then."""

    def __init__(self) -> None:
        # Where packages are installed: another extra may change what a command can do.
        self._stamps: dict[str, Stamp | None] = {(folder := _installed()): _stamp(folder)}
        self.note()

    def note(self) -> None:
        """Take down the modules that were loaded since."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and name.partition(".")[0] == PACKAGE and file not in self._stamps:
                self._stamps[file] = _stamp(file)

    @property
    def is_current(self) -> bool:
        """Tell whether every file is as it was."""
        return all(_stamp(file) == stamp for file, stamp in self._stamps.items())


def _installed() -> str:
    return os.path.dirname(os.path.dirname(click.__file__))  # noqa: PTH120


def _stamp(file: str) -> Stamp | None:
    try:
        about = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size

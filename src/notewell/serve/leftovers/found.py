"""Leftovers of Notewell, and the functions that remove them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

from notewell.frozen import frozen

Kind = Literal["connection", "hooks", "completion", "store", "socket", "state", "settings"]
LINK = "it is a link; what it leads to is not ours to delete"
# So many files of others are named; the rest is counted.
NAMED = 3


@frozen
class Leftover:
    """Something that Notewell left behind."""

    kind: Kind
    """What it is."""
    path: str
    """The file or folder; for a connection or hooks, the settings file that names Notewell."""
    bytes: int = 0
    """How much room it takes; 0 for an entry in the settings of another program."""
    kept: str = ""
    """Why it is not removed, or what of it is not; empty if all of it is."""


@frozen
class Found:
    """A leftover, and the function that removes it; None if it is kept."""

    what: Leftover
    remove: Callable[[], None] | None


def kept(kind: Kind, path: Path | str, why: str) -> Found:
    """Return a leftover that is not removed."""
    return Found(Leftover(kind, str(path), 0, why), None)


def ours_in(kind: Kind, folder: Path, names: re.Pattern[str]) -> list[Found]:
    """Return the files in a folder that we made, by their names; files of others stay, and the folder with them."""
    if folder.is_symlink():
        return [kept(kind, folder, LINK)]
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return []
    ours = [file for file in files if names.fullmatch(file.name) and (file.is_symlink() or not file.is_dir())]
    others = [file.name for file in files if file not in ours]
    told = f"{', '.join(others[:NAMED])}{f' and {len(others) - NAMED} more' if len(others) > NAMED else ''}"
    stay = f"it has files that Notewell did not make, which stay: {told}" if others else ""
    if not ours:
        return [kept(kind, folder, stay)] if others else [Found(Leftover(kind, str(folder)), folder.rmdir)]
    return [Found(Leftover(kind, str(folder), sum(map(size_of, ours)), stay), partial(remove_files, folder, ours))]


def size_of(path: Path) -> int:
    """Return how much room a file takes, or all files in a folder."""
    places = [os.path.join(root, name) for root, _, names in os.walk(path) for name in names]  # noqa: PTH118
    sizes = 0
    for place in places or [str(path)]:
        with suppress(OSError):
            sizes += os.lstat(place).st_size
    return sizes


def remove_files(folder: Path, files: Sequence[Path]) -> None:
    """Delete files, and their folder if it is empty then."""
    for file in files:
        file.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()

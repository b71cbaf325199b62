"""What Notewell leaves behind on this machine, and removing it: never a note, and nothing that it did not make."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

from notewell.config.permissions import FOLDER
from notewell.errors import NotewellError
from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import home_folder, user_folder
from notewell.frozen import frozen
from notewell.serve import background
from notewell.serve.cli.completion import HOMES
from notewell.serve.connect import CLIENTS, Connection, connections, this_machine
from notewell.serve.daemon import wire
from notewell.serve.hooks.install import plan_change, settings_files, write_change
from notewell.serve.own_server import OwnServer, server_folder

Kind = Literal["connection", "hooks", "completion", "store", "socket", "state", "settings"]
# A line of the script that a shell completes with.
OF_COMPLETION = "_NOTEWELL_COMPLETE"
# No shell's script is longer.
LONGEST_SCRIPT = 20_000


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
    """Why it is not removed; empty if it is."""


@frozen
class Found:
    """A leftover, and what removes it."""

    what: Leftover
    remove: Callable[[], None]


def find_leftovers(vaults: Iterable[Path], search: Iterable[Path] = ()) -> list[Found]:
    """Return what Notewell left behind, in the order in which it is removed; `search` are folders with stores.

    The state comes late: it says which entries in the settings of others are ours.
    """
    state = background.state()
    found = [*_connections(state), *_hooks(state), *_completion()]
    roots = {*vaults, *(Path(one.vault) for one in connections(this_machine()) if one.vault)}
    places = {root / FOLDER for root in roots} | {place for folder in search for place in _stores_below(folder)}
    found += [_folder("store", place) for place in sorted(places) if place.is_dir() or place.is_symlink()]
    found += _existing("socket", Path(wire.socket_folder()))
    found += [_state(one) for one in _existing("state", state)]
    return found + _existing("settings", user_folder(os.environ, home_folder(os.environ)))


def _connections(state: Path) -> Iterator[Found]:
    for name in CLIENTS:
        connection = Connection(name, this_machine(), state)
        if connection.state().vault:
            yield Found(Leftover("connection", str(connection.file)), partial(_disconnect, connection))


def _disconnect(connection: Connection) -> None:
    change = connection.plan_undo()
    if change.differs:
        connection.write(change, undo=True)


def _hooks(state: Path) -> Iterator[Found]:
    for where in settings_files():
        with suppress(NotewellError):
            change = plan_change(where, {}, state)
            if change.differs:
                yield Found(Leftover("hooks", str(change.file)), partial(write_change, change))


def _completion() -> Iterator[Found]:
    home = home_folder(os.environ)
    named = [path for told in HOMES.values() for path in re.findall(r"~/(\S+)", told)]
    for file in [home / path for path in named]:
        with suppress(OSError):
            # A file of that name may be somebody else's.
            if OF_COMPLETION in read_plain(file, LONGEST_SCRIPT, os.O_RDONLY | NO_LINK).decode("utf-8", "replace"):
                yield Found(Leftover("completion", str(file), file.lstat().st_size), file.unlink)


def _stores_below(folder: Path) -> Iterator[Path]:
    """Yield the folders of stores in and below a folder; links are not followed."""
    for root, names, _ in os.walk(folder):
        if FOLDER in names:
            yield Path(root) / FOLDER
        names[:] = [name for name in names if name != FOLDER]


def _existing(kind: Kind, path: Path) -> list[Found]:
    return [_folder(kind, path)] if path.is_dir() or path.is_symlink() else []


def _folder(kind: Kind, path: Path) -> Found:
    kept = "it is a link; what it leads to is not ours to delete" if path.is_symlink() else ""
    return Found(Leftover(kind, str(path), 0 if kept else _size(path), kept), partial(shutil.rmtree, path))


def _state(found: Found) -> Found:
    """Keep the state if a database server runs in it, whose data is more than a copy."""
    server = OwnServer(server_folder())
    if found.what.kept or not server.exists or Path(found.what.path) not in server_folder().parents:
        return found
    kept = "it has the data of `notewell server`; `notewell server down --delete` deletes that"
    return Found(Leftover("state", found.what.path, found.what.bytes, kept), found.remove)


def _size(folder: Path) -> int:
    sizes = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                sizes += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118
    return sizes

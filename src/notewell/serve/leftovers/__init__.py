"""Finds and removes the files that Notewell leaves on this machine: never a note, and only its own."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from notewell.errors import NotewellError, SettingsError
from notewell.files.safe_open import NO_LINK, read_plain
from notewell.files.user import home_folder, user_folder
from notewell.serve import background
from notewell.serve.cli.completion import HOMES
from notewell.serve.connect import CLIENTS, Connection, connections, this_machine
from notewell.serve.connect.clients import NAME
from notewell.serve.daemon import wire
from notewell.serve.hooks.install import plan_change, settings_files, write_change
from notewell.serve.leftovers.found import LINK, Found, Kind, Leftover, kept, ours_in, size_of
from notewell.serve.leftovers.stores import find_stores
from notewell.serve.own_server import OwnServer, server_folder

__all__ = ["Found", "Leftover", "find_leftovers"]

# A line of the script that a shell completes with.
OF_COMPLETION = "_NOTEWELL_COMPLETE"
# No shell's script is longer.
LONGEST_SCRIPT = 20_000
SERVERS_DATA = "it has the data of `notewell server`; `notewell server down --delete` deletes that"
BY_HAND = f"Notewell cannot edit it; delete its entry '{NAME}' by hand"
# What is in the folder of the user's settings.
OF_SETTINGS = re.compile(r"notewell\.toml|token\.sha256|\.new-[0-9a-f]{16}")


def find_leftovers(vaults: Iterable[Path], search: Iterable[Path] = ()) -> list[Found]:
    """Return the leftovers in the order in which they are removed; `search` are folders with stores.

    The state comes late: it says which entries in the settings of others are ours.
    """
    state, settings = background.state(), user_folder(os.environ, home_folder(os.environ))
    roots = {*vaults, *(Path(one.vault) for one in connections(this_machine()) if one.vault)}
    found = [*_connections(state), *_hooks(state), *_completion(), *find_stores(sorted(roots), search)]
    found += [*_whole("socket", Path(wire.socket_folder()), roots), *_state(state, roots)]
    return [*found, *(ours_in("settings", settings, OF_SETTINGS) if settings.is_dir() else [])]


def _connections(state: Path) -> Iterator[Found]:
    for name in CLIENTS:
        connection = Connection(name, this_machine(), state)
        try:
            if connection.plan_undo().differs:
                yield Found(Leftover("connection", str(connection.file)), partial(_disconnect, connection))
        except SettingsError:
            with suppress(OSError):
                if NAME.encode() in read_plain(connection.file):
                    yield kept("connection", connection.file, connection.state().problem or BY_HAND)


def _disconnect(connection: Connection) -> None:
    change = connection.plan_undo()
    if change.differs:
        connection.write(change, undo=True)


def _hooks(state: Path) -> Iterator[Found]:
    seen: set[Path] = set()
    for where in settings_files():
        with suppress(NotewellError):
            change = plan_change(where, {}, state)
            # In the home, the project's file is the user's.
            if change.differs and change.file not in seen:
                seen.add(change.file)
                yield Found(Leftover("hooks", str(change.file)), partial(write_change, change))


def _completion() -> Iterator[Found]:
    home = home_folder(os.environ)
    named = [path for told in HOMES.values() for path in re.findall(r"~/(\S+)", told)]
    for file in [home / path for path in named]:
        with suppress(OSError):
            # A file of that name may be somebody else's.
            if OF_COMPLETION in read_plain(file, LONGEST_SCRIPT, os.O_RDONLY | NO_LINK).decode("utf-8", "replace"):
                yield Found(Leftover("completion", str(file), file.lstat().st_size), file.unlink)


def _whole(kind: Kind, folder: Path, roots: Iterable[Path]) -> Iterator[Found]:
    """Yield a folder of ours; nobody else has anything in it, unless it is a vault."""
    if folder.is_symlink():
        yield kept(kind, folder, LINK)
    elif any(root.is_relative_to(folder) for root in roots):
        yield kept(kind, folder, "a vault is in it")
    elif folder.is_dir():
        yield Found(Leftover(kind, str(folder), size_of(folder)), partial(shutil.rmtree, folder))


def _state(folder: Path, roots: Iterable[Path]) -> Iterator[Found]:
    """Yield the state, which is kept if a database server runs in it: its data is more than a copy."""
    if OwnServer(server_folder()).exists and folder in server_folder().parents:
        yield kept("state", folder, SERVERS_DATA)
    else:
        yield from _whole("state", folder, roots)

"""The stores that vaults left behind: in each vault, in the user's folder of stores, and where settings put them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from notewell.config import load_settings
from notewell.config.permissions import FOLDER
from notewell.config.settings import Settings
from notewell.errors import NotewellError
from notewell.serve.leftovers.found import Found, Leftover, kept, ours_in, remove_files, size_of
from notewell.store.opened import store_file
from notewell.store.sqlite.files import BESIDE, check_backup

ON_SERVER = "its store is in a PostgreSQL database; docs/guides/uninstall.md says how to delete it"
# The notes that a store has, if not all, and its domain; both in its name.
PART = r"(?:-[0-9a-f]{8})?(?:\.[\w-]+)?"
BESIDES = "|".join(map(re.escape, BESIDE))
OF_VAULT = re.compile(rf"\.gitignore|\.new-[0-9a-f]{{16}}|store{PART}\.db(?:{BESIDES})?")
# Named after the vault's folder and place.
IN_FOLDER = re.compile(rf".+-[0-9a-f]{{10}}{PART}\.db(?:{BESIDES})?")


def find_stores(roots: Iterable[Path], search: Iterable[Path]) -> Iterator[Found]:
    """Yield the stores of vaults, and those in and below folders; links are not followed."""
    known = list(roots)
    places = {root / FOLDER for root in known} | {place for folder in search for place in _below(folder)}
    for place in sorted(places):
        yield from ours_in("store", place, OF_VAULT)
    every = {root: settings for root in (None, *known) if (settings := _settings(root))}
    for folder in sorted({os.path.expanduser(one.store.folder) for one in every.values() if one.store.folder}):
        if any(IN_FOLDER.fullmatch(name) for name in _names(Path(folder))):
            yield from ours_in("store", Path(folder), IN_FOLDER)
    for root, settings in every.items():
        if root and settings.store.url:
            yield kept("store", root, ON_SERVER)
        elif root and settings.store.path:
            yield from _at_path(store_file(root, settings.store.path, ""))


def _at_path(file: Path) -> Iterator[Found]:
    """Yield a store at a place of its own, which may be among notes."""
    part = PART if file.suffix else ""
    names = re.compile(rf"{re.escape(file.stem)}{part}{re.escape(file.suffix)}(?:{BESIDES})?")
    with suppress(NotewellError, OSError):
        # A store has the form of a backup.
        check_backup(file)
        ours = [one for one in file.parent.iterdir() if names.fullmatch(one.name)]
        yield Found(Leftover("store", str(file), sum(map(size_of, ours))), partial(remove_files, file.parent, ours))


def _below(folder: Path) -> Iterator[Path]:
    for root, names, _ in os.walk(folder):
        if FOLDER in names:
            yield Path(root) / FOLDER
        names[:] = [name for name in names if name != FOLDER]


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return [file.name for file in folder.iterdir()]
    return []


def _settings(root: Path | None) -> Settings | None:
    """Return the settings of a vault, or the user's own; None if they cannot be read."""
    with suppress(NotewellError):
        return load_settings(root, os.environ, {})
    return None

"""A walk of a folder: which files of a vault are notes, and what tells that none of them changed."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import replace
from errno import ENAMETOOLONG
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

from notewell.errors import SettingsError, VaultError
from notewell.files.exclude import excluder
from notewell.files.formats import suffix_of
from notewell.files.safe_open import ALWAYS_EXCLUDED, leads_to, path_without_links
from notewell.frozen import frozen


class Territory(Protocol):
    """A part of a vault."""

    def covers(self, path: str) -> bool:
        """Tell whether a file belongs to it."""

    def enters(self, folder: str) -> bool:
        """Tell whether a folder has to be walked: it, or a folder below it, belongs to it."""


@frozen
class WalkRules:
    """Which files of a vault are notes."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    max_bytes: int = 16 << 20
    max_document_bytes: int = 100 << 20
    max_seconds: int = 30

    @property
    def territory(self) -> Territory | None:
        """Return the part of the vault that is walked, if not all of it."""
        return None

    @property
    def everywhere(self) -> WalkRules:
        """Return the rules for the whole vault."""
        return replace(self, include=())


# Two folders that differ have the same digest once in 10^38 pairs.
DIGEST_BYTES = 16
TOO_LONG = "its path is longer than the system allows"


class Flaw(NamedTuple):
    """Why a file cannot be a note; a folder without permission is `closed`."""

    why: str
    closed: bool = False


class Walked(NamedTuple):
    """What a walk found: paths, three numbers for each (times of changes and size), and what cannot be a note."""

    paths: list[str]
    numbers: list[int]
    flawed: dict[str, Flaw]

    @property
    def digest(self) -> bytes:
        """Return what is the same as long as no file changes, comes or goes."""
        made = blake2b("\0".join(self.paths).encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES)
        made.update(repr(self.numbers).encode())
        made.update(repr(self.flawed).encode("utf-8", "backslashreplace"))
        return made.digest()


def survey(root: Path, rules: WalkRules, suffixes: Container[str], *, others: bool = False) -> Walked:
    """Return the vault's files with one of these suffixes, or with `others` all except those."""
    # Thousands of files, and every search waits: no call and no object for what settings do not ask for.
    excluded, hidden = excluder(rules.exclude) if rules.exclude else None, rules.hidden
    territory = rules.territory
    folders = [_inside(root, folder, number) for number, folder in enumerate(rules.include, start=1)] or [""]
    folders = [folder for folder in folders if not ALWAYS_EXCLUDED.intersection(folder.split("/"))]
    paths, numbers, flawed = walked = Walked([], [], {})
    while folders:
        folder = folders.pop()
        entries, flaw = _entries(root, folder)
        above, is_ours = f"{folder}/" if folder else "", territory is None or territory.covers(folder)
        if flaw:
            flawed[folder] = Flaw(flaw, closed=True)
        for entry in entries:
            name = entry.name
            if (name[0] == "." and not hidden) or name in ALWAYS_EXCLUDED:
                continue
            path = above + name
            if entry.is_symlink() and not may_follow(root, path, rules):
                continue
            # Links to folders are not followed: one could lead back to a folder above it.
            if entry.is_dir(follow_symlinks=False):
                if not (excluded and excluded(path + "/")) and (territory is None or territory.enters(path)):
                    folders.append(path)
            elif is_ours and (suffix_of(name) in suffixes) != others and not (excluded and excluded(path)):
                try:
                    stat = entry.stat()
                    if entry.is_file():
                        numbers += stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size
                        paths.append(path)
                except OSError as error:
                    # Any other file is gone by now.
                    if error.errno == ENAMETOOLONG:
                        flawed[path] = Flaw(TOO_LONG)
    return walked


def may_follow(root: Path, path: str, rules: WalkRules) -> bool:
    """Tell whether a link leads to a file of the vault that is not excluded or hidden itself."""
    target = leads_to(root, path)
    if target is None or left_out_by(target, rules) == "index.exclude":
        return False
    if rules.territory and not rules.territory.covers(target.rpartition("/")[0]):
        return False
    return rules.hidden or not any(part.startswith(".") for part in target.split("/"))


def _entries(root: Path, folder: str) -> tuple[list[os.DirEntry[str]], str]:
    """Return the entries of a folder, or why they cannot be listed; one that is gone by now has none."""
    try:
        with os.scandir(root / folder) as entries:
            return list(entries), ""
    except PermissionError as error:
        if not folder:
            raise VaultError(f"{root} cannot be read", "Check the folder's permissions") from error
        return [], "no permission to list this folder"
    except OSError as error:
        if not folder:
            # A missing drive must not delete every note on it from the store.
            raise VaultError(f"{root} is gone", "Check that its drive is connected") from error
        return [], TOO_LONG if error.errno == ENAMETOOLONG else ""


def left_out_by(path: str, rules: WalkRules) -> str:
    """Return the setting that excludes a file, whatever its format; empty if none does.

    >>> left_out_by("Drafts/rye.md", WalkRules(exclude=("Drafts/",))), left_out_by("Drafts/rye.md", WalkRules())
    ('index.exclude', '')
    """
    folders = [path[:at] for at, sign in enumerate(path) if sign == "/"]
    included = [os.path.normpath(folder).replace(os.sep, "/") for folder in rules.include]
    if included and not {".", *folders}.intersection(included):
        return "index.include"
    excluded = excluder(rules.exclude)
    return "index.exclude" if excluded(path) or any(excluded(f"{folder}/") for folder in folders) else ""


def _inside(root: Path, folder: str, number: int) -> str:
    """Return an included folder as a path from the root; one outside is an error."""
    path = os.path.normpath(folder).replace(os.sep, "/")
    if Path(folder).is_absolute() or path == ".." or path.startswith("../") or path_without_links(root, path) is None:
        raise SettingsError(f"Folder {number} of index.include is outside the vault", "Name folders below the vault")
    if not (root / path).is_dir():
        raise SettingsError(f"Folder {number} of index.include is not a folder of the vault", "Check its spelling")
    return "" if path == "." else path

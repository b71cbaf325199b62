"""The files of a vault: which folders are looked into and which files are notes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from notewell.errors import SettingsError, VaultError
from notewell.types import Stamp

# Never looked into, whatever the settings say: other programs' machinery, and what the user threw away.
ALWAYS_EXCLUDED = frozenset({".git", ".obsidian", ".trash", ".notewell"})


@dataclass(frozen=True, slots=True)
class Walk:
    """Which part of a vault to index."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the vault: its path from the root with forward slashes, and its stamp."""

    path: str
    stamp: Stamp


def walk(root: Path, rules: Walk, suffixes: Sequence[str]) -> Iterator[Found]:
    """Yield the vault's files with one of these suffixes, in the order of their paths."""
    excluded = _excluder(rules.exclude)
    starts = [_inside(root, folder) for folder in rules.include] or [""]
    for start in sorted(set(starts)):
        yield from _walk(root, start, rules.hidden, excluded, tuple(suffixes))


def _walk(
    root: Path, folder: str, hidden: bool, excluded: Callable[[str], bool], suffixes: tuple[str, ...]
) -> Iterator[Found]:
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except PermissionError as error:
        if not folder:
            raise VaultError(f"{root} cannot be read", "Check the folder's permissions") from error
        return
    except OSError:
        # A folder can go while the walk is under way.
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if (entry.name.startswith(".") and not hidden) or entry.name in ALWAYS_EXCLUDED:
            continue
        if entry.is_symlink() and not _stays_inside(root, entry.path):
            continue
        if entry.is_dir(follow_symlinks=False):
            if not excluded(path + "/"):
                yield from _walk(root, path, hidden, excluded, suffixes)
        elif entry.name.lower().endswith(suffixes) and not excluded(path):
            yield from _stamped(path, entry)


def _stamped(path: str, entry: os.DirEntry[str]) -> Iterator[Found]:
    try:
        stat = entry.stat()
        # A link to a folder could lead back to a folder above it: folders are only entered by their own name.
        if entry.is_file():
            yield Found(path, Stamp(stat.st_mtime_ns, stat.st_size))
    except OSError:
        return


def _stays_inside(root: Path, path: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _inside(root: Path, folder: str) -> str:
    """Return an included folder as a path from the root, or refuse one outside it."""
    path = os.path.normpath(folder).replace(os.sep, "/")
    if Path(folder).is_absolute() or path == ".." or path.startswith("../"):
        raise SettingsError(
            f"index.include names '{folder}', which is outside the vault", "Name folders below the vault"
        )
    if not (root / path).is_dir():
        raise SettingsError(f"index.include names '{folder}', which is not a folder of the vault", "Check its spelling")
    return "" if path == "." else path


def _excluder(patterns: Sequence[str]) -> Callable[[str], bool]:
    if not patterns:
        return lambda path: False
    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise SettingsError(f"index.exclude is not understood: {error}", "Use patterns as in a .gitignore") from error
    return lambda path: bool(spec.match_file(path))

"""The files of a vault with their stamps, from a walk of its folder."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from notewell.files.exclude import excluder
from notewell.files.survey import Walked, WalkRules, may_follow, survey
from notewell.frozen import frozen
from notewell.index.domains import Territory
from notewell.types.note import Stamp

# In nanoseconds: the largest number that a column of the store holds.
MAX_TIME = (1 << 63) - 1


@frozen
class DomainWalk(WalkRules):
    """Which files of some domains are notes."""

    within: Territory | None = None

    @property
    def territory(self) -> Territory | None:
        """Return the part of the vault that belongs to these domains."""
        return self.within

    @property
    def everywhere(self) -> WalkRules:
        """Return the rules for the whole vault."""
        return replace(self, include=(), within=None)

    @classmethod
    def of(cls, rules: WalkRules, within: Territory | None) -> DomainWalk:
        """Return the rules of a vault for some of its domains."""
        return cls(**{key.name: getattr(rules, key.name) for key in fields(rules)} | {"within": within})


class VaultFile(NamedTuple):
    """A file of the vault: its path from the root with forward slashes, its stamp, and why it cannot be a note.

    A folder without permission is included as `closed`: the notes below it do not count as deleted.
    """

    path: str
    stamp: Stamp
    flaw: str = ""
    closed: bool = False


def walk(root: Path, rules: WalkRules, suffixes: Container[str], *, others: bool = False) -> list[VaultFile]:
    """Return the vault's files with one of these suffixes, or with `others` all except those, by path."""
    return files_of(survey(root, rules, suffixes, others=others))


def files_of(walked: Walked) -> list[VaultFile]:
    """Return what a walk found as files by path."""
    stamps = zip(walked.numbers[::3], walked.numbers[1::3], walked.numbers[2::3], strict=True)
    found = {
        path: _found(path, Stamp(_bounded(mtime), size, "", _bounded(ctime)))
        for path, (mtime, ctime, size) in zip(walked.paths, stamps, strict=True)
    }
    nothing = Stamp(0, 0)
    found |= {path: VaultFile(_found(path, nothing).path, nothing, *flaw) for path, flaw in walked.flawed.items()}
    return [found[path] for path in sorted(found)]


def _found(path: str, stamp: Stamp) -> VaultFile:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        # A name in an old encoding cannot be shown, so no hit could refer to it.
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        return VaultFile(shown, stamp, "its name is not UTF-8")
    return VaultFile(path, stamp)


def stamp_of(stat: os.stat_result) -> Stamp:
    """Return the stamp of a file, without a digest of its content."""
    return Stamp(_bounded(stat.st_mtime_ns), stat.st_size, "", _bounded(stat.st_ctime_ns))


def _bounded(time: int) -> int:
    # A time after 2262 does not fit into the store; it is an error of some tool, and any other value will do.
    return time if -MAX_TIME <= time <= MAX_TIME else MAX_TIME if time > 0 else -MAX_TIME


def left_out(root: Path, paths: Iterable[str], rules: WalkRules) -> list[str]:
    """Return the files that a walk would not find because of the settings, which may exclude what they link to."""
    excluded = excluder(rules.exclude)
    included = {os.path.normpath(folder).replace(os.sep, "/") for folder in rules.include} or {"."}
    base, territory = f"{root}{os.sep}", rules.territory

    @cache
    def is_walked(folder: str) -> bool:
        if territory and not territory.covers(folder):
            return False
        while (folder or ".") not in included:
            if not folder or excluded(f"{folder}/"):
                return False
            folder = folder.rpartition("/")[0]
        return True

    return [
        path
        for path in paths
        if not is_walked(path.rpartition("/")[0])
        or excluded(path)
        or (os.path.islink(base + path) and not may_follow(root, path, rules))  # noqa: PTH114
    ]

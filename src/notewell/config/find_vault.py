"""Where the vault is: the nearest folder upward that looks like one."""

from __future__ import annotations

import os
from pathlib import Path

from notewell.config.permissions import FILE, FOLDER
from notewell.errors import VaultError

# What a vault of Notewell or Obsidian contains.
MARKS = (FILE, FOLDER, ".obsidian")


def here() -> Path:
    """Return the current folder."""
    try:
        return Path.cwd()
    except OSError as error:
        raise VaultError(
            "The current folder no longer exists", "Go to another folder, or name the vault with --vault"
        ) from error


def find_root(start: Path) -> Path:
    """Return the nearest folder upward that is a vault of Notewell or Obsidian, or `start` itself."""
    return _nearest(start, MARKS) or start


def is_vault(folder: Path) -> bool:
    """Tell whether a folder is a vault of Notewell or Obsidian."""
    return any(map(os.path.exists, map(folder.joinpath, MARKS)))


def nearest_vault(start: Path | None) -> Path | None:
    """Return the nearest folder upward with settings or a store of Notewell's; Obsidian's mark is not enough."""
    return _nearest(start, (FILE, FOLDER)) if start and start.is_absolute() else None


def _nearest(start: Path, marks: tuple[str, ...]) -> Path | None:
    folders = (start, *start.parents)
    # os.path.exists is False for a folder that may not be read, where Path.exists raises an error.
    return next((folder for folder in folders if any(map(os.path.exists, map(folder.joinpath, marks)))), None)

"""The folder of a vault: whether it is there and can be read."""

from __future__ import annotations

import os
from pathlib import Path

from notewell.errors import VaultError


def exists(path: Path) -> bool:
    """Tell whether there is a file or folder at a path; a name that no file can have is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        # Too long a name, or one with a zero byte or half a character in it.
        return False


def check_folder(root: Path) -> None:
    """Refuse a path that cannot be a vault."""
    if not exists(root):
        raise VaultError(f"There is no folder {root}", "Check the path, or name the vault with --vault")
    if not root.is_dir():
        raise VaultError(f"{root} is a file, not a folder", "Name the folder that holds your notes")
    if not os.access(root, os.R_OK | os.X_OK):
        raise VaultError(f"{root} cannot be read", "Check the folder's permissions")

"""Which vault is near where Claude Code works: one rule for all hooks."""

from __future__ import annotations

import os
from pathlib import Path

from notewell.config import FILE, FOLDER


def nearest_vault(start: Path | None) -> Path | None:
    """Return the nearest folder upward with a store or settings of ours; Obsidian's mark alone says nothing of one."""
    if start is None or not start.is_absolute():
        return None
    marks = (FILE, FOLDER)
    folders = (start, *start.parents)
    return next((folder for folder in folders if any(map(os.path.exists, map(folder.joinpath, marks)))), None)

"""Where memories may be written: the folder that the vault's own file names, if it is one that is searched."""

from __future__ import annotations

import os
import re
from pathlib import Path

from notewell.errors import SettingsError
from notewell.files.safe_open import ALWAYS_EXCLUDED
from notewell.index.walk import WalkRules, left_out_by
from notewell.memory.names import SUFFIX

SETTING = "memory.folder"


def allowed_folder(root: Path, named: str, rules: WalkRules) -> str:
    """Return the folder for memories as a path from the root, or say what has to be set before there is one."""
    if not named:
        raise SettingsError(
            "Agents may not remember or forget here: no folder is set for it",
            f'The user allows it by two lines in {root / "notewell.toml"}: `[memory]` and `folder = "Memories"`',
        )
    path = os.path.normpath(named).replace(os.sep, "/")
    parts = path.split("/")
    if Path(named).is_absolute() or re.match("[A-Za-z]:", path) or parts[0] == "..":
        raise SettingsError(f"{SETTING} names a folder outside the vault", "Name a folder of the vault")
    if path == ".":
        raise SettingsError(
            f"{SETTING} names the vault itself", "Name a folder of its own, so that you see what agents wrote"
        )
    if any(part.startswith(".") or part in ALWAYS_EXCLUDED for part in parts):
        raise SettingsError(
            f"{SETTING} names a folder that is hidden or a program's own", "Name a folder that you see in your vault"
        )
    check_indexed(f"{path}/note{SUFFIX}", rules)
    return path


def check_indexed(path: str, rules: WalkRules) -> None:
    """Refuse to write a note that no search would find."""
    if setting := left_out_by(path, rules):
        raise SettingsError(
            f"A memory would lie in {path.rpartition('/')[0]}, and {setting} leaves it out",
            f"Change {SETTING} or {setting}: what is remembered has to be found",
        )

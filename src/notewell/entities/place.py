"""Where entities are kept: a file in the user's state folder for a vault, and for domains that are asked alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from notewell.files.user import home_folder, state_folder

FOLDER = "entities"


def entity_file(store: Path, names: Sequence[str] = ()) -> Path:
    """Return the file for a vault, by its store's file, or for the domains with these names."""
    return _folder() / f"{_digest(str(store))}-{_digest(chr(0).join(sorted(names)))}.db"


def entity_files(store: Path) -> list[Path]:
    """Return the files of a vault that exist."""
    folder = _folder()
    return sorted(folder.glob(f"{_digest(str(store))}-*.db")) if folder.is_dir() else []


def _folder() -> Path:
    return state_folder(os.environ, home_folder(os.environ)) / FOLDER


def _digest(text: str) -> str:
    return blake2b(os.fsencode(text), digest_size=8).hexdigest()

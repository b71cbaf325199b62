"""The folder of a store: in a vault it is reached through no link, and made without the vault itself."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from notewell.errors import StoreError
from notewell.files.user import PRIVATE_FOLDER

# The folder that is ours alone, in a vault's root.
OURS = ".notewell"
HINT = "Move it away; to have stores elsewhere, set store.folder in your own settings, or NOTEWELL_STORE_FOLDER"


def check_way(file: Path, root: Path) -> None:
    """Refuse a store in the vault that a link leads to: with a vault that somebody gave away, it may lead anywhere."""
    for folder in _folders(file, root):
        if os.path.islink(folder):  # noqa: PTH114
            raise StoreError(f"{folder} is a link, and a vault's store is reached through none", HINT)


def make_folder(file: Path, root: Path) -> None:
    """Make the folder of a store; in a vault one by one from its root, which may have been moved away meanwhile."""
    try:
        if not file.is_relative_to(root):
            # What the vault's own folder guards, the notes' text, is for its user alone here, too.
            file.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        for folder in _folders(file, root):
            with suppress(FileExistsError):
                folder.mkdir()
        if file.parent.name == OURS:
            _keep_from_git(file.parent)
    except OSError as error:
        hint = "Check its permissions, or set store.path to a place that can be written"
        raise StoreError(f"{file.parent} cannot be written: {error.strerror or error}", hint) from error


def _folders(file: Path, root: Path) -> list[Path]:
    """Return the folders between a vault's root and a file in it, the outermost first."""
    return [folder for folder in reversed(file.parents) if folder.is_relative_to(root) and folder != root]


def _keep_from_git(folder: Path) -> None:
    # Whatever lies there is left alone, also a link that leads nowhere.
    with suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as stream:
        stream.write("*\n")

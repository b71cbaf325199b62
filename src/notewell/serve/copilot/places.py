"""How Copilot names places: the vault by its folder or name, and notes by either and their path."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

from notewell.serve.copilot.bodies import refused
from notewell.vault import Vault


def composed(name: str) -> str:
    """Return a name as Obsidian spells it; disks of macOS may write an accent apart from its letter.

    >>> composed("Ku\\u0308che.md")
    'Küche.md'
    """
    return unicodedata.normalize("NFC", name)


def is_root(root: Path, named: str) -> bool:
    """Tell whether a name or a path is that of the vault.

    >>> is_root(Path("/home/ada/notes"), "notes"), is_root(Path("/home/ada/notes"), "/home/ada/notes/")
    (True, True)
    """
    if composed(named) == composed(root.name):
        return True
    # Links, and upper case where the disk ignores it, lead to the same folder.
    with suppress(OSError, ValueError):
        return Path(named).is_absolute() and (Path(named) == root or Path(named).samefile(root))
    return False


def check_vault(root: Path, name: str | None) -> None:
    """Reject a vault of another name: Copilot asks for its own, and may have found the server of another."""
    if name and not is_root(root, name):
        raise refused("This folder is not registered")


def note_of(root: Path, named: str) -> str:
    """Return a path from the vault's root; a place outside is an error.

    >>> note_of(Path("/home/ada/notes"), "notes/a/b.md"), note_of(Path("/home/ada/notes"), "/home/ada/notes/a/b.md")
    ('a/b.md', 'a/b.md')
    """
    path = Path(named)
    if ".." in path.parts:
        raise refused("This path is not in the vault")
    if path.is_absolute():
        if not path.is_relative_to(root):
            raise refused("This path is not in the vault")
        path = path.relative_to(root)
    elif path.parts and composed(path.parts[0]) == composed(root.name) and not (root / path).exists():
        path = path.relative_to(path.parts[0])
    return "" if path == Path() else path.as_posix()


def under_of(root: Path, named: str) -> str:
    """Return the folder to search, from the vault's root; empty for all of it."""
    return "" if not named or is_root(root, named) else note_of(root, named)


def folder_entry(vault: Vault) -> dict[str, Any]:
    """Return the vault as the one folder that is registered."""
    rules = vault.settings.index
    return {
        "path": str(vault.root),
        "name": vault.root.name,
        "include_patterns": list(rules.include),
        "exclude_patterns": list(rules.exclude),
        "recursive": True,
        "indexed_files": vault.store.about().notes if vault.indexed else 0,
    }

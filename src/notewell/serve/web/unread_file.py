"""Files of the vault that are no notes: why Notewell does not read them."""

from __future__ import annotations

from notewell.files.formats import format_of
from notewell.names.place import before_lines, split_part
from notewell.serve.web.inside import path_inside
from notewell.vault import Vault


def find_unread(vault: Vault, written: str) -> tuple[str, str] | None:
    """Return the path of a file that exists and is not read, and why; None if there is no such file."""
    for path in dict.fromkeys((written, *(path for path, _ in split_part(written)), before_lines(written))):
        target = path_inside(vault, path) if path else None
        if target is not None and (vault.root / target).is_file() and (why := _why(vault, path)):
            return path, why
    return None


def _why(vault: Vault, path: str) -> str:
    """Return why a file is not read; empty for one that is only not indexed yet."""
    if format_of(path) is None:
        return "Notewell does not read files of this format"
    reason = vault.store.about().skipped.get(path, "") if vault.indexed else ""
    return f"This file could not be read: {reason}" if reason else ""

"""The question before a folder is indexed for the first time: whether it is the folder that was meant."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from notewell.config import is_vault
from notewell.errors import DoubtfulVault, VaultError
from notewell.files.formats import BY_SUFFIX
from notewell.files.user import home_folder
from notewell.index.changes import count_others
from notewell.index.walk import walk
from notewell.serve.cli.options import describe_suffixes, vault_option
from notewell.vault import Vault

Command = TypeVar("Command", bound=Callable[..., Any])

# An unmarked folder with more files is more likely a disk or an archive. The largest vault we know has 16,894.
MOST_FILES = 20_000
# Where the context of a command keeps --yes, and the parameters that name a vault.
YES = "notewell.yes"
NAMES = ("vault", "folder")
HINT = "Go to the folder of your notes, name it with --vault, or add --yes to index this one"


def vault_to_index_option(command: Command) -> Command:
    """Add `--vault`, and `--yes` to index a doubtful folder without a question."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[YES] = value

    yes = click.option(
        "--yes", is_flag=True, expose_value=False, callback=keep, help="Index a new folder without asking"
    )
    return vault_option(yes(command))


def check_new(vault: Vault, *, needs_notes: bool = False) -> None:
    """Refuse to index a new folder that is unlikely to be a vault, unless the user confirms it, or that has no notes.

    There is no question about a folder that was named, or that is a vault of Obsidian or Notewell. Such a folder may be
    empty, unless the command `needs_notes`.
    """
    if vault.storage.exists:
        return
    is_doubtful = not _is_named() and not is_vault(vault.root)
    if is_doubtful and (reason := _reason_by_place(vault.root)):
        _confirm(vault.root, reason)
        return
    files = len(walk(vault.root, vault.settings.index, BY_SUFFIX)) if is_doubtful or needs_notes else 1
    if not files:
        raise _without_notes(vault)
    if is_doubtful and files > MOST_FILES:
        _confirm(vault.root, f"has {files:,} files and is not marked as a vault")


def _is_named() -> bool:
    current = click.get_current_context()
    return any(current.params.get(name) for name in NAMES) or bool(current.meta.get(YES))


def _reason_by_place(root: Path) -> str:
    """Return why a folder is unlikely to be a vault, judged by its place alone; nothing if it may be one."""
    root, home = root.resolve(), home_folder(os.environ).resolve()
    if root == home:
        return "is your home folder"
    if root == root.parent:
        return "is the root of the file system"
    return "contains your home folder" if root in home.parents else ""


def _confirm(root: Path, reason: str) -> None:
    """Ask whether to index a folder; without a terminal, or after a no, it is an error."""
    error = DoubtfulVault(f"{root} {reason}; nothing was indexed", HINT)
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise error
    if not click.confirm(f"{root} {reason}. Index all of it?", err=True):
        raise error


def _without_notes(vault: Vault) -> VaultError:
    """Return the error for a folder without notes, which is probably the wrong one."""
    others = count_others(vault.root, vault.settings.index)
    there = f"It has {describe_suffixes(others)}. " if others else ""
    fact = f"There are no readable notes in {vault.root}"
    return VaultError(fact, f"{there}Run this in the folder of your notes, or set --vault")

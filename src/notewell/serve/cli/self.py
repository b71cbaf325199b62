"""`notewell self`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from notewell.config import here, nearest_vault
from notewell.errors import NotewellError
from notewell.files.control_chars import shown_path
from notewell.files.safe_open import check_folder
from notewell.serve import background
from notewell.serve.cli.daemon import stop_daemon
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.leftovers import Found, find_leftovers
from notewell.serve.say import confirmed, counted, echo, say

# Below, a size in MB would be 0.0.
SHOWN_BYTES = 50_000
KEPT = "Notes, memories and a vault's notewell.toml stay; `pip uninstall notewell` removes the program"


@click.group()
def command() -> None:
    """Remove the files that Notewell leaves on this machine

    \b
    Example:
        notewell self uninstall-notes --dry-run
    """


@command.command("uninstall-notes")
@click.option(
    "--vault",
    "vaults",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also remove the store of this vault; may be repeated. Default: the vault of the current folder",
)
@click.option(
    "--search",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also look in this folder for stores, such as ~; may be repeated",
)
@click.option("--dry-run", is_flag=True, help="List everything, and remove nothing")
@click.option("--yes", is_flag=True, help="Remove without asking")
@json_option
def uninstall_notes(
    vaults: tuple[Path, ...], search: tuple[Path, ...], dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Remove stores, state, settings, hooks, connections, sockets and completion scripts

    Lists everything and asks first. Never removes a note. Run it before you uninstall the program.

    \b
    Example:
        notewell self uninstall-notes --dry-run --search ~
    """
    named, folders = list(map(_in_full, vaults)), list(map(_in_full, search))
    for folder in (*named, *folders):
        check_folder(folder)
    found = find_leftovers(named or [root for root in [nearest_vault(here())] if root], folders)
    removable = [one for one in found if one.remove]
    if not as_json:
        _show(found)
    change = f"remove {counted(len(removable), 'item')}"
    wanted = bool(removable) and not dry_run and confirmed(change, yes=yes, as_json=as_json)
    problems = _remove(removable) if wanted else {}
    if as_json:
        listed = [{**asdict(one.what), "problem": problems.get(one.what.path, "")} for one in found]
        print_json({"removed": wanted, "leftovers": listed})
    elif wanted:
        for path, problem in problems.items():
            say(f"{shown_path(path)} is still there: {problem}")
        say(f"removed {len(removable) - len(problems)} of {len(removable)}. {KEPT}")
    if problems:
        raise SystemExit(1)


def _in_full(folder: Path) -> Path:
    return Path(os.path.expanduser(folder)).absolute()


def _show(found: Sequence[Found]) -> None:
    for one in found:
        size = f" ({one.what.bytes / 1e6:,.1f} MB)" if one.what.bytes >= SHOWN_BYTES else ""
        kept = f"; kept: {one.what.kept}" if one.what.kept else ""
        echo(f"{one.what.kind:<11} {shown_path(one.what.path)}{size}{kept}")
    if not found:
        say("nothing of Notewell was found")


def _remove(found: Sequence[Found]) -> dict[str, str]:
    """Stop what runs in the background, remove everything that can be, and return what could not, with the reason."""
    # First, so that nothing starts meanwhile; the file goes with the state.
    background.pause()
    stop_daemon()
    background.stop_encoding()
    problems = {}
    for one in found:
        try:
            if one.remove:
                one.remove()
        except NotewellError as error:
            problems[one.what.path] = error.fact
        except FileNotFoundError:
            # The daemon removes its socket itself.
            continue
        except OSError as error:
            problems[one.what.path] = error.strerror or str(error)
    return problems

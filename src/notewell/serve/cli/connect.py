"""`notewell connect`."""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import click

from notewell.config import here, nearest_vault
from notewell.errors import SettingsError
from notewell.files.control_chars import shown_path
from notewell.files.safe_open import check_folder
from notewell.files.user import home_folder, state_folder
from notewell.serve.cli.options import json_option, missing_extra, print_json
from notewell.serve.connect import CLIENTS, Connection, connections, this_machine
from notewell.serve.file_change import FileChange
from notewell.serve.say import confirmed, echo, say


@click.command("connect")
@click.argument("client", required=False, type=click.Choice(list(CLIENTS)))
@click.option(
    "--vault",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The vault's folder. Default: the nearest vault above the current folder",
)
@click.option("--list", "lists", is_flag=True, help="Show which agents are connected, and to which vault")
@click.option("--undo", is_flag=True, help="Disconnect the agent")
@click.option("--yes", is_flag=True, help="Write without asking")
@json_option
def command(client: str | None, vault: Path | None, lists: bool, undo: bool, yes: bool, as_json: bool) -> None:
    """Connect an AI agent to your notes

    Adds `notewell mcp` to the agent's own settings, for you in all projects. Shows the change and asks first. Other
    settings, and comments, stay as they are.

    \b
    Example:
        notewell connect claude-code --vault ~/notes
        notewell connect --list
        notewell connect cursor --undo
    """
    machine = this_machine()
    if client is None:
        if undo or yes or vault:
            raise click.UsageError(f"No agent is named: {', '.join(CLIENTS)}")
        _list(as_json)
        return
    if lists:
        raise click.UsageError("--list shows all agents; leave out the name")
    if not undo and find_spec("mcp") is None:
        # The agent would show no more than that it could not start.
        raise missing_extra("mcp", ModuleNotFoundError(name="mcp"))
    connection = Connection(client, machine, state_folder(os.environ, home_folder(os.environ)))
    change = connection.plan_undo() if undo else connection.plan(_root(vault))
    if change.differs and not as_json:
        echo(change.diff, nl=False)
    written = change.differs and confirmed(f"write {change.file}", yes=yes, as_json=as_json)
    restored = undo and connection.restores(change)
    if written:
        connection.write(change, undo=undo)
    elif undo and not change.differs:
        connection.forget()
    if as_json:
        state = connection.state()
        print_json({**asdict(state), "changes": change.differs, "written": written, "diff": change.diff})
    else:
        _say(connection, change, written=written, outcome=_outcome(change, undo=undo, restored=restored))


def _root(vault: Path | None) -> Path:
    """Return the vault's folder in full: the agent may start anywhere."""
    root = Path(os.path.expanduser(vault)).absolute() if vault else nearest_vault(here())
    if root is None:
        raise SettingsError(f"There is no vault in {here()} or above", "Name one with --vault PATH")
    check_folder(root)
    return root


def _outcome(change: FileChange, *, undo: bool, restored: bool) -> str:
    if not undo:
        return "written"
    if change.after is None:
        return "removed, as it did not exist before"
    return "restored" if restored else "written without Notewell"


def _say(connection: Connection, change: FileChange, *, written: bool, outcome: str) -> None:
    title = connection.client.title
    if not change.differs:
        state = connection.state()
        about = f"connected to {shown_path(state.vault)}" if state.vault else "not connected"
        say(f"{title} is {about}; nothing to change in {change.file}")
    elif written:
        say(f"{change.file} {outcome}; restart {title} to apply this")
        if change.before is None:
            say(f"there was no such file before: is {title} installed here?")


def _list(as_json: bool) -> None:
    found = connections(this_machine())
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        state = one.problem or (f"connected to {one.vault}" if one.vault else "not connected")
        echo(f"{one.client:<15} {shown_path(state)}")

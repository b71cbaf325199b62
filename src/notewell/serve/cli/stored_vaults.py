"""`notewell server vaults`."""

from __future__ import annotations

from dataclasses import asdict

import click

from notewell.files.control_chars import escaped
from notewell.serve.cli.database import connected, database_option
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.say import counted, echo, say


@click.group("vaults", invoke_without_command=True)
@database_option
@json_option
@click.pass_context
def command(context: click.Context, database: str, as_json: bool) -> None:
    """List the vaults of a database

    Without a command, lists the vaults that your role may read, with their owners.

    \b
    Example:
        notewell server vaults
    """
    if context.invoked_subcommand is not None:
        return
    with connected(database) as connections:
        from notewell.store.postgres.vaults import stored_vaults  # noqa: PLC0415

        found = stored_vaults(connections)
    if as_json:
        print_json({"vaults": [asdict(one) for one in found]})
        return
    for one in found:
        echo(f"{escaped(one.name)}  {counted(one.notes, 'note')}  {one.owner}")


@command.command("delete")
@click.argument("name", metavar="NAME")
@database_option
def delete(name: str, database: str) -> None:
    """Delete your vault NAME from the database

    Your notes stay. While store.url still names the database, the next `notewell index` stores them again.

    \b
    Example:
        notewell server vaults delete My-notes-4d3bd4abd8
    """
    with connected(database) as connections:
        from notewell.store.postgres.vaults import delete_vault  # noqa: PLC0415

        delete_vault(connections, name)
    say(f"{escaped(name)} deleted")

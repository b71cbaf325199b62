"""`notewell forget`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.serve.answers import of_forgotten
from notewell.serve.cli.complete import complete_note
from notewell.serve.cli.options import json_option, open_vault, print_json, printable, say, vault_option
from notewell.serve.cli.places import place_from_root


@click.command("forget")
@click.argument("note", shell_complete=complete_note)
@vault_option
@json_option
def command(note: str, vault: Path | None, as_json: bool) -> None:
    """Move a note that was remembered to the trash

    NOTE is its path, or a name or title that no other note has, letter for letter. Only notes in the folder for
    memories, whose front matter says `type: memory`, can be forgotten. They go to `.trash` in the
    vault, where they can be taken back from.

    \b
    Example:
        notewell forget "Memories/Kim prefers tabs over spaces in Go.md"
    """
    with open_vault(vault) as opened:
        done = opened.forget(place_from_root(opened.root, note))
    if as_json:
        print_json(of_forgotten(done))
        return
    click.echo(printable(done.trash))
    for notice in done.notices:
        say(notice)

"""`notewell move`: the store of a vault, in another place."""

from __future__ import annotations

import os
from pathlib import Path

import click

from notewell.config import user_file
from notewell.files.control_chars import shown_path
from notewell.measure.moving import Moved, move
from notewell.serve.cli.options import json_option, open_vault, print_result, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.say import counted, echo, say


@click.command("move")
@click.argument("to", metavar="TO")
@vault_option
@json_option
def command(to: str, vault: Path | None, as_json: bool) -> None:
    """Copy the store to a PostgreSQL database, or back to a file

    TO is an address, `postgresql://role@host/database`, or `file`. Embeds nothing again. Checks the copy as `notewell
    doctor` does, and compares the answers of both stores to 50 titles. The old store stays in use until you change the
    setting store.url. If a move is interrupted, run it again to continue.

    \b
    Example:
        notewell move postgresql://ada@db.example.org/notes
    """
    with open_vault(vault) as opened, progress_shown("Copying", "copied {:,} of {:,} notes") as progress:
        try:
            done = move(opened, to, progress)
        except KeyboardInterrupt:
            say("Kept what was copied. Run the same command again to continue")
            raise
    print_result(done, as_json, _print_moved)


def _print_moved(done: Moved) -> None:
    echo(f"{counted(done.notes, 'note')}, {counted(done.chunks, 'chunk')} are at {done.store}, and sound")
    echo(f"{done.same} of {done.asked} queries have the same answers in both stores")
    for query in done.different:
        echo(f"  different: {query}")
    own = shown_path(str(user_file(os.environ)))
    to_server = ", vault '" in done.store
    echo(f"To use it, {'set' if to_server else 'remove'} store.url in {own}, or NOTEWELL_STORE_URL")

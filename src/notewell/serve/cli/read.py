"""`notewell read`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from notewell.errors import NoteError
from notewell.index.place import Reading
from notewell.serve.answers import of_reading
from notewell.serve.cli.options import json_option, open_vault, print_json, printable, vault_option
from notewell.serve.cli.places import keep_reading, place_from_root


@click.command("read")
@click.argument("place", metavar="PATH[:LINES|#PART]")
@vault_option
@click.option("--numbers", is_flag=True, help="Print line numbers")
@click.option("--raw", is_flag=True, help="Show secrets, too; on a terminal only")
@json_option
def command(place: str, vault: Path | None, numbers: bool, raw: bool, as_json: bool) -> None:
    """Show a note, some of its lines, or a part such as a page

    Secrets are taken out here, too.

    \b
    Example:
        notewell read "Recipes/Sourdough.md:12-20"
        notewell read "Papers/Bees.pdf#page 3"
    """
    if raw and not sys.stdout.isatty():
        raise NoteError("--raw shows secrets on a terminal only", "Open the file itself, or leave --raw out")
    with open_vault(vault) as opened:
        reading = opened.read(place_from_root(opened.root, place), raw=raw)
        _tell(reading, numbers=numbers, as_json=as_json)
        keep_reading(opened, reading)


def _tell(reading: Reading, *, numbers: bool, as_json: bool) -> None:
    if as_json:
        print_json(of_reading(reading))
        return
    terminal = sys.stdout.isatty()
    for number, line in enumerate(reading.text.split("\n"), start=reading.line):
        shown = printable(line) if terminal else line
        click.echo(f"{number:6}  {shown}" if numbers else shown)

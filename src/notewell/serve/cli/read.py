"""`notewell read`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click

from notewell.errors import NoteError
from notewell.index.place import Reading, names_file
from notewell.search.budget import block
from notewell.serve.answering import notices_in_errors
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import LAST, place_from_root, read_places, remember_reading
from notewell.serve.cli.options import is_terminal, json_option, open_vault, print_data, print_json
from notewell.serve.cli.query_options import refreshed
from notewell.serve.json_data import as_data
from notewell.serve.say import echo
from notewell.types.note import Chunk
from notewell.vault import Vault


@click.command("read")
@click.argument("note", metavar="NOTE[:LINES|#PART]", shell_complete=complete_note)
@vault_to_index_option
@click.option("--numbers", is_flag=True, help="Print line numbers")
@click.option("--raw", is_flag=True, help="Show secrets too; on a terminal only")
@click.option(
    "--format",
    type=click.Choice(["text", "json", "md"]),
    help="Print text, JSON, or Markdown for a prompt. Default: text",
)
@json_option
def command(note: str, vault: Path | None, numbers: bool, raw: bool, format: str | None, as_json: bool) -> None:
    """Show a note, some of its lines, or a part such as a page

    NOTE is a path, or a unique name, title or alias; `last` is the note that was read last. Secrets are redacted here
    too.

    \b
    Example:
        notewell read "Deploy runbook"
        notewell read "Recipes/Sourdough handbook.md:12-20"
        notewell read "Papers/Bees.pdf#page 3"
        notewell read "Varroa treatment#Change from 2025"
    """
    if as_json and format not in (None, "json"):
        raise click.UsageError(f"--json and --format {format} exclude each other.")
    if raw and not is_terminal():
        raise NoteError("--raw works on a terminal only", "Open the file itself, or leave --raw out")
    with open_vault(vault) as opened:
        reading = read_named(opened, note, raw=raw)
        _print(reading, "json" if as_json else format or "text", numbers=numbers)
        remember_reading(opened, reading)


def read_named(vault: Vault, note: str, *, raw: bool = False) -> Reading:
    """Return the lines of a note as it is named in the current folder; `last` is the note that was read last."""
    place = read_places(vault, [LAST])[-1] if note == LAST else place_from_root(vault.root, note)
    # A path is read from disk. Names come from the store, which may lack the newest notes.
    by_path = names_file(vault.root, place)
    with nullcontext(()) if by_path else refreshed(vault) as notices, notices_in_errors(notices):
        return vault.read(place, raw=raw)


def _print(reading: Reading, format: str, *, numbers: bool) -> None:
    if format == "json":
        print_json(as_data(reading))
        return
    if format == "md":
        chunk = Chunk(reading.path, reading.text, reading.line, reading.end_line)
        print_data(block(replace(chunk, title=chunk.name)))
        return
    for number, line in enumerate(reading.text.split("\n"), start=reading.line):
        echo(f"{number:6}  {line}" if numbers else line)

"""`notewell backup` and `notewell restore`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option
from notewell.serve.say import counted


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@json_option
def command(file: Path, vault: Path | None, as_json: bool) -> None:
    """Copy the store to a file

    The copy is complete and consistent, even while the store is being written. It does not contain the notes
    themselves.

    \b
    Example:
        notewell backup ~/notes-store.db
    """
    with open_vault(vault) as opened:
        opened.backup(file)
    size = file.stat().st_size
    if as_json:
        print_json({"file": str(file), "bytes": size})
    else:
        click.echo(f"{file} ({size / 1e6:,.1f} MB)")


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@json_option
def restore(file: Path, vault: Path | None, as_json: bool) -> None:
    """Replace the store with a backup

    Searches use the old store until this is done. Run `notewell index` afterwards to index what changed since the
    backup.

    \b
    Example:
        notewell restore ~/notes-store.db
    """
    with open_vault(vault) as opened:
        opened.restore(file)
        about = opened.store.about()
    if as_json:
        print_json({"notes": about.notes, "chunks": about.chunks, "indexed_at": about.indexed_at})
    else:
        click.echo(f"{counted(about.notes, 'note')}, as of {about.indexed_at}")

"""`notewell backup`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@json_option
def command(file: Path, vault: Path | None, as_json: bool) -> None:
    """Copy the store to a file

    The copy is one file, whole, even while the store is written. Your notes themselves are not in it.

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

"""`notewell restore`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@vault_option
@json_option
def command(file: Path, vault: Path | None, as_json: bool) -> None:
    """Put a backup in the store's place

    Searches answer from the old state until it is done. Then `notewell index` takes in what changed since.

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
        click.echo(f"{about.notes:,} notes, as of {about.indexed_at}")

"""`notewell status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option
from notewell.vault import Status


@click.command("status")
@vault_option
@json_option
def command(vault: Path | None, as_json: bool) -> None:
    """Say what is indexed, and what is not

    \b
    Example:
        notewell status --vault ~/notes
    """
    status = open_vault(vault).status()
    if as_json:
        print_json(as_dict(status))
    else:
        _tell(status)


def as_dict(status: Status) -> dict[str, Any]:
    """Return the status as other programs read it."""
    about = status.about
    return {
        "vault": str(status.root),
        "store": str(status.store),
        "notes": about.notes if about else 0,
        "chunks": about.chunks if about else 0,
        "links": about.links if about else 0,
        "embedder": status.embedder,
        "generation": about.generation if about else 0,
        "indexed_at": about.indexed_at if about else None,
        "stale": status.stale,
        "store_bytes": about.bytes if about else 0,
        "skipped": [{"path": path, "reason": reason} for path, reason in about.skipped.items()] if about else [],
    }


def _tell(status: Status) -> None:
    about = status.about
    click.echo(f"vault     {status.root}")
    if about is None:
        click.echo("store     none yet; `notewell index` makes it")
        return
    click.echo(f"store     {status.store} ({about.bytes / 1e6:,.1f} MB)")
    click.echo(f"notes     {about.notes:,} in {about.chunks:,} chunks, {about.links:,} links")
    click.echo(f"embedder  {status.embedder}")
    click.echo(f"indexed   {about.indexed_at}, generation {about.generation}")
    if status.stale:
        click.echo(f"stale     {status.stale:,} files changed since; `notewell index` takes them in")
    for path, reason in about.skipped.items():
        click.echo(f"skipped   {path if path.isprintable() else repr(path)}: {reason}")

"""`notewell status`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.index.report import Status
from notewell.serve.cli.encode import describe_encoder
from notewell.serve.cli.options import (
    by_reason,
    describe_suffixes,
    json_option,
    open_vault,
    print_json,
    vault_option,
)
from notewell.serve.json_data import as_data
from notewell.serve.say import counted


@click.command("status")
@vault_option
@json_option
def command(vault: Path | None, as_json: bool) -> None:
    """Show what is indexed and what is not

    \b
    Example:
        notewell status --vault ~/notes
    """
    with open_vault(vault) as opened:
        status = opened.status()
    if as_json:
        print_json(as_data(status))
    else:
        _print(status)


def _print(status: Status) -> None:
    click.echo(f"vault     {status.vault}")
    if not status.indexed_at:
        click.echo("store     none yet; run `notewell index`")
        return
    click.echo(f"store     {status.store} ({status.store_bytes / 1e6:,.1f} MB)")
    click.echo(f"notes     {status.notes:,} in {counted(status.chunks, 'chunk')}, {counted(status.links, 'link')}")
    click.echo(f"embedder  {status.embedder}")
    filling = status.filling
    if filling.problem:
        click.echo(f"encoder   not usable: {filling.problem}")
    elif filling.encoder:
        click.echo(f"encoder   {describe_encoder(filling)}{'; running now' * filling.under_way}")
    else:
        click.echo("encoder   none")
    click.echo(f"indexed   {status.indexed_at}")
    if status.stale:
        click.echo(f"stale     {counted(status.stale, 'file')} changed since; run `notewell index`")
    for reason, paths in by_reason(status.skipped).items():
        click.echo(f"skipped   {paths[0] if len(paths) == 1 else f'{len(paths):,} files'}: {reason}")
        for path in paths if len(paths) > 1 else ():
            click.echo(f"            {path}")
    if status.others:
        click.echo(f"other     {describe_suffixes(status.others)}")

"""`notewell index`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.index import Report
from notewell.serve.cli import Stopped
from notewell.serve.cli.encode import encode_in_background
from notewell.serve.cli.options import json_option, open_vault, print_json, print_reasons, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.json_data import as_data
from notewell.serve.say import counted, printable, say


@click.command("index")
@click.argument("folder", metavar="[VAULT]", required=False, type=click.Path(path_type=Path))
@vault_option
@click.option("--full", is_flag=True, help="Index every note again")
@click.option("--verbose", "-v", is_flag=True, help="List every redaction by kind and place, and every skipped file")
@json_option
def command(folder: Path | None, vault: Path | None, full: bool, verbose: bool, as_json: bool) -> None:
    """Index new and changed notes

    Secrets are redacted before anything is stored. A note that did not change is not read again.

    \b
    Example:
        notewell index ~/notes
    """
    if folder and vault and folder.resolve() != vault.resolve():
        raise click.UsageError("VAULT and --vault name two folders.")
    with open_vault(folder or vault) as opened:
        with progress_shown() as progress:
            report = opened.index(full=full, progress=progress)
        encode_in_background(opened)
    if as_json:
        print_json(as_data(report))
    else:
        _print(report, verbose)
    if report.interrupted:
        say(f"stopped; what was done is kept. Run `notewell index{' --full' * full}` again to continue")
        raise Stopped


def _print(report: Report, verbose: bool) -> None:
    changes = f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"
    sizes = f"{counted(report.notes, 'note')}, {counted(report.chunks, 'chunk')}"
    click.echo(f"{sizes} ({changes}) in {report.seconds:.1f} s")
    if report.redacted:
        click.echo(f"{counted(report.redacted, 'secret')} redacted" + ("" if verbose else "; --verbose shows where"))
    for found in report.redactions if verbose else ():
        click.echo(f"  {printable(found.path)}:{found.line} {found.rule}")
    print_reasons("skipped", report.skipped, verbose=verbose)
    print_reasons("warned about", report.warnings, verbose=verbose)

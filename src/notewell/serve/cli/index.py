"""`notewell index`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.index import Report
from notewell.serve.answers import of_report
from notewell.serve.cli.encode_behind import fill_behind
from notewell.serve.cli.options import counted, json_option, open_vault, print_json, tell_reasons, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.serve.say import printable, say
from notewell.store import About


@click.command("index")
@click.argument("folder", metavar="[VAULT]", required=False, type=click.Path(path_type=Path))
@vault_option
@click.option("--full", is_flag=True, help="Index every note anew")
@click.option(
    "--verbose", "-v", is_flag=True, help="Name every redaction by its kind and place, and every skipped file"
)
@json_option
def command(folder: Path | None, vault: Path | None, full: bool, verbose: bool, as_json: bool) -> None:
    """Bring the store up to date with the folder

    Only what changed is read again. Secrets are taken out before anything is stored.

    \b
    Example:
        notewell index ~/notes
    """
    if folder and vault and folder.resolve() != vault.resolve():
        raise click.UsageError("The vault is named twice")
    with open_vault(folder or vault) as opened:
        with progress_shown() as progress:
            report = opened.index(full=full, progress=progress)
        about = opened.store.about()
        fill_behind(opened)
    if as_json:
        print_json(of_report(report, about))
    else:
        _tell(report, about, verbose)
    if report.interrupted:
        say(f"stopped; what was done is kept. Run `notewell index{' --full' * full}` again to go on")
        raise Stopped


def _tell(report: Report, about: About, verbose: bool) -> None:
    changes = f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"
    sizes = f"{counted(about.notes, 'note')}, {counted(about.chunks, 'chunk')}"
    click.echo(f"{sizes} ({changes}) in {report.seconds:.1f} s")
    if report.redacted:
        click.echo(
            f"{counted(len(report.redacted), 'secret')} redacted" + ("" if verbose else "; --verbose says where")
        )
    for path, line, rule in report.redacted if verbose else ():
        click.echo(f"  {printable(path)}:{line} {rule}")
    tell_reasons("skipped", about.skipped, verbose=verbose)
    tell_reasons("warned about", report.warned, verbose=verbose)

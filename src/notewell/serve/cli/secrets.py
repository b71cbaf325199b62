"""`notewell secrets`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from notewell.index.secrets import Secret, SecretReport
from notewell.serve.answers import listed_reasons
from notewell.serve.cli.complete import complete_note
from notewell.serve.cli.options import (
    counted,
    from_root,
    json_option,
    open_vault,
    print_json,
    printable,
    say,
    tell_reasons,
    vault_option,
)
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped

UNREAD = 3


@click.command("secrets")
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_note)
@vault_option
@json_option
def command(paths: tuple[str, ...], vault: Path | None, as_json: bool) -> None:
    """Say where secrets are in the notes, to clean them up

    Without PATH all notes are looked through. A secret itself is never shown, only its place and kind. Exit code 1 if
    there is any, 3 if there is none in what could be read, and some could not: for use in a hook.

    \b
    Example:
        notewell secrets
        git diff --cached --name-only -z --diff-filter=d | xargs -0 -r notewell secrets
    """
    with open_vault(vault) as opened, progress_shown("Looking", "looked through {:,} of {:,} files") as progress:
        report = opened.secrets([from_root(opened.root, path) for path in paths], progress)
        stopped = progress.stop()
    if as_json:
        print_json(as_dict(report))
    else:
        _tell(report)
    if stopped:
        raise Stopped
    if report.secrets or report.skipped:
        raise SystemExit(1 if report.secrets else UNREAD)


def as_dict(report: SecretReport) -> dict[str, object]:
    """Return the report as other programs read it."""
    return {
        "files": report.files,
        "secrets": [asdict(secret) for secret in report.secrets],
        "skipped": listed_reasons(report.skipped),
    }


def _tell(report: SecretReport) -> None:
    for secret in report.secrets:
        click.echo(printable(f"{secret.path}{_place(secret)}  {secret.rule}"))
    notes = len({secret.path for secret in report.secrets})
    none = "no secret in what could be read" if report.skipped else "no secret"
    found = f"{counted(len(report.secrets), 'secret')} in {counted(notes, 'note')}" if notes else none
    say(f"{found}; {counted(report.files, 'file')} looked through")
    tell_reasons("not read", report.skipped, verbose=True)


def _place(secret: Secret) -> str:
    if not secret.line:
        return " (in its name)"
    return f":{secret.line}{f' ({secret.place})' if secret.place else ''}"

"""`notewell secrets`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.files.control_chars import shown_path
from notewell.index.secrets import Secret, SecretReport
from notewell.serve.cli import Stopped
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.options import (
    from_root,
    json_option,
    open_vault,
    print_reasons,
    print_result,
    vault_option,
)
from notewell.serve.cli.progress import progress_shown
from notewell.serve.say import counted, echo, say

UNREAD = 3


@click.command("secrets")
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_note)
@vault_option
@json_option
def command(paths: tuple[str, ...], vault: Path | None, as_json: bool) -> None:
    """List secrets in the notes, so that you can remove them

    Without PATH, all notes are checked. Only the place and kind of a secret are shown, never the secret itself. Exit
    code 1 if there is any, 3 if there is none but some files could not be read, for use in a hook.

    \b
    Example:
        notewell secrets
        git diff --cached --name-only -z --diff-filter=d | xargs -0 -r notewell secrets
    """
    with open_vault(vault) as opened, progress_shown("Checking", "checked {:,} of {:,} files") as progress:
        report = opened.secrets([from_root(opened.root, path) for path in paths], progress)
        stopped = progress.stop()
    print_result(report, as_json, _print)
    if stopped:
        raise Stopped
    if report.secrets or report.skipped:
        raise SystemExit(1 if report.secrets else UNREAD)


def _print(report: SecretReport) -> None:
    for secret in report.secrets:
        echo(f"{shown_path(secret.path)}{_place(secret)}  {secret.rule}")
    notes = len({secret.path for secret in report.secrets})
    none = "no secrets in the readable files" if report.skipped else "no secrets"
    found = f"{counted(len(report.secrets), 'secret')} in {counted(notes, 'note')}" if notes else none
    say(f"{found}; {counted(report.files, 'file')} checked")
    print_reasons("unreadable file", report.skipped, verbose=True)


def _place(secret: Secret) -> str:
    if not secret.line:
        return " (in the file name)"
    return f":{secret.line}{f' ({secret.place})' if secret.place else ''}"

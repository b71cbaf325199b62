"""`notewell watch`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from threading import Event

import click

from notewell.index import Report
from notewell.serve.cli.encode import encode_in_background
from notewell.serve.cli.options import json_option, open_vault, vault_option
from notewell.serve.say import say


@click.command("watch")
@vault_option
@json_option
def command(vault: Path | None, as_json: bool) -> None:
    """Keep the store up to date while you write

    A saved note is searchable within a second. Ctrl-C stops it. --json prints each change as a line.

    \b
    Example:
        notewell watch --vault ~/notes
    """
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def report_changes(report: Report) -> None:
        encode_in_background(opened)
        if as_json:
            counts = ("added", "changed", "removed", "seconds")
            click.echo(json.dumps({name: getattr(report, name) for name in counts}))
        else:
            changes = f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"
            click.echo(f"{changes} in {report.seconds:.2f} s")

    with open_vault(vault) as opened:
        say(f"watching {opened.root}")
        opened.watch(report_changes, stop, warn=say)

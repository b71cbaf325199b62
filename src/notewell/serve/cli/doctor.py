"""`notewell doctor`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from notewell.errors import StoreDamaged
from notewell.serve.cli.options import json_option, open_vault, print_json, vault_option
from notewell.serve.say import say


@click.command("doctor")
@vault_option
@click.option("--repair", is_flag=True, help="Rebuild the store if it has errors")
@json_option
def command(vault: Path | None, repair: bool, as_json: bool) -> None:
    """Check the store for errors, and repair it

    Everything that can be derived from the notes is computed again and compared with the store, and every stored line
    is checked for secrets. Exit code 1 if there are errors that were not repaired.

    \b
    Example:
        notewell doctor --repair
    """
    with open_vault(vault) as opened:
        # A damaged store is what this command is for.
        with suppress(StoreDamaged):
            opened.check_indexed()
        if not as_json:
            say("checking the whole store")
        diagnosis = opened.doctor(repair=repair)
    if as_json:
        print_json({"problems": list(diagnosis.problems), "repaired": diagnosis.repaired})
    else:
        for problem in diagnosis.problems:
            click.echo(problem)
        click.echo("repaired" if diagnosis.repaired else "not sound" if diagnosis.problems else "sound")
    if diagnosis.problems and not diagnosis.repaired:
        raise SystemExit(1)

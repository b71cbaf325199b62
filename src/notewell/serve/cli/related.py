"""`notewell related`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.inputs import read_places
from notewell.serve.cli.options import vault_option
from notewell.serve.cli.query_options import Page, PageCommand, page_options, vault_to_ask
from notewell.serve.cli.results import print_results


@click.command("related", cls=PageCommand)
@click.argument("notes", nargs=-1, required=True, metavar="NOTE...", shell_complete=complete_note)
@vault_option
@page_options
def command(notes: tuple[str, ...], vault: Path | None, page: Page) -> None:
    """Find the notes most like one or several notes

    NOTE is a path, a unique name or title, some lines (Bees.md:12), or a part (Bees.pdf#page 3). `last` stands for the
    notes that `notewell read` showed within the last hour; write last.md for a note of that name. Each related note is
    listed once, with its most similar lines.

    \b
    Example:
        notewell related "Garden/Varroa treatment.md"
        notewell related last
    """
    with vault_to_ask(vault, page.settings, refresh=page.refresh) as (opened, notices):
        results = opened.search(replace(page.query, like=tuple(read_places(opened, notes))))
        print_results(results, notices, page=page, vault=opened)

"""`notewell related`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.serve.cli.complete import complete_note
from notewell.serve.cli.options import vault_option
from notewell.serve.cli.places import read_places
from notewell.serve.cli.query_options import Page, PageCommand, page_options, vault_to_ask
from notewell.serve.cli.results import tell_results
from notewell.serve.parameters import rules_of


@click.command("related", cls=PageCommand)
@click.argument("notes", nargs=-1, required=True, metavar="NOTE...", shell_complete=complete_note)
@vault_option
@page_options
def command(notes: tuple[str, ...], vault: Path | None, page: Page) -> None:
    """Find the notes most like NOTE, or like several

    A NOTE is a path, a name or title that no other note has, some lines (Bees.md:12), or a part (Bees.pdf#page 3).
    `last` are those that `notewell read` showed within the hour; a note of that name is last.md. Each note has one hit,
    its lines most like NOTE.

    \b
    Example:
        notewell related "Garden/Varroa treatment.md"
        notewell related last
    """
    with vault_to_ask(vault, page.settings, refresh=page.refresh) as (opened, notices):
        results = opened.related(*read_places(opened, notes), **rules_of(page))
        tell_results(results, notices, page=page, vault=opened)

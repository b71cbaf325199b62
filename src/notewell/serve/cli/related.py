"""`notewell related`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.asked import Filters
from notewell.serve.cli.asking import page_options, vault_to_ask
from notewell.serve.cli.options import json_option, vault_option
from notewell.serve.cli.places import read_places
from notewell.serve.cli.results import tell_results


@click.command("related")
@click.argument("notes", nargs=-1, required=True, metavar="NOTE...")
@vault_option
@page_options
@json_option
def command(
    notes: tuple[str, ...],
    vault: Path | None,
    limit: int | None,
    under: str,
    tag: tuple[str, ...],
    kind: tuple[str, ...],
    lang: tuple[str, ...],
    after: str,
    before: str,
    where: dict[str, list[str]],
    max_tokens: int | None,
    fusion: str | None,
    decay: str | None,
    explain: bool,
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Find the notes most like NOTE, or like several

    A NOTE is a path, a name or title that no other note has, some lines (Bees.md:12), or a part (Bees.pdf#page 3).
    `last` are those that `notewell read` showed within the hour; a note of that name is last.md. Each note has one hit,
    its lines most like NOTE.

    \b
    Example:
        notewell related "Garden/Varroa treatment.md"
        notewell related last
    """
    only = Filters(tag=tag, type=kind, lang=lang, after=after, before=before, where=where)
    chosen = {"search.fusion": fusion, "decay.mode": decay}
    with vault_to_ask(vault, chosen, refresh=not no_refresh) as (opened, notices):
        places = read_places(opened, notes)
        results = opened.related(*places, limit=limit, under=under, only=only, max_tokens=max_tokens)
        budget = opened.settings.search.max_tokens if max_tokens is None else max_tokens
        tell_results(results, notices, as_json=as_json, budget=budget, explain=explain)

"""`notewell search` and `notewell related`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from notewell.search.plan import checked_query
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import STDIN, is_piped, read_places, read_query
from notewell.serve.cli.query_options import Page, PageCommand, option, page_options, vault_to_ask
from notewell.serve.cli.results import print_results
from notewell.serve.last_search import remember_search
from notewell.serve.parameters import QUERY
from notewell.types.notices import Notice
from notewell.types.query import NO_FILTERS, Query
from notewell.types.results import DeepResults, Results
from notewell.vault import Vault


@click.command("search", cls=PageCommand)
@click.argument("text", nargs=-1)
@vault_to_index_option
@page_options
@option(QUERY["like"], more="`last` is the note read last; write last.md for a note of that name")
@option(QUERY["all"])
@option(QUERY["expand"])
@option(QUERY["rerank"])
@click.option(
    "--mode",
    type=click.Choice(get_args(QUERY["mode"].kind)),
    default="fast",
    help=f"{QUERY['mode'].help}, side by side. Default: fast",
)
@click.option("--deep", "mode", flag_value="deep", help="Same as --mode deep")
def command(text: tuple[str, ...], vault: Path | None, page: Page, like: list[str], mode: str) -> None:
    """Find the lines that answer TEXT

    TEXT may contain syntax: "an exact phrase", -word, auth*, tag:bees, path:Garden, after:2024-05, status:open,
    lex:word, vec:"a meaning", like:"a note"; see `notewell help query`. Everything else is plain text, and - reads
    stdin. Without words, the newest matching notes are listed. A new vault is indexed first.

    --deep starts from the eight best notes and follows their links, up to four in a row, to notes similar to TEXT: at
    most fifty, each once, with how it was reached.

    \b
    Example:
        notewell search "why did the bread collapse" --under Recipes
        notewell search 'mites "formic acid" -oxalic tag:beekeeping'
        pbpaste | notewell search -
    """
    asks_nothing = not text and not like and not page.query.under and page.query.filters == NO_FILTERS
    if text == (STDIN,) or (asks_nothing and is_piped()):
        text = (read_query(),)
    elif asks_nothing:
        raise click.UsageError("Missing argument 'TEXT...'.")
    if mode == "compare" and page.format in ("jsonl", "md", "csv", "paths"):
        raise click.UsageError(f"--mode compare prints two lists, and --format {page.format} has room for one.")
    query = replace(page.query, text=" ".join(text), like=tuple(like))
    checked_query(query)
    with vault_to_ask(vault, page.settings, refresh=page.refresh) as (opened, notices):
        query = replace(query, like=tuple(read_places(opened, like)))
        if mode == "fast":
            results = opened.search(query)
            print_results(results, notices, page=page, vault=opened)
        else:
            results = _follow_links(opened, query, notices, page, mode)
        remember_search(opened.root, results)
    page.end(found=bool(results.hits))


def _follow_links(vault: Vault, query: Query, notices: tuple[Notice, ...], page: Page, mode: str) -> Results:
    # Loaded on demand: most searches do not follow links.
    from notewell.serve.cli.deep import print_both, print_deep  # noqa: PLC0415

    if mode == "compare":
        both = vault.compare(query)
        print_both(both, notices, page=page, vault=vault)
        return both.fast if both.fast.hits else both.deep
    deep = vault.search(replace(query, mode="deep"))
    assert isinstance(deep, DeepResults), "deep mode returns deep results"
    print_deep(deep, notices, page=page, vault=vault)
    return deep


@click.command("related", cls=PageCommand)
@click.argument("note", nargs=-1, required=True, metavar="NOTE...", shell_complete=complete_note)
@vault_to_index_option
@page_options
def related(note: tuple[str, ...], vault: Path | None, page: Page) -> None:
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
        results = opened.search(replace(page.query, like=tuple(read_places(opened, note))))
        print_results(results, notices, page=page, vault=opened)
    page.end(found=bool(results.hits))

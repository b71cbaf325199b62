"""`notewell search`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.asked import ALL, Filters
from notewell.serve.cli.asking import page_options, vault_to_ask
from notewell.serve.cli.options import json_option, vault_option
from notewell.serve.cli.places import read_places
from notewell.serve.cli.results import tell_results


@click.command("search")
@click.argument("text", nargs=-1)
@vault_option
@page_options
@click.option(
    "--like",
    metavar="PATH[:LINES]|last",
    multiple=True,
    help="Lean to what is like this note, or those that `notewell read` showed last (a note of that name is last.md); "
    "may be repeated",
)
@click.option(
    "--mode",
    type=click.Choice(["fast", "deep", "compare"]),
    default="fast",
    help="Search as usual, far along links, or both side by side. Default: fast",
)
@click.option("--deep", "mode", flag_value="deep", help="The same as --mode deep")
@json_option
def command(
    text: tuple[str, ...],
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
    like: tuple[str, ...],
    mode: str,
    as_json: bool,
) -> None:
    """Find the lines that answer TEXT

    TEXT may hold syntax: "an exact phrase", -word, auth*, tag:bees, path:Garden, after:2024-05, status:open, lex:word,
    vec:"a meaning", like:"a note". Whatever is not syntax is text. Without any words, the newest notes that fit are
    listed. A vault that was never indexed is indexed first.

    --deep begins with the eight best notes and goes along their links, four hops, to up to fifty notes that are not far
    from TEXT; each says how it was reached. Notes are listed once each, and all of them unless --limit says how many.

    \b
    Example:
        notewell search "why did the bread collapse" --under Recipes
        notewell search 'mites "formic acid" -oxalic tag:bees'
    """
    only = Filters(tag=tag, type=kind, lang=lang, after=after, before=before, where=where)
    if not text and not under and not like and only == ALL:
        raise click.UsageError("Missing argument 'TEXT...'.")
    chosen = {"search.fusion": fusion, "decay.mode": decay}
    with vault_to_ask(vault, chosen, refresh=not no_refresh) as (opened, notices):
        only, asked = only.leaning_to(*read_places(opened, like)), " ".join(text)
        if mode == "deep":
            # Most searches do not go along links, and a cold command line does not pay for it.
            from notewell.serve.cli.deep import tell_deep  # noqa: PLC0415

            deep = opened.deepen(asked, limit=limit, under=under, only=only, max_tokens=max_tokens)
            tell_deep(deep, notices, as_json=as_json, explain=explain)
            return
        if mode == "compare":
            from notewell.serve.cli.deep import tell_both  # noqa: PLC0415

            both = opened.compare(asked, limit=limit, under=under, only=only, max_tokens=max_tokens)
            tell_both(both, notices, as_json=as_json, explain=explain)
            return
        results = opened.search(asked, limit=limit, under=under, only=only, max_tokens=max_tokens)
        budget = opened.settings.search.max_tokens if max_tokens is None else max_tokens
        tell_results(results, notices, as_json=as_json, budget=budget, explain=explain)

"""How commands print a page of hits: for a person, for a program, for a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from notewell.search import context
from notewell.serve.answers import of_results, with_notices
from notewell.serve.cli.clickable import clicker
from notewell.serve.cli.explain import told_hit
from notewell.serve.cli.formats import as_csv, as_paths
from notewell.serve.cli.options import counted, is_terminal, print_json, tell_data, wrapped
from notewell.serve.cli.query_options import Page
from notewell.serve.say import printable, say
from notewell.types.results import Excerpt, Results
from notewell.vault import Vault

INDENT = 4
# In a narrower window lines would be of one word each.
LEAST = 30


def tell_results(results: Results, notices: tuple[str, ...], *, page: Page, vault: Vault) -> None:
    """Print a page as it was asked for, and on stderr what the user should know of it."""
    results = with_notices(results, notices)
    for notice in results.notices:
        say(f"note: {notice}")
    budget = vault.settings.search.max_tokens if page.max_tokens is None else page.max_tokens
    format = page.format or ("md" if budget else "text")
    if format == "json":
        print_json(of_results(results, vault.root, explain=page.explain))
    elif format == "text":
        tell_page(results, vault, explain=page.explain)
    else:
        _tell_data(results, format, page)


def _tell_data(results: Results, format: str, page: Page) -> None:
    """Print hits for a program, and nothing but them."""
    if not len(results) and not results.left_out:
        say("nothing found")
    if page.explain:
        # A prompt or a table holds notes alone: how they were found is for the person who asks.
        _tell_scores(results)
    if format == "paths":
        tell_data(as_paths(results, null=page.null))
    else:
        tell_data(as_csv(results) if format == "csv" else context([excerpt.hit for excerpt in results]))


def _tell_scores(results: Results) -> None:
    if results.read_as:
        say(f"read as: {'; '.join(results.read_as)}")
    for excerpt in results:
        chunk = excerpt.hit.chunk
        say(f"{chunk.path}:{chunk.line}  {chunk.heading}  {excerpt.score:.3f}")
        for line in told_hit(excerpt.hit):
            say(line)


def tell_page(results: Results, vault: Vault, *, explain: bool, why: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print hits for a person; `why` says, by path, how a note was come upon."""
    clickable, columns = clicker(vault), _columns()
    if explain and results.read_as:
        click.echo(f"read as: {printable('; '.join(results.read_as))}")
    if not len(results):
        say("nothing found")
    for excerpt in results:
        place = clickable(click.style(printable(f"{excerpt.path}:{excerpt.line}"), fg="cyan"), excerpt)
        part = f" ({excerpt.place})" if excerpt.place else ""
        click.echo(
            f"{place}{part}  {click.style(printable(excerpt.hit.chunk.heading), bold=True)}  {excerpt.score:.3f}"
        )
        for line in _highlighted(excerpt).split("\n"):
            for piece in wrapped(line, columns - INDENT) if columns else (line,):
                click.echo(f"{'':{INDENT}}{piece}")
        if excerpt.path in why:
            click.echo(click.style(f"    {printable(why[excerpt.path])}", dim=True))
        if excerpt.hit.also:
            click.echo(f"    {_told(excerpt.hit.also)}")
        for line in told_hit(excerpt.hit) if explain else ():
            click.echo(line)


def _columns() -> int:
    """Return how wide the window is; 0 where there is none, and lines stay whole."""
    if not is_terminal():
        return 0
    # Only a person at a terminal pays its 4 ms.
    from shutil import get_terminal_size  # noqa: PLC0415

    return max(LEAST, get_terminal_size().columns)


def _told(also: tuple[str, ...]) -> str:
    """Return where else the same is said, the first place by name."""
    more = f" and {counted(len(also) - 1, 'other place')}" if len(also) > 1 else ""
    return click.style(f"the same in {printable(also[0])}{more}", dim=True)


def _highlighted(excerpt: Excerpt) -> str:
    parts: list[str] = []
    at = 0
    for start, end in excerpt.highlights:
        word = click.style(printable(excerpt.text[start:end]), fg="yellow", bold=True)
        parts += printable(excerpt.text[at:start]), word
        at = end
    return "".join((*parts, printable(excerpt.text[at:])))

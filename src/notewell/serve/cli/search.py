"""`notewell search`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from notewell.search import context
from notewell.search.fuse import FUSIONS
from notewell.search.rank.ways import MODES
from notewell.serve.cli.behind import fill_behind
from notewell.serve.cli.options import counted, json_option, open_vault, print_json, printable, say, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.types import ALL, Excerpt, Filters, Results


@click.command("search")
@click.argument("text", nargs=-1)
@vault_option
@click.option("--limit", "-n", metavar="N", type=click.IntRange(1), help="How many results. Default: search.limit, 10")
@click.option("--under", metavar="PATH", default="", help="Look only in this folder or note")
@click.option(
    "--tag", metavar="TAG", multiple=True, help="Only notes with this tag, or one nested in it; may be repeated"
)
@click.option("--type", "kind", metavar="TYPE", multiple=True, help="Only notes whose front matter has this type")
@click.option("--lang", metavar="LANG", multiple=True, help="Only notes in this language: python, de, c++")
@click.option(
    "--after", metavar="DATE", default="", help="Only notes of this day or later: 2024-05-01, 2024, 7d, today"
)
@click.option("--before", metavar="DATE", default="", help="Only notes of the days before this one")
@click.option(
    "--where",
    metavar="KEY=VALUE",
    multiple=True,
    callback=lambda *given: _pairs(given[-1]),
    help="Only notes whose front matter says so: status=open, rating=3..5; may be repeated",
)
@click.option(
    "--max-tokens",
    metavar="N",
    type=click.IntRange(1),
    help="Print chunks as Markdown for a prompt, cut to N tokens of 4 characters",
)
@click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How the two rankings become one")
@click.option("--decay", type=click.Choice(MODES), help="Whether older notes count less. Default: decay.mode, off")
@click.option("--explain", is_flag=True, help="Say how each score came about")
@click.option("--no-refresh", is_flag=True, help="Do not look for changed files first")
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
    as_json: bool,
) -> None:
    """Find the lines that answer TEXT

    TEXT may hold syntax: "an exact phrase", -word, auth*, tag:bees, path:Garden, after:2024-05, status:open, lex:word,
    vec:"a meaning". Whatever is not syntax is text. Without any words, the newest notes that fit are listed. A vault
    that was never indexed is indexed first.

    \b
    Example:
        notewell search "why did the bread collapse" --under Recipes
        notewell search 'mites "formic acid" -oxalic tag:bees'
    """
    only = Filters(tag=tag, type=kind, lang=lang, after=after, before=before, where=where)
    if not text and not under and only == ALL:
        raise click.UsageError("Missing argument 'TEXT...'.")
    with open_vault(vault, {"search.fusion": fusion, "decay.mode": decay}) as opened, progress_shown() as progress:
        first = not opened.indexed
        refresh = first or not no_refresh
        if first:
            say(f"indexing {opened.root}")
        results = opened.search(
            " ".join(text),
            limit=limit,
            under=under,
            only=only,
            max_tokens=max_tokens,
            refresh=progress if refresh else False,
        )
        budget = opened.settings.search.max_tokens if max_tokens is None else max_tokens
        for notice in results.notices:
            say(f"note: {notice}")
        if as_json:
            print_json({**as_dict(results), **({"read_as": list(results.read_as)} if explain else {})})
        elif budget:
            _tell_context(results, budget)
        else:
            _tell(results, explain)
        if first:
            fill_behind(opened)
        if progress.stop():
            raise Stopped


def _pairs(given: tuple[str, ...]) -> dict[str, list[str]]:
    """Return what `--where` was given, by key."""
    values: dict[str, list[str]] = {}
    for text in given:
        key, _, value = (part.strip() for part in text.partition("="))
        if not key or not value:
            raise click.BadParameter(f"'{text}' is not KEY=VALUE, such as status=open")
        values.setdefault(key, []).append(value)
    return values


def as_dict(results: Results) -> dict[str, Any]:
    """Return the results as other programs read them."""
    return {
        "query": results.query,
        "hits": [_hit(excerpt) for excerpt in results],
        "generation": results.generation,
        "took_ms": results.took_ms,
        "notices": list(results.notices),
    }


def _hit(excerpt: Excerpt) -> dict[str, Any]:
    chunk = excerpt.hit.chunk
    return {
        "path": chunk.path,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "place": chunk.place,
        "heading": chunk.heading,
        "title": chunk.title,
        "score": round(excerpt.score, 6),
        "text": chunk.text,
        "also": list(excerpt.hit.also),
        "retrievers": dict(excerpt.hit.ranks),
        "trace": [{"by": step.by, "why": step.why, "score": round(step.score, 6)} for step in excerpt.hit.trace],
        "excerpt": {
            "text": excerpt.text,
            "line": excerpt.line,
            "end_line": excerpt.end_line,
            "place": excerpt.place,
        },
    }


def _tell_context(results: Results, budget: int) -> None:
    if not len(results):
        say(f"nothing fits into {budget} tokens, or nothing was found")
    block = context([excerpt.hit for excerpt in results])
    click.echo(printable(block) if sys.stdout.isatty() else block, nl=False)


def _tell(results: Results, explain: bool) -> None:
    if explain and results.read_as:
        click.echo(f"read as: {printable('; '.join(results.read_as))}")
    if not len(results):
        say("nothing found")
    for excerpt in results:
        place = click.style(printable(f"{excerpt.path}:{excerpt.line}"), fg="cyan")
        part = f" ({excerpt.place})" if excerpt.place else ""
        click.echo(
            f"{place}{part}  {click.style(printable(excerpt.hit.chunk.heading), bold=True)}  {excerpt.score:.3f}"
        )
        for line in _highlighted(excerpt).split("\n"):
            click.echo(f"    {line}")
        if excerpt.hit.also:
            click.echo(f"    {_told(excerpt.hit.also)}")
        if explain:
            ranks = ", ".join(f"{name} rank {rank or '–'}" for name, rank in excerpt.hit.ranks.items())
            click.echo(f"    {ranks}")
        for step in excerpt.hit.trace if explain else ():
            click.echo(f"    {step.score:.4f}  {step.by}: {printable(step.why)}")


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

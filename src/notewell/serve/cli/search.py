"""`notewell search`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from notewell.search import context
from notewell.serve.cli.options import json_option, open_vault, print_json, progress_shown, say, vault_option
from notewell.types import Excerpt, Results


@click.command("search")
@click.argument("text", nargs=-1, required=True)
@vault_option
@click.option("--limit", "-n", metavar="N", type=click.IntRange(1, 1000), help="How many results. Default: 10")
@click.option("--under", metavar="PATH", default="", help="Look only in this folder or note")
@click.option(
    "--max-tokens",
    metavar="N",
    type=click.IntRange(1),
    help="Print whole chunks as Markdown, cut to N tokens of 4 characters: a block for a prompt",
)
@click.option("--fusion", type=click.Choice(["scores", "rrf"]), help="How the two rankings become one")
@click.option("--explain", is_flag=True, help="Say how each score came about")
@click.option("--no-refresh", is_flag=True, help="Do not look for changed files first")
@json_option
def command(
    text: tuple[str, ...],
    vault: Path | None,
    limit: int | None,
    under: str,
    max_tokens: int | None,
    fusion: str | None,
    explain: bool,
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Find the lines that answer TEXT

    \b
    Example:
        notewell search "why did the bread collapse" --under Recipes
    """
    opened = open_vault(vault, {"search.fusion": fusion})
    if not (no_refresh and opened.indexed):
        with progress_shown() as progress:
            notice = opened.refresh(progress)
        if notice:
            say(f"note: {notice}")
    results = opened.search(" ".join(text), limit=limit, under=under, max_tokens=max_tokens)
    for notice in results.notices:
        say(f"note: {notice}")
    if as_json:
        print_json(as_dict(results))
    elif max_tokens:
        click.echo(context([excerpt.hit for excerpt in results]), nl=False)
    else:
        _tell(results, explain)


def as_dict(results: Results) -> dict[str, Any]:
    """Return the results as other programs read them."""
    return {
        "query": results.query,
        "hits": [_hit(excerpt) for excerpt in results],
        "generation": results.generation,
        "took_ms": results.took_ms,
    }


def _hit(excerpt: Excerpt) -> dict[str, Any]:
    chunk = excerpt.hit.chunk
    return {
        "path": chunk.path,
        "line": chunk.line,
        "end_line": chunk.end_line,
        "heading": chunk.heading,
        "title": chunk.title,
        "score": round(excerpt.score, 6),
        "text": chunk.text,
        "retrievers": dict(excerpt.hit.ranks),
        "trace": [{"by": step.by, "why": step.why, "score": round(step.score, 6)} for step in excerpt.hit.trace],
        "excerpt": {"text": excerpt.text, "line": excerpt.line, "end_line": excerpt.end_line},
    }


def _tell(results: Results, explain: bool) -> None:
    if not len(results):
        say("nothing found")
    for excerpt in results:
        place = click.style(f"{excerpt.path}:{excerpt.line}", fg="cyan")
        click.echo(f"{place}  {click.style(excerpt.hit.chunk.heading, bold=True)}  {excerpt.score:.3f}")
        for line in _highlighted(excerpt).split("\n"):
            click.echo(f"    {line}")
        for step in excerpt.hit.trace if explain else ():
            ranks = ", ".join(f"{name} rank {rank or '–'}" for name, rank in excerpt.hit.ranks.items())
            click.echo(f"    {step.score:.4f}  {step.by}: {step.why} ({ranks})")


def _highlighted(excerpt: Excerpt) -> str:
    parts: list[str] = []
    at = 0
    for start, end in excerpt.highlights:
        parts += excerpt.text[at:start], click.style(excerpt.text[start:end], fg="yellow", bold=True)
        at = end
    return "".join((*parts, excerpt.text[at:]))

"""How commands print a page of hits: for a person, for a program, for a prompt."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from notewell.search import context
from notewell.serve.cli.explain import factors, told_hit, votes
from notewell.serve.cli.options import counted, print_json, printable, say
from notewell.types import Excerpt, Hit, Results


def tell_results(results: Results, notices: tuple[str, ...], *, as_json: bool, budget: int, explain: bool) -> None:
    """Print a page as it was asked for, and on stderr what the user should know of it."""
    results = replace(results, notices=(*notices, *results.notices))
    for notice in results.notices:
        say(f"note: {notice}")
    if as_json:
        print_json(as_dict(results, explain=explain))
    elif budget:
        _tell_context(results, budget)
    else:
        tell_page(results, explain=explain)


def as_dict(results: Results, *, explain: bool = False) -> dict[str, Any]:
    """Return the results as other programs read them."""
    return {
        "query": results.query,
        "hits": [_hit(excerpt, explain) for excerpt in results],
        "generation": results.generation,
        "took_ms": results.took_ms,
        "notices": list(results.notices),
        **({"read_as": list(results.read_as)} if explain else {}),
    }


def _hit(excerpt: Excerpt, explain: bool) -> dict[str, Any]:
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
        "trace": _trace(excerpt.hit, explain),
        "excerpt": {
            "text": excerpt.text,
            "line": excerpt.line,
            "end_line": excerpt.end_line,
            "place": excerpt.place,
            "highlights": [list(span) for span in excerpt.highlights],
        },
        **({"votes": votes(excerpt.hit)} if explain else {}),
    }


def _trace(hit: Hit, explain: bool) -> list[dict[str, Any]]:
    return [
        {"by": step.by, "why": step.why, "score": round(step.score, 6), **({"factor": factor} if explain else {})}
        for step, factor in zip(hit.trace, factors(hit), strict=True)
    ]


def _tell_context(results: Results, budget: int) -> None:
    if not len(results):
        say(f"nothing fits into {budget} tokens, or nothing was found")
    block = context([excerpt.hit for excerpt in results])
    click.echo(printable(block) if sys.stdout.isatty() else block, nl=False)


def tell_page(results: Results, *, explain: bool, why: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print hits for a person; `why` says, by path, how a note was come upon."""
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
        if excerpt.path in why:
            click.echo(click.style(f"    {printable(why[excerpt.path])}", dim=True))
        if excerpt.hit.also:
            click.echo(f"    {_told(excerpt.hit.also)}")
        for line in told_hit(excerpt.hit) if explain else ():
            click.echo(line)


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

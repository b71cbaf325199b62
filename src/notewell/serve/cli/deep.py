"""How deep mode is printed: each hit with how it was reached, what was dropped and why, beside a usual search."""

from __future__ import annotations

from itertools import zip_longest
from unicodedata import east_asian_width

import click

from notewell.graph.deep import Deep, told
from notewell.graph.traverse import Visit
from notewell.serve.answers import of_deep, of_results
from notewell.serve.cli.asking import Page
from notewell.serve.cli.options import counted, print_json, printable, say
from notewell.serve.cli.results import tell_page, tell_results
from notewell.types import Results
from notewell.vault import Vault

# Of the notes that were dropped, as many as one reads; `--json` has all.
SHOWN = 5
# Two columns and what parts them fit into 80 signs.
COLUMN = 39


def tell_deep(deep: Deep, notices: tuple[str, ...], *, page: Page, vault: Vault) -> None:
    """Print what deep mode found, and on stderr how far it went."""
    if page.format in ("md", "csv", "paths"):
        tell_results(deep.results, notices, page=page, vault=vault)
        return
    for notice in (*notices, *deep.results.notices):
        say(f"note: {notice}")
    if page.format == "json":
        print_json(of_deep(deep, explain=page.explain, root=vault.root))
        return
    why = {path: told(visit) for path, visit in deep.visits.items()}
    tell_page(deep.results, vault, explain=page.explain, why=why)
    walk = deep.walk
    say(f"kept {counted(len(walk.kept), 'note')} of {len(walk.visits):,}, by {counted(walk.vectors, 'vector')}")
    for visit in walk.dropped[:SHOWN]:
        say(f"  dropped {visit.note}: {told(visit)}")
    if len(walk.dropped) > SHOWN:
        say(f"  … and {len(walk.dropped) - SHOWN:,} more; --json has them all")


def tell_both(fast: Results, deep: Deep, notices: tuple[str, ...], *, page: Page, vault: Vault) -> None:
    """Print a usual search and deep mode side by side."""
    for notice in dict.fromkeys((*notices, *fast.notices, *deep.results.notices)):
        say(f"note: {notice}")
    known, found = {excerpt.path for excerpt in fast}, {excerpt.path for excerpt in deep.results}
    if page.format == "json":
        root = vault.root
        alone = {"only_fast": sorted(known - found), "only_deep": sorted(found - known)}
        print_json(
            {"query": fast.query, "fast": of_results(fast, root=root), "deep": of_deep(deep, root=root), **alone}
        )
        return
    left = [_column(number, excerpt.path, f"{excerpt.score:.2f}") for number, excerpt in enumerate(fast, start=1)]
    right = [
        _column(number, excerpt.path, _short(deep.visits[excerpt.path]), new=excerpt.path not in known)
        for number, excerpt in enumerate(deep.results, start=1)
    ]
    heads = f"fast: {counted(len(left), 'hit')}", f"deep: {counted(len(right), 'note')}"
    click.echo(f"{heads[0]:{COLUMN}}  {heads[1]}")
    for one, other in zip_longest(left, right, fillvalue=""):
        click.echo(f"{one or ' ' * COLUMN}  {other}".rstrip())
    say("+ is new in deep; the numbers are scores on the left, similarity to the query on the right")


def _short(visit: Visit) -> str:
    hop = f" hop {visit.hop}" if visit.hop else " seed"
    return f"{visit.similarity:.2f}{hop}{' old' if visit.decay_zero else ''}"


def _column(number: int, path: str, end: str, *, new: bool = False) -> str:
    """Return a row of one column: a note that does not fit loses its beginning, where the folders are.

    >>> _column(3, "Garden/Bees and other visitors/Varroa treatment.md", "0.52 hop 1", new=True)
    ' 3 + …/Varroa treatment.md   0.52 hop 1'
    """
    begin = f"{number:2} {'+ ' if new else ''}"
    room = COLUMN - len(begin) - len(end) - 1
    shown = printable(path)
    if _width(shown) > room:
        shown = f"…/{shown.rpartition('/')[2]}"
    if _width(shown) > room:
        while _width(shown) >= room:
            shown = shown[:-1]
        shown += "…"
    return f"{begin}{shown}{' ' * (room - _width(shown))} {end}"


def _width(text: str) -> int:
    """Return the columns that a text takes in a terminal: signs of the Far East, and pictures, take two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)

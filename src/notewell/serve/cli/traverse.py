"""`notewell traverse`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from notewell.files.control_chars import shown_path
from notewell.graph.traverse import BELOW, IN_WORDS, Walk
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import read_places
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.query_options import operation_options, vault_to_ask
from notewell.serve.say import counted, echo, say
from notewell.serve.wording import with_notices
from notewell.types.results import Visit

# How many dropped notes are listed below each note.
SHOWN = 5


@click.command("traverse")
@click.argument("note", shell_complete=complete_note)
@vault_to_index_option
@operation_options("traverse")
@click.option("--all", "every", is_flag=True, help="List all dropped notes, not only the most similar")
@json_option
def command(
    note: str,
    vault: Path | None,
    text: str,
    depth: int | None,
    floor: float | None,
    domain: list[str],
    every: bool,
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Follow links from a note to similar notes

    Links are followed in both directions: → is a link to the note, ← a link from it, ↔ both. Each hop keeps the five
    most similar notes above the floor and continues from them. Each note is listed with its similarity, from 0 to 1,
    and why it was kept or dropped. The walk stops once ten notes are similar enough, or after comparing 100 vectors.

    \b
    Example:
        notewell traverse "Garden/Varroa treatment.md"
        notewell traverse Home --text "what bees cost"
    """
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        (place,) = read_places(opened.within(domain), (note,))[:1]
        walk = with_notices(opened.traverse(place, text=text, depth=depth, floor=floor, domain=domain), notices)
        say_notices(walk.notices)
        print_result(walk, as_json, partial(_print, every=every))


def _print(walk: Walk, every: bool) -> None:
    below: dict[str, list[Visit]] = {}
    for visit in walk.visits:
        below.setdefault(visit.via, []).append(visit)
    far = [visit.similarity for visit in walk.visits if visit.drop_reason == BELOW]
    digits = digits_for([walk.floor, *(visit.similarity for visit in walk.visits if visit.kept)], far)
    for line in _tree(below, "", SHOWN if not every else len(walk.visits), digits):
        echo(line, styled=True)
    _print_end(walk, digits)


def digits_for(kept: Iterable[float], far: Iterable[float]) -> int:
    """Return how many digits tell notes that were kept from those that were too far: two, unless they look the same.

    >>> digits_for([0.5, 0.61], [0.43]), digits_for([0.5], [0.43, 0.4996])
    (2, 4)
    """
    pairs = [({f"{one:.{digits}f}" for one in kept}, {f"{one:.{digits}f}" for one in far}) for digits in range(2, 8)]
    return next((digits for digits, (near, others) in enumerate(pairs, start=2) if not near & others), 8)


def _tree(below: Mapping[str, Sequence[Visit]], parent: str, shown: int, digits: int, stem: str = "") -> Iterator[str]:
    """Yield the notes reached from one, each followed by those reached from it, and the most similar dropped ones."""
    visits = below.get(parent, ())
    dropped = [visit for visit in visits if not visit.kept]
    rows = [visit for visit in visits if visit.kept] + dropped[:shown]
    hidden = len(dropped) - len(dropped[:shown])
    for number, visit in enumerate(rows, start=1):
        last = number == len(rows) and not hidden
        branch = "" if not visit.via else "└─ " if last else "├─ "
        yield stem + branch + _row(visit, digits)
        yield from _tree(below, visit.path, shown, digits, stem + ("" if not visit.via else "   " if last else "│  "))
    if hidden:
        yield click.style(f"{stem}└─ … {hidden:,} more dropped; --all lists them", dim=True)


def _row(visit: Visit, digits: int) -> str:
    way = f"{visit.way} " if visit.way else ""
    reason = visit.retain_reason or visit.drop_reason or ""
    row = f"{way}{shown_path(visit.path)}  {visit.similarity:.{digits}f}  {IN_WORDS.get(reason, reason)}"
    return click.style(row, dim=True) if not visit.kept else row


def _print_end(walk: Walk, digits: int) -> None:
    compared = f"compared {counted(walk.notes, 'note')}"
    unseen = f"; left out {counted(walk.unseen, 'linked note')}" if walk.unseen else ""
    say(f"{compared}{unseen}; stopped: {walk.ended}")
    dropped = [visit.similarity for visit in walk.visits if not visit.kept]
    if dropped and len(walk.visits) == len(dropped) + 1:
        nearest = max(dropped)
        floor = f"the floor of {walk.floor:.{digits}f}"
        say(f"hint: the most similar note has {nearest:.{digits}f}; --floor lowers {floor}")

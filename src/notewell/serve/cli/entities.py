"""`notewell entities`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from notewell.entities.relations import UNKNOWN
from notewell.entities.report import Entities, EntityDetails
from notewell.files.control_chars import shown_path
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.query_options import operation_options, vault_to_ask
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices
from notewell.types.results import EntityPlace, NamedEntity, Neighbour, Relation

# How many entities, places and neighbours are listed; --all lists them all. Beside hits, there is less room.
SHOWN, PLACES, BESIDE_HITS = 20, 8, 3


@click.command("entities")
@click.argument("name", default="")
@vault_to_index_option
@operation_options("entities")
@click.option("--all", "every", is_flag=True, help="List all entities and places, not only the first")
@json_option
def command(
    name: str,
    vault: Path | None,
    kind: str | None,
    relations: bool,
    domain: list[str],
    every: bool,
    no_refresh: bool,
    as_json: bool,
) -> None:
    """List the people, places and other things in the notes

    Kinds are person, organisation, place, work, project and concept. They come from titles, aliases, properties, tags
    and links, and from capitalised names in the text; the extra `ner` adds a small model. With NAME, shows its other
    names, the notes that name it, and the entities named with it. The first run reads all notes; later ones read what
    changed.

    \b
    Example:
        notewell entities --kind person
        notewell entities "Aunt Ilse"
    """
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        asked = partial(opened.entities, name, kind=kind or "", domain=domain)
        with progress_shown("Reading", "read {:,} of {:,} notes") as progress:
            found = asked(progress)
        if relations and not progress.stop():
            with progress_shown("Asking the model", "asked the model about {:,} of {:,} notes") as progress:
                found = replace(asked(progress, relations=True), extracted=found.extracted)
            if found.related:
                say(f"the model read {counted(found.related, 'note')}")
        found = with_notices(found, notices)
        say_notices(found.notices)
        print_result(found, as_json, partial(_print, every=every))


def _print(found: Entities, every: bool) -> None:
    if found.entity:
        for line in _details(found.entity, None if every else PLACES):
            echo(line, styled=True)
        return
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in found.kinds.items())
    say(f"{counted(found.total, 'entity')}{f': {kinds}' if kinds else ''}")
    shown = found.entities[: None if every else SHOWN]
    for one in shown:
        echo(f"{one.notes:6,}  {click.style(printable_line(one.name), bold=True)}  {one.kind}", styled=True)
    if rest := len(found.entities) - len(shown):
        say(f"… and {rest:,} more; --all lists them")


def _details(one: EntityDetails, most: int | None) -> Iterator[str]:
    yield f"{click.style(printable_line(one.name), bold=True)}  {one.kind}, {counted(one.notes, 'note')}"
    for other in one.spellings:
        path = f" in {shown_path(other.path)}" if other.path else ""
        yield f"  also {printable_line(other.name)} ({other.why}{path})"
    for relation in one.relations[:most]:
        yield f"  {_relation(relation)}"
    for neighbour in one.beside[:most]:
        yield f"  with {_neighbour(neighbour)}"
    for place in one.places[:most]:
        yield f"  {_place(place)}"
    if most is not None and len(one.places) > most:
        rest = counted(len(one.places) - most, "more place")
        yield click.style(f"  … and {rest}; --all lists them", dim=True)


def say_known(known: tuple[NamedEntity, ...]) -> None:
    """Say beside results what is known of the entities that the query names."""
    for one in known:
        days = "" if not one.first else one.first if one.first == one.last else f"{one.first} to {one.last}"
        head = f"{printable_line(one.name)}: {one.kind}, {counted(one.notes, 'note')}{days and f', {days}'}"
        say(head)
        for relation in one.relations[:BESIDE_HITS]:
            say(f"  {_relation(relation)}")
        for neighbour in one.beside[:BESIDE_HITS]:
            say(f"  with {_neighbour(neighbour)}")
        say(f"  in {'; '.join(_place(place) for place in one.places[:BESIDE_HITS])}")


def _place(place: EntityPlace) -> str:
    return f"{shown_path(place.path)}:{place.line} ({place.by})"


def _neighbour(one: Neighbour) -> str:
    return f"{printable_line(one.name)} ({one.kind})  {shown_path(one.path)}:{one.line}"


def _relation(one: Relation) -> str:
    said = f" ({printable_line(one.said)})" if one.relation == UNKNOWN and one.said else ""
    names = f"{printable_line(one.source)} → {one.relation}{said} → {printable_line(one.target)}"
    return f"{names}  {shown_path(one.path)}:{one.line}"

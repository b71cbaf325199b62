"""`notewell graph`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click

from notewell.errors import VaultError
from notewell.graph.overview import Bridge, Graph
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.query_options import option, vault_to_ask
from notewell.serve.parameters import QUERY
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices

# How many communities and bridges are listed; --all and --json have them all.
SHOWN = 12
BRIDGES = 8


@click.command("graph")
@vault_to_index_option
@click.option("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Write a picture of the graph to FILE")
@click.option("--dot", metavar="FILE", type=click.Path(path_type=Path), help="Write a Graphviz file to FILE")
@click.option("--all", "every", is_flag=True, help="List all communities and bridges, not only the largest")
@option(QUERY["domain"])
@option(QUERY["refresh"])
@json_option
def command(
    vault: Path | None,
    svg: Path | None,
    dot: Path | None,
    every: bool,
    domain: list[str],
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Show the communities of the vault and the links between them

    A community is a group of notes that link to each other more than to other notes. It is named after its most central
    notes. The picture shows every note of a small vault, and the communities of a large one.

    \b
    Example:
        notewell graph
        notewell graph --svg vault.svg
    """
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        graph = with_notices(opened.graph(domain=domain), notices)
        say_notices(graph.notices)
        if svg or dot:
            _write(graph, opened.root.name, svg, dot)
        print_result(graph, as_json, partial(_print, every=every))


def _write(graph: Graph, title: str, svg: Path | None, dot: Path | None) -> None:
    # Loaded only to draw.
    from notewell.graph.picture import as_dot, as_svg  # noqa: PLC0415

    if svg:
        _write_file(svg, as_svg(graph, title), ".svg")
    if dot:
        _write_file(dot, as_dot(graph), ".dot", ".gv")


def _write_file(file: Path, text: str, *suffixes: str) -> None:
    # A typing mistake must not overwrite a note.
    if file.suffix.lower() not in suffixes:
        raise VaultError(f"{file} has the wrong suffix", f"Use a file name that ends in {' or '.join(suffixes)}")
    if not file.parent.is_dir():
        raise VaultError(f"There is no folder {file.parent}", "Create it, or choose another folder")
    try:
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        hint = "Choose a file that you may write to"
        raise VaultError(f"{file} cannot be written: {error.strerror or error}", hint) from error
    say(f"wrote {file}")


def _print(graph: Graph, every: bool) -> None:
    counts = (counted(graph.notes, "note"), counted(graph.links, "link"))
    orphans = f"; {counted(len(graph.orphans), 'note')} without links" if graph.orphans else ""
    echo(f"{', '.join(counts)}, {counted(len(graph.communities), 'community')}{orphans}")
    if graph.centrality_by == "degree":
        say("note: central notes are those with the most links; a finer measure gave no stable result for this vault")
    shown = graph.communities[: None if every else SHOWN]
    for community in shown:
        central = click.style(printable_line(", ".join(community.names)), bold=True)
        echo(f"{community.size:6,}  {central}", styled=True)
    _print_rest(len(graph.communities) - len(shown), sum(each.size for each in graph.communities[len(shown) :]))
    names = graph.names()
    if graph.bridges:
        echo("bridges")
    for bridge in graph.bridges[: None if every else BRIDGES]:
        echo(f"{bridge.links:6,}  {_describe(bridge, graph, names)}", styled=True)
    if not every and len(graph.bridges) > BRIDGES:
        echo(
            click.style(f"        … and {len(graph.bridges) - BRIDGES:,} more; --all lists them", dim=True), styled=True
        )


def _print_rest(number: int, notes: int) -> None:
    if number:
        rest = f"… and {number:,} smaller with {counted(notes, 'note')}; --all lists them"
        echo(click.style(f"        {rest}", dim=True), styled=True)


def _describe(bridge: Bridge, graph: Graph, names: Mapping[str, str]) -> str:
    """Return the two communities that a bridge connects, and its most central link."""
    one, other = (graph.communities[number].names[0] for number in bridge.communities)
    link = " → ".join(names[path] for path in bridge.link)
    return f"{printable_line(one)} – {printable_line(other)}{click.style(f'  e.g. {printable_line(link)}', dim=True)}"

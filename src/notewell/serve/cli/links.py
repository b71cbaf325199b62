"""`notewell links`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.graph.leads import Lead, Links
from notewell.serve.answers import of_links
from notewell.serve.cli.asking import vault_to_ask
from notewell.serve.cli.complete import complete_note
from notewell.serve.cli.options import counted, json_option, print_json, printable, say, vault_option
from notewell.serve.cli.places import place_from_root


@click.command("links")
@click.argument("note", default="", shell_complete=complete_note)
@vault_option
@click.option("--broken", is_flag=True, help="List the links that lead nowhere, with what may be meant")
@click.option("--orphans", is_flag=True, help="List the notes that no other note links to, and that link to none")
@click.option("--no-refresh", is_flag=True, help="Do not look for changed files first")
@json_option
def command(note: str, vault: Path | None, broken: bool, orphans: bool, no_refresh: bool, as_json: bool) -> None:
    """Say where links lead, and which lead nowhere

    For a NOTE, its links and where each leads, and the links of other notes that lead to it. Without one, how many
    there are of each. A NOTE is a path, or a name or title that no other note has. Links are followed as Obsidian does.
    Exit code 1 if --broken finds any: for use in a hook.

    \b
    Example:
        notewell links "Garden/Varroa treatment.md"
        notewell links --broken
    """
    if note and orphans:
        raise click.UsageError("--orphans is about all notes; leave NOTE out.")
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        place = place_from_root(opened.root, note) if note else ""
        links = opened.links(place, broken=broken, orphans=orphans)
    for notice in (*notices, *links.notices):
        say(f"note: {notice}")
    if as_json:
        print_json(of_links(links))
    elif broken or orphans:
        _tell_listed(links, broken=broken, orphans=orphans)
    elif note:
        _tell_note(links)
    else:
        _tell_counts(links)
    if broken and links.links:
        raise SystemExit(1)


def _tell_counts(links: Links) -> None:
    counts = links.counts
    click.echo(f"notes    {counts.notes:,}, {counts.orphans:,} without a link to or from another")
    click.echo(
        f"links    {counts.links:,}: {counts.to_notes:,} to notes, {counts.to_files:,} to other files, "
        f"{counts.broken:,} to nothing"
    )


def _tell_note(links: Links) -> None:
    to = [f"{lead.link.line}  {lead.written}  {_end(lead)}" for lead in links.links]
    source = [f"{lead.path}:{lead.link.line}  {lead.written}" for lead in links.backlinks]
    click.echo(printable(links.note))
    for what, lines in (("links to", to), ("linked from", source)):
        click.echo(f"\n{what}" if lines else f"\n{what} nothing")
        for line in lines:
            click.echo(printable(f"  {line}"))


def _end(lead: Lead) -> str:
    """Return where a link leads, and what is wrong with it."""
    near = f"; near: {', '.join(lead.near)}" if lead.near else ""
    problem = f"{lead.problem}{near}" if lead.problem else ""
    return f"{lead.to} ({problem})" if lead.to and problem else lead.to or problem


def _tell_listed(links: Links, *, broken: bool, orphans: bool) -> None:
    for lead in links.links:
        click.echo(printable(f"{lead.path}:{lead.link.line}  {lead.written}  {_end(lead)}"))
    for path in links.orphans:
        click.echo(printable(path))
    if broken:
        say(f"{counted(len(links.links), 'link')} of {links.counts.links:,} broken")
    if orphans:
        say(f"{counted(len(links.orphans), 'note')} of {links.counts.notes:,} without a link to or from another")

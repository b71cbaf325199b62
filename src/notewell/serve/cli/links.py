"""`notewell links`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.graph.link_report import Lead, Links
from notewell.serve.answers import of_links, with_notices
from notewell.serve.cli.complete import complete_note
from notewell.serve.cli.options import counted, json_option, no_refresh_option, print_json, vault_option
from notewell.serve.cli.places import place_from_root
from notewell.serve.cli.query_options import vault_to_ask
from notewell.serve.parameters import HELP
from notewell.serve.say import printable_line, say


@click.command("links")
@click.argument("note", default="", shell_complete=complete_note)
@vault_option
@click.option("--broken", is_flag=True, help=HELP["broken"])
@click.option("--to", type=click.Choice(["notes", "files", "anchors"]), help=HELP["to"])
@click.option("--wanted", is_flag=True, help="List the notes that links name and that are not there, by how many do")
@click.option("--orphans", is_flag=True, help=HELP["orphans"])
@no_refresh_option
@json_option
def command(
    note: str,
    vault: Path | None,
    broken: bool,
    to: str | None,
    wanted: bool,
    orphans: bool,
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Say where links lead, and which lead nowhere

    For a NOTE, its links and where each leads, and the links of other notes that lead to it. Without one, how many
    there are of each. A NOTE is a path, or a name, title or alias that no other note has; a picture or other file has
    the links that lead to it. Links are followed as Obsidian does. Exit code 1 if --broken finds any: for use in a
    hook.

    \b
    Example:
        notewell links "Garden/Varroa treatment.md"
        notewell links --broken
        notewell links --wanted
    """
    if note and orphans:
        raise click.UsageError("--orphans is about all notes; leave NOTE out.")
    if to and not broken:
        raise click.UsageError("--to is about broken links; give --broken, too.")
    # What is wanted is among what is missing; whoever asks for that alone need not wait for anchors.
    missing = to or "" if broken or not wanted else "notes"
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        place = place_from_root(opened.root, note) if note else ""
        found = opened.links(place, broken=broken or wanted, orphans=orphans, to=missing)
    links = with_notices(found, notices)
    for notice in links.notices:
        say(f"note: {notice}")
    if as_json:
        print_json(of_links(links))
    elif broken or orphans or wanted:
        _tell_listed(links, broken=broken, wanted=wanted, orphans=orphans)
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
    click.echo(printable_line(links.note))
    # A file that is no note has no links that could be told of.
    for what, lines in (("links to", to), ("linked from", source))[not links.counts.notes :]:
        click.echo(f"\n{what}" if lines else f"\n{what} nothing")
        for line in lines:
            click.echo(printable_line(f"  {line}"))


def _end(lead: Lead) -> str:
    """Return where a link leads, and what is wrong with it."""
    near = f"; near: {', '.join(lead.near)}" if lead.near else ""
    problem = f"{lead.problem}{near}" if lead.problem else ""
    return f"{lead.to} ({problem})" if lead.to and problem else lead.to or problem


def _tell_listed(links: Links, *, broken: bool, wanted: bool, orphans: bool) -> None:
    lists = {
        "broken": [f"{lead.path}:{lead.link.line}  {lead.written}  {_end(lead)}" for lead in links.links if broken],
        "wanted": [f"{notes:>5}  {target}" for target, notes in links.wanted.items() if wanted],
        "orphans": list(links.orphans),
    }
    told = [name for name, asked in (("broken", broken), ("wanted", wanted), ("orphans", orphans)) if asked]
    for name in told:
        # One list is for other programs to read; of several, each says what it is.
        if len(told) > 1:
            click.echo(f"{name}:")
        for line in lists[name]:
            click.echo(printable_line(line))
    _summarise(links, broken=broken, wanted=wanted, orphans=orphans)


def _summarise(links: Links, *, broken: bool, wanted: bool, orphans: bool) -> None:
    if broken:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in links.problems.items())
        told = f"{counted(len(links.links), 'link')} of {links.counts.links:,} broken"
        say(f"{told}: {reasons}" if reasons else told)
    if wanted:
        say(f"{counted(len(links.wanted), 'note')} wanted that nobody wrote")
    if orphans:
        say(f"{counted(len(links.orphans), 'note')} of {links.counts.notes:,} without a link to or from another")

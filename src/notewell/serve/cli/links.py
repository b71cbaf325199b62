"""`notewell links`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from notewell.files.control_chars import shown_path
from notewell.graph.link_report import Links, NoteLink
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import place_from_root
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.query_options import operation_options, vault_to_ask
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices


@click.command("links")
@click.argument("note", default="", shell_complete=complete_note)
@vault_to_index_option
@operation_options("links")
@json_option
def command(
    note: str,
    vault: Path | None,
    broken: bool,
    to: str | None,
    wanted: bool,
    orphans: bool,
    domain: list[str],
    no_refresh: bool,
    as_json: bool,
) -> None:
    """Show links and backlinks; list broken links

    With a NOTE, lists its links, their targets, and the backlinks from other notes. Without one, counts all links. NOTE
    is a path, or a unique name, title or alias; a picture or another file has backlinks only. Links are resolved as
    Obsidian does. Links to missing headings and blocks are broken, too. With --broken, the exit code
    is 1 if there are any.

    \b
    Example:
        notewell links "Garden/Varroa treatment.md"
        notewell links --broken
        notewell links --wanted
    """
    if note and orphans:
        raise click.UsageError("--orphans concerns all notes; leave NOTE out.")
    if to and not broken:
        raise click.UsageError("--to needs --broken.")
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
        place = place_from_root(opened.root, note) if note else ""
        found = opened.links(place, broken=broken, wanted=wanted, orphans=orphans, to=to or "", domain=domain)
    links = with_notices(found, notices)
    say_notices(links.notices)
    asked = {"broken": broken, "wanted": wanted, "orphans": orphans}
    lists = [name for name, chosen in asked.items() if chosen]
    print_text = partial(_print_lists, names=lists) if lists else _print_note if note else _print_counts
    print_result(links, as_json, print_text)
    if broken and links.links:
        raise SystemExit(1)


def _print_counts(links: Links) -> None:
    counts = links.counts
    echo(f"notes    {counts.notes:,}, {counts.orphans:,} without links")
    echo(
        f"links    {counts.links:,}: {counts.to_notes:,} to notes, {counts.to_files:,} to other files, "
        f"{counts.broken:,} broken"
    )


def _print_note(links: Links) -> None:
    to = [f"{link.line}  {printable_line(link.written)}  {_end(link)}" for link in links.links]
    source = [f"{shown_path(link.path)}:{link.line}  {printable_line(link.written)}" for link in links.backlinks]
    echo(shown_path(links.note or ""))
    # A file that is not a note has no links of its own.
    for what, lines in (("links to", to), ("linked from", source))[not links.counts.notes :]:
        echo(f"\n{what}" if lines else f"\n{what} nothing")
        for line in lines:
            echo(f"  {line}")


def _end(link: NoteLink) -> str:
    """Return a link's target, and what is wrong with it."""
    near = f"; did you mean: {', '.join(map(shown_path, link.near))}" if link.near else ""
    problem = f"{link.problem}{near}" if link.problem else ""
    to = shown_path(link.to or "")
    return f"{to} ({problem})" if to and problem else to or problem


def _print_lists(links: Links, names: Sequence[str]) -> None:
    rows = {
        "broken": [
            f"{shown_path(link.path)}:{link.line}  {printable_line(link.written)}  {_end(link)}" for link in links.links
        ],
        "wanted": [f"{one.notes:>5}  {printable_line(one.target)}" for one in links.wanted],
        "orphans": map(shown_path, links.orphans),
    }
    for name in names:
        # A single list is for other programs; several have titles.
        if len(names) > 1:
            echo(f"{name}:")
        for row in rows[name]:
            echo(row)
    for name in names:
        say(_summary(links, name))


def _summary(links: Links, name: str) -> str:
    if name == "wanted":
        return f"{counted(len(links.wanted), 'note')} missing"
    if name == "orphans":
        return f"{counted(len(links.orphans), 'note')} of {links.counts.notes:,} without links"
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in links.problems.items())
    found = f"{counted(len(links.links), 'link')} of {links.counts.links:,} broken"
    return f"{found}: {reasons}" if reasons else found

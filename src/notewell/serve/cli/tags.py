"""`notewell tags`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.curate.suggest import MOST_NOTES, TagProposals, suggest_tags
from notewell.curate.tag_report import TagReport, report_tags
from notewell.files.control_chars import shown_path
from notewell.index.place import find_place
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import read_places
from notewell.serve.cli.options import Number, json_option, print_result, say_notices
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.query_options import option, vault_to_ask
from notewell.serve.parameters import NO_REFRESH_HELP, QUERY
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices

# Tags that a terminal shows of each kind.
SHOWN = 20


@click.command("tags")
@click.argument("note", nargs=-1, shell_complete=complete_note)
@click.option("--suggest", is_flag=True, help="Propose tags for each NOTE, or for the newest notes without tags")
@click.option(
    "--limit",
    "-n",
    metavar="N",
    type=Number(int, 1),
    default=MOST_NOTES,
    help="With --suggest: propose tags for at most N notes",
)
@click.option("--all", "every", is_flag=True, help="Print all tags, not only the first 20 of each kind")
@option(QUERY["domain"])
@click.option("--no-refresh", is_flag=True, help=NO_REFRESH_HELP)
@vault_to_index_option
@json_option
def command(
    note: tuple[str, ...],
    suggest: bool,
    limit: int,
    every: bool,
    domain: list[str],
    no_refresh: bool,
    vault: Path | None,
    as_json: bool,
) -> None:
    """List the tags, and compare them with the taxonomy

    The taxonomy is a note, `_taxonomy.md`, with a list of tags: `- #garden: what grows (aliases: yard)`. Lists the tags
    in use, tags that the taxonomy does not list, tags that are nearly the same, and tags that no note uses.

    With --suggest, proposes one to five tags of the taxonomy for a note, each with its reason. A language model chooses
    them if one is running; otherwise similar notes, linked notes and the tags' meanings decide.

    \b
    Example:
        notewell tags
        notewell tags --suggest "Garden/Varroa treatment.md"
        notewell tags --json | jq -r '.similar[] | "\\(.other)=\\(.tag)"'
    """
    if note and not suggest:
        raise click.UsageError("A NOTE needs --suggest.")
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (whole, notices):
        opened = whole.within(domain)
        if suggest:
            with progress_shown("Reading", "read {:,} of {:,} notes") as progress:
                paths = [find_place(opened.root, place).path for place in read_places(opened, note)]
                proposals = with_notices(suggest_tags(opened, paths, most=limit, progress=progress), notices)
            print_result(proposals, as_json, _print_proposals)
            return
        report = with_notices(report_tags(opened), notices)
    print_result(report, as_json, lambda report: _print_tags(report, None if every else SHOWN))


def _print_tags(report: TagReport, most: int | None) -> None:
    aliases = [f"#{one.tag} → #{one.alias_of}" for one in report.tags if one.alias_of]
    unknown = [f"#{one.tag} ({one.notes:,})" for one in report.tags if not one.known and not one.alias_of]
    _print_list("used", [f"{one.notes:6,}  #{one.tag}  {one.meaning}".rstrip() for one in report.tags], most)
    _print_list("aliases in use (`notewell apply-renames` replaces them)", aliases, most)
    _print_list("not in the taxonomy", unknown, most)
    _print_list("nearly the same", [f"#{one.tag} and #{one.other}: {one.why}" for one in report.similar], most)
    _print_list("in the taxonomy, but never used", [f"#{tag}" for tag in report.unused], most)
    if not report.taxonomy:
        say("There is no taxonomy yet: list your tags in _taxonomy.md")
    say_notices(report.notices)


def _print_proposals(proposals: TagProposals) -> None:
    for note in proposals.notes:
        echo(shown_path(note.path))
        for tag in note.tags:
            echo(f"  {tag.score:.2f}  #{tag.tag}  {printable_line(tag.why)}")
        if not note.tags:
            echo("  nothing fits")
    if proposals.left:
        say(f"{counted(proposals.left, 'more note')} without tags; --limit looks at more")
    if not proposals.taxonomy:
        say("There is no taxonomy, so the tags that you use were proposed")
    say_notices(proposals.notices)


def _print_list(title: str, lines: list[str], most: int | None) -> None:
    if lines:
        echo(f"{title}:")
        for line in lines[:most]:
            echo(f"  {printable_line(line)}")
        if most and len(lines) > most:
            echo(f"  … and {len(lines) - most:,} more; --all lists them")

"""`notewell tags`."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.curate.tag_report import TagReport, report_tags
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.options import json_option, print_result, say_notices
from notewell.serve.cli.query_options import vault_to_ask
from notewell.serve.parameters import NO_REFRESH_HELP
from notewell.serve.say import echo, printable_line, say
from notewell.serve.wording import with_notices

# Tags that a terminal shows of each kind.
SHOWN = 20


@click.command("tags")
@click.option("--all", "every", is_flag=True, help="Print all tags, not only the first 20 of each kind")
@click.option("--no-refresh", is_flag=True, help=NO_REFRESH_HELP)
@vault_to_index_option
@json_option
def command(every: bool, no_refresh: bool, vault: Path | None, as_json: bool) -> None:
    """List the tags, and compare them with the taxonomy

    The taxonomy is a note, `_taxonomy.md`, with a list of tags: `- #garden: what grows (aliases: yard)`. Shown are the
    tags that notes have, those that the taxonomy does not list, those that are nearly the same, and those that no note
    has.

    \b
    Example:
        notewell tags
        notewell tags --json | jq -r '.similar[] | "\\(.other)=\\(.tag)"'
    """
    with vault_to_ask(vault, {}, refresh=not no_refresh) as (opened, notices):
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


def _print_list(title: str, lines: list[str], most: int | None) -> None:
    if lines:
        echo(f"{title}:")
        for line in lines[:most]:
            echo(f"  {printable_line(line)}")
        if most and len(lines) > most:
            echo(f"  … and {len(lines) - most:,} more; --all lists them")

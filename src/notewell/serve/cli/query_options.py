"""Options of the commands that print a page of hits: which notes, how many, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from notewell.errors import VaultError
from notewell.index.changes import count_others, has_files
from notewell.search.fuse import FUSIONS
from notewell.search.rank.decay_rules import MODES
from notewell.serve.cli.complete import complete_folder, complete_tag
from notewell.serve.cli.encode_behind import fill_behind
from notewell.serve.cli.formats import FORMATS
from notewell.serve.cli.options import json_option, no_refresh_option, open_vault, told_suffixes
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.serve.parameters import HELP, read_where
from notewell.serve.say import say
from notewell.types.query import Filters
from notewell.vault import Vault

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Page:
    """What a page of hits is asked by, and how it is shown; without a format, as text, or as a prompt wants it."""

    limit: int | None
    under: str
    only: Filters
    max_tokens: int | None
    settings: Mapping[str, Any]
    refresh: bool
    explain: bool
    format: str
    null: bool


class PageCommand(click.Command):
    """A command that is handed the options of a page as one `Page`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        ctx.params["page"] = _take_page(ctx.params)
        return super().invoke(ctx)


def _take_page(given: dict[str, Any]) -> Page:
    """Take the options of a page out of what was given."""
    take = given.pop
    only = Filters(**{name: take(name) for name in ("tag", "type", "lang", "after", "before", "where")})
    settings = {"search.fusion": take("fusion"), "decay.mode": take("decay")}
    as_json, format, null = take("as_json"), take("format"), take("null")
    if as_json and format not in (None, "json"):
        raise click.UsageError(f"--json and --format {format} are two formats.")
    if null and format != "paths":
        raise click.UsageError("--null is for --format paths.")
    return Page(
        limit=take("limit"),
        under=take("under"),
        only=only,
        max_tokens=take("max_tokens"),
        settings=settings,
        refresh=not take("no_refresh"),
        explain=take("explain"),
        format="json" if as_json else format or "",
        null=null,
    )


def page_options(command: Command) -> Command:
    """Add the options, in the order in which the help lists them."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@contextmanager
def vault_to_ask(
    path: Path | None, settings: Mapping[str, Any], *, refresh: bool
) -> Iterator[tuple[Vault, tuple[str, ...]]]:
    """Open a vault, take in what changed, and yield it with what the user should know; a new one is indexed first."""
    with open_vault(path, settings) as opened, taken_in(opened, refresh=refresh) as notices:
        yield opened, notices


@contextmanager
def taken_in(opened: Vault, *, refresh: bool = True) -> Iterator[tuple[str, ...]]:
    """Take in what changed, and yield what the user should know; a new vault is indexed first."""
    with progress_shown() as progress:
        first = not opened.indexed
        if first:
            _check_files(opened)
            say(f"indexing {opened.root}")
        yield opened.refresh(progress) if first or refresh else ()
        if first:
            fill_behind(opened)
        if progress.stop():
            raise Stopped


def _check_files(vault: Vault) -> None:
    """Refuse to make a store for a folder without notes: it is empty, or not the one that is meant."""
    if has_files(vault.root, vault.settings.index):
        return
    others = count_others(vault.root, vault.settings.index)
    there = f"It has {told_suffixes(others)}. " if others else ""
    fact = f"There are no notes in {vault.root} that can be read"
    raise VaultError(fact, f"{there}Go to the folder of your notes, or name it with --vault")


OPTIONS = (
    click.option("--limit", "-n", metavar="N", type=click.IntRange(1), help=HELP["limit"]),
    click.option("--under", metavar="PATH", default="", shell_complete=complete_folder, help=HELP["under"]),
    click.option("--tag", metavar="TAG", multiple=True, shell_complete=complete_tag, help=HELP["tag"]),
    click.option("--type", metavar="TYPE", multiple=True, help=HELP["type"]),
    click.option("--lang", metavar="LANG", multiple=True, help=HELP["lang"]),
    click.option("--after", metavar="DATE", default="", help=HELP["after"]),
    click.option("--before", metavar="DATE", default="", help=HELP["before"]),
    click.option(
        "--where",
        metavar="KEY=VALUE",
        multiple=True,
        callback=lambda *given: read_where(given[-1]),
        help=HELP["where"],
    ),
    click.option(
        "--max-tokens",
        metavar="N",
        type=click.IntRange(1),
        help=f"{HELP['max_tokens']}; as Markdown for a prompt, with --explain on stderr",
    ),
    click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How the rankings become one"),
    click.option("--decay", type=click.Choice(MODES), help="Whether older notes count less. Default: decay.mode, off"),
    click.option("--explain", is_flag=True, help=HELP["explain"]),
    no_refresh_option,
    click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="Print text, JSON, Markdown for a prompt, a table, or each file's path. Default: text",
    ),
    click.option("--null", "-0", is_flag=True, help="With --format paths: end each with a NUL, for xargs -0"),
    json_option,
)

"""The options of commands that print hits: which notes, how many, and how they are printed."""

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
from notewell.search.rules import DECAY_MODES
from notewell.serve.cli import Stopped
from notewell.serve.cli.completion import complete_folder, complete_tag
from notewell.serve.cli.encode import encode_in_background
from notewell.serve.cli.options import describe_suffixes, json_option, no_refresh_option, open_vault
from notewell.serve.cli.progress import progress_shown
from notewell.serve.parameters import HELP, read_where
from notewell.serve.say import say
from notewell.types.notices import Notice
from notewell.types.query import Filters
from notewell.vault import Vault

FORMATS = ("text", "json", "md", "csv", "paths")
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Page:
    """The options of a page of hits; an empty format means text, or Markdown with a token limit."""

    limit: int | None
    under: str
    filters: Filters
    max_tokens: int | None
    settings: Mapping[str, Any]
    refresh: bool
    explain: bool
    format: str
    null: bool


class PageCommand(click.Command):
    """A command that receives these options as one `Page`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        ctx.params["page"] = _take_page(ctx.params)
        return super().invoke(ctx)


def _take_page(given: dict[str, Any]) -> Page:
    """Move the options of a page out of the given ones."""
    take = given.pop
    filters = Filters(**{name: take(name) for name in ("tag", "type", "lang", "after", "before", "where")})
    settings = {"search.fusion": take("fusion"), "decay.mode": take("decay")}
    as_json, format, null = take("as_json"), take("format"), take("null")
    if as_json and format not in (None, "json"):
        raise click.UsageError(f"--json and --format {format} exclude each other.")
    if null and format != "paths":
        raise click.UsageError("--null is for --format paths.")
    return Page(
        limit=take("limit"),
        under=take("under"),
        filters=filters,
        max_tokens=take("max_tokens"),
        settings=settings,
        refresh=not take("no_refresh"),
        explain=take("explain"),
        format="json" if as_json else format or "",
        null=null,
    )


def page_options(command: Command) -> Command:
    """Add the options, in the order of the help."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@contextmanager
def vault_to_ask(
    path: Path | None, settings: Mapping[str, Any], *, refresh: bool
) -> Iterator[tuple[Vault, tuple[Notice, ...]]]:
    """Open a vault, index what changed, and yield it with the notices of that; a new one is indexed first."""
    with open_vault(path, settings) as opened, refreshed(opened, refresh=refresh) as notices:
        yield opened, notices


@contextmanager
def refreshed(opened: Vault, *, refresh: bool = True) -> Iterator[tuple[Notice, ...]]:
    """Index what changed, and yield the notices of that; a new vault is indexed first."""
    with progress_shown() as progress:
        first = not opened.indexed
        if first:
            _check_files(opened)
            say(f"indexing {opened.root}")
        yield opened.refresh(progress) if first or refresh else ()
        if first:
            encode_in_background(opened)
        if progress.stop():
            raise Stopped


def _check_files(vault: Vault) -> None:
    """Refuse to make a store for a folder without notes, which is probably the wrong folder."""
    if has_files(vault.root, vault.settings.index):
        return
    others = count_others(vault.root, vault.settings.index)
    there = f"It has {describe_suffixes(others)}. " if others else ""
    fact = f"There are no readable notes in {vault.root}"
    raise VaultError(fact, f"{there}Run this in the folder of your notes, or set --vault")


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
        help=f"{HELP['max_tokens']}; prints Markdown for a prompt, and --explain to stderr",
    ),
    click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How rankings are fused. Default: search.fusion"),
    click.option(
        "--decay", type=click.Choice(DECAY_MODES), help="Whether older notes score lower. Default: decay.mode, off"
    ),
    click.option("--explain", is_flag=True, help=HELP["explain"]),
    no_refresh_option,
    click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="Print text, JSON, Markdown for a prompt, CSV, or paths. Default: text",
    ),
    click.option("--null", "-0", is_flag=True, help="With --format paths: end each path with NUL, for xargs -0"),
    json_option,
)

"""The options of commands that print hits: which notes, how many, and how they are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from notewell.files.control_chars import real_path
from notewell.freshness import Opening
from notewell.frozen import frozen
from notewell.search.fuse import FUSIONS
from notewell.search.rules import DECAY_MODES
from notewell.serve.background import encode_wished
from notewell.serve.cli import Stopped
from notewell.serve.cli.completion import complete_domain, complete_folder, complete_note, complete_tag
from notewell.serve.cli.encode import encode_in_background
from notewell.serve.cli.first_index import check_new
from notewell.serve.cli.options import COMMAND, Command, Number, json_option, open_vault
from notewell.serve.cli.progress import progress_shown
from notewell.serve.parameters import HITS, NO_REFRESH_HELP, QUERY, REQUIRED, Parameter, parameters_of, query_of
from notewell.serve.say import say
from notewell.types.notices import Notice
from notewell.types.query import Query
from notewell.vault import Vault

FORMATS = ("text", "json", "jsonl", "md", "csv", "paths")


@frozen
class Page:
    """A query with the options of its output; an empty format means text, or Markdown with a token limit."""

    query: Query
    settings: Mapping[str, Any]
    refresh: bool
    format: str
    null: bool
    exit_status: bool

    def end(self, found: bool) -> None:
        """End the command as grep does, if that was asked for: with exit code 1 if nothing was found."""
        if self.exit_status and not found:
            raise SystemExit(1)


class PageCommand(click.Command):
    """A command that receives these options as one `Page`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        ctx.params["page"] = _take_page(str(self.name), ctx.params)
        return super().invoke(ctx)


def _take_page(operation: str, given: dict[str, Any]) -> Page:
    """Move the options of a page out of the given ones."""
    take = given.pop
    settings = {"search.fusion": take("fusion"), "decay.mode": take("decay")}
    format, null = take("format"), take("null")
    for flag, name in (("as_json", "json"), ("as_jsonl", "jsonl")):
        if take(flag):
            if format not in (None, name):
                raise click.UsageError(f"--{name} and --format {format} exclude each other.")
            format = name
    if null and format != "paths":
        raise click.UsageError("--null is for --format paths.")
    refresh = not take("no_refresh")
    shared = (*HITS, QUERY["all"], QUERY["expand"], QUERY["rerank"])
    query = query_of(operation, {one.name: take(one.name) for one in shared if one.name in given})
    # Answers show hidden characters of paths as escapes.
    query = replace(query, under=real_path(query.under))
    return Page(query, settings, refresh, format or "", null, take("exit_status"))


def option(one: Parameter, *, more: str = "") -> Callable[[Command], Command]:
    """Return the option of a parameter, its help followed by `more`."""
    if one.name == "refresh":
        return click.option("--no-refresh", is_flag=True, help=NO_REFRESH_HELP)
    flags = [f"--{one.name.replace('_', '-')}", *SHORT.get(one.name, ())]
    help = f"{one.help}; {more}" if more else one.help
    if one.kind is bool:
        return click.option(*flags, is_flag=True, help=help)
    complete = COMPLETE.get(one.name)
    if one.kind == list[str]:
        return click.option(
            *flags, metavar=_metavar(one), multiple=True, callback=_listed, shell_complete=complete, help=help
        )
    if choices := [value for value in get_args(one.kind) if value]:
        return click.option(*flags, type=click.Choice(choices), default=one.default or None, help=help)
    return click.option(
        *flags, metavar=_metavar(one), type=_type(one), default=one.default, shell_complete=complete, help=help
    )


def _metavar(one: Parameter) -> str:
    kinds = {int: "N", float: "X"}
    return METAVARS.get(one.name, kinds.get(one.kind, one.name.upper()))


def _type(one: Parameter) -> Number | None:
    return Number(one.kind, *(one.bounds or (1,))) if one.kind in (int, float) else None


def _listed(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return list(given)


def page_options(command: Command) -> Command:
    """Add the options of a page, in the order of the help."""
    return _with_options(command, OPTIONS)


def operation_options(operation: str) -> Callable[[Command], Command]:
    """Add an option for each optional parameter of an operation; required ones are arguments of the command."""
    every = parameters_of(operation, "cli")
    shared = [option(one) for one in every if one.default is not REQUIRED and one.name not in ("note", "name")]
    return lambda command: _with_options(command, shared)


def _with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for add in reversed(options):
        command = add(command)
    return command


@contextmanager
def vault_to_ask(
    path: Path | None, settings: Mapping[str, Any], *, refresh: bool, opening: Opening = COMMAND
) -> Iterator[tuple[Vault, tuple[Notice, ...]]]:
    """Open a vault, index what changed, and yield the vault with notices about that; a new vault is indexed in full."""
    with open_vault(path, settings, opening) as opened, refreshed(opened, refresh=refresh) as notices:
        yield opened, notices


@contextmanager
def refreshed(opened: Vault, *, refresh: bool = True) -> Iterator[tuple[Notice, ...]]:
    """Index what changed, and yield notices about that; a new vault is indexed in full."""
    new = not opened.indexed
    first = new or not opened.store.state.finished
    if new:
        check_new(opened, needs_notes=True)
        say(f"indexing {opened.root}")
    # The bar is gone before anything else is printed.
    with progress_shown() as progress:
        notices = opened.refresh(progress) if new or refresh else ()
        stopped = progress.stop()
    yield notices
    if stopped:
        raise Stopped
    if first:
        encode_in_background(opened)
    else:
        encode_wished(opened)


# Short names.
SHORT = {"limit": ("-n",)}
METAVARS = {"under": "PATH", "domain": "NAME", "after": "DATE", "before": "DATE", "where": "KEY=VALUE", "text": "TEXT"}
METAVARS["like"] = "PATH[:LINES]|last"
COMPLETE: dict[str, Any] = {
    "under": complete_folder,
    "domain": complete_domain,
    "tag": complete_tag,
    "like": complete_note,
}
MORE = {"max_tokens": "prints Markdown for a prompt, and --explain to stderr"}
OPTIONS: tuple[Callable[..., Any], ...] = (
    *(option(one, more=MORE.get(one.name, "")) for one in HITS),
    click.option(
        "--fusion",
        type=click.Choice(list(FUSIONS)),
        help="How the rankings by words and by meaning are combined. Default: search.fusion",
    ),
    click.option(
        "--decay", type=click.Choice(DECAY_MODES), help="Whether older notes score lower. Default: decay.mode, off"
    ),
    click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="Print text, JSON, JSON Lines, Markdown for a prompt, CSV, or paths. Default: text",
    ),
    click.option("--null", "-0", is_flag=True, help="With --format paths: end each path with NUL, for xargs -0"),
    json_option,
    click.option("--jsonl", "as_jsonl", is_flag=True, help="Print each hit as a line of JSON"),
    click.option("--exit-status", is_flag=True, help="Exit like grep: 0 if anything was found, 1 if not, 2 on errors"),
)

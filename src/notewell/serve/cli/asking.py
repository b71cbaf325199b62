"""Options of the commands that print a page of hits: which notes, how many, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from notewell.search.fuse import FUSIONS
from notewell.search.rank.ways import MODES
from notewell.serve.cli.behind import fill_behind
from notewell.serve.cli.options import open_vault, say
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.serve.parameters import HELP, read_where
from notewell.vault import Vault

Command = TypeVar("Command", bound=Callable[..., Any])


def page_options(command: Command) -> Command:
    """Add the options, in the order in which the help lists them."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@contextmanager
def vault_to_ask(
    path: Path | None, settings: dict[str, Any], *, refresh: bool
) -> Iterator[tuple[Vault, tuple[str, ...]]]:
    """Open a vault, take in what changed, and yield it with what the user should know; a new one is indexed first."""
    with open_vault(path, settings) as opened, progress_shown() as progress:
        first = not opened.indexed
        if first:
            say(f"indexing {opened.root}")
        yield opened, opened.refresh(progress) if first or refresh else ()
        if first:
            fill_behind(opened)
        if progress.stop():
            raise Stopped


OPTIONS = (
    click.option("--limit", "-n", metavar="N", type=click.IntRange(1), help=HELP["limit"]),
    click.option("--under", metavar="PATH", default="", help=HELP["under"]),
    click.option("--tag", metavar="TAG", multiple=True, help=HELP["tag"]),
    click.option("--type", "kind", metavar="TYPE", multiple=True, help=HELP["type"]),
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
        help="Print chunks as Markdown for a prompt, up to N tokens of 4 characters; --explain then goes to stderr",
    ),
    click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How the rankings become one"),
    click.option("--decay", type=click.Choice(MODES), help="Whether older notes count less. Default: decay.mode, off"),
    click.option("--explain", is_flag=True, help="Say how each score came about"),
    click.option("--no-refresh", is_flag=True, help="Do not look for changed files first"),
)

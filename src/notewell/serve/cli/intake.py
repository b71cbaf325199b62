"""`notewell intake`, with its subcommands `log`, `explain`, `undo` and `tune`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from notewell.curate.intake import Intake, explain, read_log, take_in, target_folders, undo
from notewell.curate.intake_log import Decision
from notewell.curate.scoring import DIMENSIONS
from notewell.curate.sources import LARGEST, Read, read_data, read_source
from notewell.curate.tune import Tuned, tune
from notewell.files.control_chars import shown_path
from notewell.frozen import frozen
from notewell.index.readers.sandbox import Extraction
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import STDIN
from notewell.serve.cli.options import (
    COMMAND,
    Number,
    json_option,
    open_vault,
    print_json,
    print_reasons,
    print_result,
    say_notices,
    vault_option,
)
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.query_options import refreshed
from notewell.serve.json_data import as_data
from notewell.serve.say import counted, echo, printable_line, say
from notewell.serve.wording import with_notices

READING = ("Scoring", "scored {:,} of {:,} signals")
# Options whose value may be called like a subcommand.
WITH_VALUE = ("--vault", "--limit", "-n")
VERDICTS = ("added", "queued", "dropped", "duplicate")


class Intakes(click.Group):
    """A group that runs `sources` if its first word is no subcommand."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named subcommand, or else `sources`."""
        named = args[0] in self.commands
        return super().resolve_command(ctx, args if named else ["sources", *args])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let options stand before a subcommand, and before the first source."""
        if args and args[0].startswith("-") and args[0] not in ("--help", "-h"):
            words = enumerate(args)
            at = next((at for at, word in words if word in self.commands and args[at - 1] not in WITH_VALUE), None)
            args = ["sources", *args] if at is None else [args[at], *args[:at], *args[at + 1 :]]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what follows the name of the command: sources, or a subcommand."""
        return ["[OPTIONS]", "SOURCE... | COMMAND"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options for sources, then the subcommands."""
        options = (one for one in self.commands["sources"].get_params(ctx) if isinstance(one, click.Option))
        rows = (option.get_help_record(ctx) for option in options)
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row])
        self.format_commands(ctx, formatter)


@click.group("intake", cls=Intakes)
def command() -> None:
    """Score feeds, mails and files, and keep the best as notes

    SOURCE is an address, a file, a folder, or `-` for stdin: lists of addresses, RSS, Atom and OPML, mails (.eml,
    mbox), HTML, PDF, Markdown and all other formats that Notewell reads. Each item, called a signal, is scored on
    relevance, actionability, depth and authority. With 0.55 or more it becomes a note, with 0.40 or more it waits in
    the review queue, and otherwise it is dropped. `intake log` lists all decisions. Fetches nothing from the network
    without --fetch. This is off until `notewell.toml` names `folders` under `[curate]`.

    \b
    Example:
        notewell intake ~/Downloads/feed.xml ~/drop
        pbpaste | notewell intake -
        notewell intake feeds.opml --fetch --dry-run
        notewell intake log
    """


@frozen
class _Ways:
    fetch: bool
    dry_run: bool
    explained: bool
    again: bool


class Sources(click.Command):
    """A command that receives its flags as one value."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        flags = ("fetch", "dry_run", "explained", "again")
        ctx.params["ways"] = _Ways(*(ctx.params.pop(name) for name in flags))
        return super().invoke(ctx)


@command.command("sources", cls=Sources, hidden=True)
@click.argument("source", nargs=-1, required=True)
@click.option("--fetch", is_flag=True, help="Fetch addresses and feeds from the network")
@click.option("--dry-run", "-n", is_flag=True, help="Show the decisions, and write nothing")
@click.option("--explain", "explained", is_flag=True, help="Show the reasons of each score")
@click.option("--again", is_flag=True, help="Also decide signals that were decided before, except those that are notes")
@vault_to_index_option
@json_option
def sources(source: tuple[str, ...], ways: _Ways, vault: Path | None, as_json: bool) -> None:
    """Read signals from each SOURCE

    \b
    Example:
        notewell intake feed.xml --explain
    """
    with open_vault(vault, {}, COMMAND) as opened:
        # Before a new vault is indexed, which takes a while.
        target_folders(opened)
        read = _read(source, opened.settings.index.max_seconds, fetch=ways.fetch)
        with refreshed(opened) as notices:
            with progress_shown(*READING) as progress:
                done = take_in(opened, read, again=ways.again, dry_run=ways.dry_run, progress=progress)
            print_result(with_notices(done, notices), as_json, lambda done: _print_intake(done, ways))


def _read(source: tuple[str, ...], max_seconds: int, *, fetch: bool) -> Read:
    read = Read()
    with Extraction(max_seconds) as extraction:
        for one in source:
            read.add(_stdin(extraction) if one == STDIN else read_source(one, extraction))
        if not fetch:
            return read
        from notewell.curate.fetch import fetch_all  # noqa: PLC0415

        with progress_shown("Fetching", "fetched {:,} of {:,} addresses") as progress:
            return fetch_all(read, extraction, progress)


def _stdin(extraction: Extraction) -> Read:
    return read_data(sys.stdin.buffer.read(LARGEST + 1), "", extraction)


def _print_intake(done: Intake, ways: _Ways) -> None:
    for one in done.decisions:
        _print_decision(one, explained=ways.explained)
    counts = [f"{sum(one.verdict == verdict for one in done.decisions):,} {verdict}" for verdict in VERDICTS]
    would = "would be " if ways.dry_run else ""
    say(f"{counted(len(done.decisions), 'signal')}: {would}{', '.join(counts)}")
    if done.seen:
        seen = counted(done.seen, "signal")
        say(f"{seen} kept as notes" if ways.again else f"{seen} decided before; --again decides anew")
    if done.feeds:
        say(f"{counted(len(done.feeds), 'feed')} not fetched; --fetch fetches them")
    print_reasons("skipped source", done.left, verbose=True)
    say_notices(done.notices)


def _print_decision(one: Decision, *, explained: bool) -> None:
    later = f" ({one.later})" if one.later else ""
    to = f" → {shown_path(one.path)}" if one.path else ""
    echo(f"{one.total:.2f}  {one.verdict:<9}{later}  {one.id}  {printable_line(one.title or one.url)}{to}")
    if explained:
        echo(f"      {printable_line(one.why)}")
        for name in DIMENSIONS:
            score = getattr(one.scores, name)
            echo(f"      {score.value:.2f} {name}: {printable_line(score.why)}")


@command.command("log")
@click.option("--limit", "-n", metavar="N", type=Number(int, 1), default=20, help="Show the last N decisions")
@click.option("--explain", "explained", is_flag=True, help="Show the reasons of each score")
@vault_option
@json_option
def log(limit: int, explained: bool, vault: Path | None, as_json: bool) -> None:
    """Show the last decisions

    \b
    Example:
        notewell intake log --limit 50
    """
    with open_vault(vault) as opened:
        decisions = read_log(opened)
    if as_json:
        print_json([as_data(one) for one in decisions[:limit]])
        return
    for one in decisions[:limit]:
        _print_decision(one, explained=explained)
    say(f"{counted(len(decisions), 'decision')} in all")


@command.command("explain")
@click.argument("signal")
@vault_option
@json_option
def explain_command(signal: str, vault: Path | None, as_json: bool) -> None:
    """Show the reasons for the decision on SIGNAL, named by id, address, title or note

    \b
    Example:
        notewell intake explain 3f2a9c41d7
    """
    with open_vault(vault) as opened:
        found = explain(opened, signal)
    print_result(found, as_json, lambda found: _print_decision(found, explained=True))


@command.command("undo")
@click.argument("signal", required=False)
@vault_option
@json_option
def undo_command(signal: str | None, vault: Path | None, as_json: bool) -> None:
    """Undo the last run, or the decision on one SIGNAL

    A note moves to `.trash`, a queued signal leaves the queue, and a dropped one moves into it. A note that was edited
    since stays.

    \b
    Example:
        notewell intake undo
        notewell intake undo 3f2a9c41d7
    """
    with open_vault(vault) as opened:
        done = undo(opened, signal)
    print_result(done, as_json, lambda done: _print_undone(done))


def _print_undone(done: Any) -> None:
    for one in done.decisions:
        _print_decision(one, explained=False)
    print_reasons("unchanged note", done.left, verbose=True)
    say_notices(done.notices)


@command.command("tune")
@click.option("--dry-run", "-n", is_flag=True, help="Show what was learned, and write nothing")
@vault_option
@json_option
def tune_command(dry_run: bool, vault: Path | None, as_json: bool) -> None:
    """Learn the weights of the scores from your decisions

    Learns from signals that you accepted and rejected in the queue, and measures the gain on other decisions. If the
    weights gain, it writes them into `[intake]` of the vault's `notewell.toml`, with limits that let as many signals
    through as before.

    \b
    Example:
        notewell intake tune --dry-run
    """
    with open_vault(vault) as opened:
        tuned = tune(opened, dry_run=dry_run)
    print_result(tuned, as_json, _print_tuned)


def _print_tuned(tuned: Tuned) -> None:
    for name, weight in tuned.weights.items():
        echo(f"{weight:.3f}  {name}")
    for name, limit in tuned.limits.items():
        echo(f"{limit:.3f}  {name}, which lets as many signals through as before")
    say(f"learned from {tuned.accepted:,} accepted and {tuned.rejected:,} rejected")
    say(f"AUROC on decisions held out: {tuned.before:.3f} → {tuned.after:.3f}")
    say("written to notewell.toml" if tuned.written else "not written")

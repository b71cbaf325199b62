"""`notewell index`, `notewell watch` and `notewell status`."""

from __future__ import annotations

import json
import signal
from functools import partial
from pathlib import Path
from threading import Event

import click

from notewell.files.control_chars import shown_path
from notewell.index import Report
from notewell.index.report import Status
from notewell.serve.background import give_way, is_paused
from notewell.serve.cli import Stopped
from notewell.serve.cli.encode import describe_encoder, describe_work, encode_in_background
from notewell.serve.cli.first_index import check_new, vault_to_index_option
from notewell.serve.cli.options import (
    by_reason,
    describe_suffixes,
    json_option,
    open_vault,
    print_reasons,
    print_result,
    say_notices,
    vault_option,
)
from notewell.serve.cli.progress import progress_shown
from notewell.serve.say import counted, echo, say


@click.command("index")
@click.argument("folder", metavar="[VAULT]", required=False, type=click.Path(path_type=Path))
@vault_to_index_option
@click.option("--full", is_flag=True, help="Index every note again")
@click.option("--verbose", "-v", is_flag=True, help="List every redaction by kind and place, and every skipped file")
@click.option(
    "--workers",
    metavar="N|ADDRESS",
    default="",
    help="Prepare and embed notes in N processes, or in the workers of a dask scheduler: tls://HOST:PORT",
)
# For a hook, which starts it in the background.
@click.option("--gently", is_flag=True, hidden=True)
@json_option
def command(
    folder: Path | None, vault: Path | None, full: bool, verbose: bool, workers: str, gently: bool, as_json: bool
) -> None:
    """Index new and changed notes

    Secrets are redacted before anything is stored. A note that did not change is not read again.

    \b
    Example:
        notewell index ~/notes
    """
    if folder and vault and folder.resolve() != vault.resolve():
        raise click.UsageError("VAULT and --vault name two folders.")
    if gently:
        give_way()
    with open_vault(folder or vault) as opened:
        check_new(opened)
        with progress_shown() as progress:
            report = opened.index(full=full, progress=progress, workers=workers)
        if not report.interrupted:
            encode_in_background(opened)
    print_result(report, as_json, partial(_print, verbose=verbose))
    say_notices(report.notices)
    if report.interrupted:
        total = report.notes + report.total - report.done
        say(f"Kept {report.notes:,} of {total:,} notes. Run `notewell index{' --full' * full}` again to continue")
        raise Stopped


def _print(report: Report, verbose: bool) -> None:
    sizes = f"{counted(report.notes, 'note')}, {counted(report.chunks, 'chunk')}"
    echo(f"{sizes} ({_changes(report)}) in {report.seconds:.1f} s")
    if report.redacted:
        echo(f"{counted(report.redacted, 'secret')} redacted" + ("" if verbose else "; --verbose shows where"))
    for found in report.redactions if verbose else ():
        echo(f"  {shown_path(found.path)}:{found.line} {found.rule}")
    print_reasons("skipped file", report.skipped, verbose=verbose)
    print_reasons("warning", report.warnings, verbose=verbose)


def _changes(report: Report) -> str:
    return f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"


@click.command("watch")
@vault_to_index_option
@json_option
def watch(vault: Path | None, as_json: bool) -> None:
    """Keep the store up to date while you write

    A saved note is searchable within a second. Ctrl-C stops it with exit code 130, SIGTERM with 0. --json prints
    each change as a line.

    \b
    Example:
        notewell watch --vault ~/notes
    """
    stop, received = Event(), list[int]()

    def end(number: int, _: object) -> None:
        received.append(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)

    def report_changes(report: Report) -> None:
        encode_in_background(opened)
        say_notices(report.notices)
        counts = ("added", "changed", "removed", "seconds")
        data = json.dumps({name: getattr(report, name) for name in counts})
        echo(data if as_json else f"{_changes(report)} in {report.seconds:.2f} s")

    with open_vault(vault) as opened:
        check_new(opened)
        say(f"watching {opened.root}")
        opened.watch(report_changes, stop, warn=say)
    if signal.SIGINT in received:
        raise Stopped


@click.command("status")
@vault_option
@json_option
def status(vault: Path | None, as_json: bool) -> None:
    """Show what is indexed and what is not

    \b
    Example:
        notewell status --vault ~/notes
    """
    with open_vault(vault) as opened:
        found = opened.status()
        print_result(found, as_json, partial(_print_status, work=describe_work(opened, found.filling)))
    say_notices(found.notices)


def _print_status(status: Status, work: str) -> None:
    echo(f"vault     {status.vault}")
    if not status.indexed_at:
        echo("store     none yet; run `notewell index`")
        return
    echo(f"store     {status.store} ({status.store_bytes / 1e6:,.1f} MB)")
    echo(f"notes     {status.notes:,} in {counted(status.chunks, 'chunk')}, {counted(status.links, 'link')}")
    if status.domains:
        echo(f"domains   {', '.join(f'{name} {count:,}' for name, count in status.domains.items())}")
    if status.tags:
        used = ", ".join(f"{tag} {count:,}" for tag, count in status.top_tags.items())
        echo(f"tags      {status.tags:,}: {used}{', …' if status.tags > len(status.top_tags) else ''}")
    echo(f"embedder  {status.embedder}")
    progress = status.filling
    if progress.problem:
        echo(f"encoder   not usable: {progress.problem}")
    elif progress.encoder:
        echo(f"encoder   {describe_encoder(progress)}{work}")
    else:
        echo("encoder   none")
    if is_paused():
        echo("paused    nothing starts in the background until `notewell daemon resume`")
    echo(f"indexed   {status.indexed_at}")
    if status.stale:
        echo(f"stale     {counted(status.stale, 'file')} new, changed or removed since; run `notewell index`")
    for reason, paths in by_reason(status.skipped).items():
        echo(f"skipped   {paths[0] if len(paths) == 1 else f'{len(paths):,} files'}: {reason}")
        for path in paths if len(paths) > 1 else ():
            echo(f"            {path}")
    if status.others:
        echo(f"other     {describe_suffixes(status.others)}")

"""`notewell tune`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from notewell.measure.tune import Stage, Tuned, tune, undo
from notewell.serve.cli.options import json_option, open_vault, print_result, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.say import counted, echo, say

# What the bar says of each stage, and a line where there is no terminal.
STAGES: Mapping[Stage, tuple[str, str]] = {
    "reading": ("Reading", "read {:,} of {:,} notes"),
    "encoding": ("Encoding", "encoded {:,} of {:,} chunks"),
    "trying": ("Trying weights", "tried {:,} of {:,} weights"),
}


@click.command("tune")
@click.option("--dry-run", "-n", is_flag=True, help="Show the gain, and write nothing")
@click.option("--undo", "undoing", is_flag=True, help="Write back the weights from before the last tuning")
@vault_option
@json_option
def command(dry_run: bool, undoing: bool, vault: Path | None, as_json: bool) -> None:
    """Fit the weights of search to this vault

    Titles, aliases, headings, link texts, properties and questions become queries for the notes they belong to, and are
    removed from a copy of the store. Notewell learns weights from half of these notes and checks them on the others. It
    writes them into `notewell.toml` only if the gain is not chance and no kind of query loses.

    \b
    Example:
        notewell tune --dry-run
        notewell tune
        notewell tune --undo
    """
    with open_vault(vault) as opened:
        if undoing:
            print_result(undo(opened), as_json, _print_undone)
            return
        tuned = tune(opened, dry_run=dry_run, shown=lambda stage: progress_shown(*STAGES[stage]))
    print_result(tuned, as_json, _print_tuned)


def _print_tuned(tuned: Tuned) -> None:
    for name, value in tuned.weights.items():
        echo(f"{name:22}{tuned.present[name]:>7g} → {value:g}")
    echo()
    echo("MRR@10 on notes that were not learned from:")
    for gain in tuned.gains:
        low, high = gain.interval
        echo(
            f"{gain.kind:10}{counted(gain.queries, 'query'):>12}   {gain.before:.3f} → {gain.after:.3f}"
            f"   {gain.after - gain.before:+.3f} ({low:+.3f} to {high:+.3f})"
        )
    say(
        "written to notewell.toml; `notewell tune --undo` takes it back"
        if tuned.written
        else f"not written: {_why(tuned)}"
    )


def _why(tuned: Tuned) -> str:
    return tuned.refused or "this was a dry run"


def _print_undone(before: Mapping[str, float | None]) -> None:
    for name, value in before.items():
        echo(f"search.{name:15}{'as shipped' if value is None else value}")

"""`notewell golden`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from notewell.files.safe_open import GOLDEN
from notewell.measure.golden import Golden, add_golden, as_toml, load_golden
from notewell.measure.hiding import suggest_golden
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.options import Number, json_option, open_vault, print_result, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.last_search import hit_number, last_search
from notewell.serve.say import counted, echo, say
from notewell.vault import Vault


@click.group()
def command() -> None:
    """Keep the queries that this vault should answer

    They are in notewell-golden.toml at the root of the vault; you can edit this file. `notewell eval --golden` measures
    search with them.

    \b
    Example:
        notewell golden add "when do I treat for mites" "Garden/Varroa treatment.md:12"
        notewell search "oven spring"
        notewell golden add last:2
        notewell eval --golden
    """


@command.command("add")
@click.argument("text")
@click.argument("note", nargs=-1, metavar="NOTE...", shell_complete=complete_note)
@vault_option
@json_option
def add_command(text: str, note: tuple[str, ...], vault: Path | None, as_json: bool) -> None:
    """Add a query TEXT, and the NOTE that should answer it

    NOTE is a note or lines of one: Bees.md, Bees.md:12, Bees#Swarm. last:2 stands for the second hit of the last
    search; as TEXT, it also stands for that search's text.

    \b
    Example:
        notewell golden add "when do I treat for mites" "Varroa treatment#Winter"
        notewell golden add last:1
    """
    with open_vault(vault) as opened:
        added = add_golden(opened, *_meant(opened, text, note))
    print_result(added, as_json, _print_added)


def _meant(vault: Vault, text: str, notes: Sequence[str]) -> tuple[str, list[str]]:
    """Return the query and its notes; `last:2` stands for a hit of the last search."""
    written = [text, *notes] if hit_number(text) else list(notes)
    if not written:
        raise click.UsageError("Missing argument 'NOTE...'.")
    last = last_search(vault.root) if any(hit_number(one) for one in written) else None
    places = [last.place(number) if last and (number := hit_number(one)) else one for one in written]
    return (last.text if last and hit_number(text) else text), places


def _print_added(added: Golden) -> None:
    echo(f"{added.text}\n    {', '.join(added.want)}")
    say(f"added to {GOLDEN}")


@command.command("list")
@vault_option
@json_option
def list_command(vault: Path | None, as_json: bool) -> None:
    """List the golden queries

    \b
    Example:
        notewell golden list
    """
    with open_vault(vault) as opened:
        queries = load_golden(opened.root / GOLDEN)
    print_result(queries, as_json, _print_all)


def _print_all(queries: Sequence[Golden]) -> None:
    for one in queries:
        echo(f"{one.text}\n    {', '.join(one.want)}")
    say(counted(len(queries), "query"))


@command.command("suggest")
@click.option(
    "--limit", "-n", type=Number(int, 1, 200), default=20, show_default=True, help="Propose at most N queries"
)
@vault_option
@json_option
def suggest_command(limit: int, vault: Path | None, as_json: bool) -> None:
    """Propose golden queries from headings, questions, link texts and summaries

    Writes nothing: add the ones that you would ask to notewell-golden.toml.

    \b
    Example:
        notewell golden suggest -n 50
    """
    with open_vault(vault) as opened, progress_shown("Reading", "read {:,} of {:,} notes") as progress:
        proposed = suggest_golden(opened, limit, progress)
    print_result(proposed, as_json, lambda proposed: echo(as_toml(proposed).strip()))

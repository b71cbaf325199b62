"""`notewell domains`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from notewell.domains.listing import DomainList, DomainReport
from notewell.files.control_chars import shown_path
from notewell.serve.cli.options import json_option, open_vault, print_result, say_notices, vault_option
from notewell.serve.say import counted, echo, printable_line, say


@click.command("domains")
@vault_option
@json_option
def command(vault: Path | None, as_json: bool) -> None:
    """List the domains of the vault, with their folders and settings

    A domain is a part of a vault with its own store, set up in notewell.toml or _domains.yaml. `--domain NAME`, or
    in:NAME in a query, searches only that domain.

    \b
    Example:
        notewell domains
        notewell search "squats in:fitness"
    """
    with open_vault(vault) as opened:
        found = opened.domains()
        say_notices(found.notices)
        print_result(found, as_json, partial(_print, root=opened.root))


def _print(found: DomainList, root: Path) -> None:
    if not found.domains:
        say("no domains; a table [domains.NAME] in notewell.toml makes one")
    elif not any(domain.notes for domain in found.domains):
        say("nothing is indexed yet; the first search does it, or `notewell index`")
    for domain in found.domains:
        counts = f"{counted(domain.notes, 'note')} in {counted(domain.chunks, 'chunk')}"
        echo(click.style(f"{domain.name}  ", bold=True) + counts, styled=True)
        echo(f"  folders   {_folders(domain)}")
        for name, value in domain.settings.items():
            echo(f"  setting   {name} = {printable_line(value)}")
        echo(f"  store     {domain.store.removeprefix(f'{root}{os.sep}')}")
        for problem in domain.problems:
            echo(f"  ignored   {printable_line(problem)}")


def _folders(domain: DomainReport) -> str:
    """Return which folders belong to a domain, in words."""
    inside = ", ".join(map(shown_path, domain.folders)) or "all that no other domain claims"
    outside = "" if domain.legacy or not domain.exclude else f", without {', '.join(map(shown_path, domain.exclude))}"
    return f"{inside}{outside}"

"""`notewell fill`."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from notewell.errors import EmbedError
from notewell.serve.cli.options import counted, json_option, open_vault, print_json, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.serve.say import say
from notewell.store import Filling

# The lowest priority there is: whoever else wants the processor has it.
NICE = 19


@click.command("fill")
@vault_option
@click.option("--gently", is_flag=True, help="Run at the lowest priority")
@json_option
def command(vault: Path | None, gently: bool, as_json: bool) -> None:
    """Let the better model read what it has not read yet

    A slower, better model reads your notes behind `notewell index`, and results improve as it goes. This
    does it now. Searching goes on meanwhile; Ctrl-C keeps what is done.

    \b
    Example:
        notewell fill --vault ~/notes
    """
    if gently and hasattr(os, "nice"):
        os.nice(NICE)
    with open_vault(vault) as opened:
        if opened.encoder is None:
            raise EmbedError(
                "There is no encoder to fill with", "Set embed.encoder, or `pip install 'notewell[minilm]'`"
            )
        opened.check_indexed()
        if opened.filling.under_way:
            say("another process is at it already")
        else:
            with progress_shown("Reading", "read {:,} of {:,} chunks") as progress:
                opened.fill(progress)
        filling = opened.filling
    if as_json:
        print_json(asdict(filling))
    else:
        click.echo(told(filling))
    if filling.left and not filling.under_way:
        raise Stopped


def told(filling: Filling) -> str:
    """Return how far it is, in words.

    >>> told(Filling("minilm", filled=2, unread=1, left=1))
    '75% of 4 chunks read by minilm, 1 of them in a language it does not know'
    """
    read = filling.filled + filling.unread
    total = counted(read + filling.left, "chunk")
    share = read / (read + filling.left) if total != "0 chunks" else 1.0
    unread = f", {filling.unread:,} of them in a language it does not know" if filling.unread else ""
    # Never 100 while something is missing.
    return f"{min(share, 0.99 if filling.left else 1):.0%} of {total} read by {filling.encoder.split('/')[0]}{unread}"

"""`notewell fill`."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from pathlib import Path

import click

from notewell.errors import EmbedError
from notewell.files.lock import held
from notewell.files.user import home_folder, private_folder, state_folder
from notewell.index.report import Filling
from notewell.serve.cli.options import counted, json_option, open_vault, print_json, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.cli.stopped import Stopped
from notewell.serve.say import say

# The lowest priority there is: whoever else wants the processor has it.
NICE = 19
# How long it waits for its turn, in seconds; then it ends, and the next search of its vault starts another.
TURN_SECONDS = 600.0


@click.command("fill")
@vault_option
@click.option("--gently", is_flag=True, help="Run at the lowest priority, and one vault at a time")
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
                opened.fill(progress, _turn() if gently else None)
        filling = opened.filling
    if as_json:
        print_json(asdict(filling))
    else:
        click.echo(told(filling))
    if filling.left and not filling.under_way:
        raise Stopped


def _turn() -> AbstractContextManager[None]:
    """Return what waits until no other process of this user reads gently: of many vaults, one is read at a time."""
    with suppress(OSError):
        folder = private_folder(state_folder(os.environ, home_folder(os.environ)))
        if os.access(folder, os.W_OK):
            return held(folder / "reader.lock", TURN_SECONDS, "reads another vault")
    # Who has no folder of their own for such things, as in a container, does without.
    return nullcontext()


def told(filling: Filling) -> str:
    """Return how far it is, in words.

    >>> told(Filling("minilm", filled=2, unread=1, left=1))
    '75% of 4 chunks read by minilm, 1 of them in a language it does not know'
    >>> told(Filling("minilm"))
    'minilm, with nothing to read yet'
    """
    read, encoder = filling.filled + filling.unread, filling.encoder.split("/")[0]
    if not read + filling.left:
        return f"{encoder}, with nothing to read yet"
    total, share = counted(read + filling.left, "chunk"), read / (read + filling.left)
    unread = f", {filling.unread:,} of them in a language it does not know" if filling.unread else ""
    # Never 100 while something is missing.
    return f"{min(share, 0.99 if filling.left else 1):.0%} of {total} read by {encoder}{unread}"

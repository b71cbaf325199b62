"""`notewell encode`, and the process that does the same in the background."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click

from notewell.errors import EmbedError
from notewell.index.report import EncoderProgress
from notewell.serve.background import announce, encoder_of, encoding, give_way, is_obsolete, is_paused, start_encoding
from notewell.serve.cli import Stopped
from notewell.serve.cli.options import json_option, open_vault, print_result, vault_option
from notewell.serve.cli.progress import progress_shown
from notewell.serve.say import counted, echo, say
from notewell.vault import Vault

# Said once for each vault.
BEGUN = "Improving results in the background ({left} left). See `notewell status`; `notewell daemon pause` stops it"


@click.command("encode")
@vault_option
@click.option("--gently", is_flag=True, help="Run at the lowest priority, and one vault at a time")
@json_option
def command(vault: Path | None, gently: bool, as_json: bool) -> None:
    """Run the encoder now, on notes it has not encoded yet

    The encoder is a slower, better embedder. It usually runs in the background after `notewell index`, and results
    improve as it goes. This command runs it at once and shows how far it is; if another process is encoding the
    vault, it only says so. You can search meanwhile; Ctrl-C keeps what is done.

    \b
    Example:
        notewell encode --vault ~/notes
    """
    if gently:
        give_way()
    with open_vault(vault) as opened:
        if opened.models.encoder is None:
            raise EmbedError("There is no encoder", "Set embed.encoder, or run `pip install 'notewell[minilm]'`")
        opened.storage.check_indexed()
        if opened.encoder.progress.under_way:
            say("another process is already encoding this vault in the background")
        else:
            with (
                encoding(opened.root) if gently else nullcontext(),
                progress_shown("Encoding", "encoded {:,} of {:,} chunks") as progress,
            ):
                stop = progress.stop
                wanted = replace(progress, stop=lambda: stop() or is_obsolete()) if gently else progress
                opened.encode(wanted)
        reached = opened.encoder.progress
    print_result(reached, as_json, lambda reached: echo(describe_encoder(reached)))
    if reached.left and not reached.under_way:
        raise Stopped


def describe_encoder(progress: EncoderProgress) -> str:
    """Return how far the encoder is, as a phrase.

    >>> describe_encoder(EncoderProgress("minilm", filled=2, unread=1, left=1))
    'minilm: 75% of 4 chunks done, 1 of them skipped (unsupported language)'
    >>> describe_encoder(EncoderProgress("minilm"))
    'minilm; nothing to encode yet'
    """
    encoder = progress.encoder.split("/")[0]
    if not progress.total:
        return f"{encoder}; nothing to encode yet"
    # Never 100 while something is missing.
    share = min(progress.done / progress.total, 0.99 if progress.left else 1)
    skipped = f", {progress.unread:,} of them skipped (unsupported language)" if progress.unread else ""
    return f"{encoder}: {share:.0%} of {counted(progress.total, 'chunk')} done{skipped}"


def describe_work(vault: Vault, progress: EncoderProgress) -> str:
    """Return whether the encoder runs now, waits or is paused, as the end of a sentence."""
    if progress.under_way:
        return "; running now"
    if not progress.left:
        return ""
    if encoder_of(vault.root):
        return "; waiting for another vault to be encoded"
    return "; paused" if is_paused() else ""


def encode_in_background(vault: Vault) -> None:
    """Start a process that encodes what is missing, unless that is forbidden or paused, or one is running already."""
    if problem := vault.encoder.problem:
        say(f"note: {problem}; nothing is encoded")
    # Last what takes longest: to count what is missing among 100,000 chunks takes a tenth of a second.
    if problem or not vault.settings.embed.background or is_paused() or encoder_of(vault.root):
        return
    progress = vault.encoder.progress
    if not progress.left or progress.under_way:
        return
    if announce(vault.root, "encoder"):
        say(BEGUN.format(left=counted(progress.left, "chunk")))
    start_encoding(vault)

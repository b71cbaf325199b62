"""`notewell remember`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from notewell.memory import Remembered
from notewell.memory.page import LONGEST
from notewell.serve.answers import of_remembered
from notewell.serve.cli.options import counted, json_option, open_vault, print_json, vault_option
from notewell.serve.cli.piped import STDIN, is_piped
from notewell.serve.say import printable, say

# Of what comes on stdin, more than any memory may have is not waited for.
MOST_BYTES = 8 * LONGEST


@click.command("remember")
@click.argument("text", required=False)
@click.option("--title", default="", help="What it is called, and its file after it. Default: its first words")
@click.option("--tag", "tags", multiple=True, help="A tag of it; may be repeated")
@click.option("--source", default="", help="Where it comes from: a person, a page, a conversation")
@click.option("--anyway", is_flag=True, help="Write it, though something says nearly the same")
@vault_option
@json_option
def command(
    text: str | None, title: str, tags: tuple[str, ...], source: str, anyway: bool, vault: Path | None, as_json: bool
) -> None:
    """Write TEXT as a note into the folder for memories

    `-`, or nothing behind a pipe, reads it from stdin. Secrets are taken out first. If a note says nearly the same
    already, it is shown, nothing is written, and the exit code is 1. Off until `notewell.toml` names the folder, as
    `folder` under `[memory]`.

    \b
    Example:
        notewell remember "Kim prefers tabs over spaces in Go" --tag style
        git log -1 --format=%B | notewell remember --title "Why we left Redis"
    """
    if text == STDIN or (text is None and is_piped()):
        text = sys.stdin.buffer.read(MOST_BYTES).decode("utf-8", "replace")
    elif text is None:
        raise click.UsageError("Missing argument 'TEXT'.")
    with open_vault(vault) as opened:
        done = opened.remember(text, title=title, tags=tags, source=source, anyway=anyway)
    if as_json:
        print_json(of_remembered(done))
    else:
        _tell(done)
    if not done.written:
        raise SystemExit(1)


def _tell(done: Remembered) -> None:
    if done.written:
        click.echo(printable(done.path))
    else:
        for near in done.near:
            click.echo(printable(f"{near.path}:{near.line}  {near.title}  {near.similarity:.2f}"))
            click.echo("\n".join(f"    {line}" for line in printable(near.text).split("\n")))
        say(f"nothing written: {_notes(len(done.near))} nearly the same already; --anyway writes it all the same")
    if done.redacted:
        say(f"{counted(done.redacted, 'secret')} taken out")
    for notice in done.notices:
        say(notice)


def _notes(number: int) -> str:
    return "1 note says" if number == 1 else f"{number} notes say"

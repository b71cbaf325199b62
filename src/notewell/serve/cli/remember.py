"""`notewell remember` and `notewell forget`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from notewell.files.control_chars import shown_path
from notewell.memory import Remembered
from notewell.memory.page import LONGEST
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.inputs import STDIN, is_piped, place_from_root
from notewell.serve.cli.options import json_option, open_vault, print_result, say_notices, vault_option
from notewell.serve.cli.query_options import operation_options
from notewell.serve.say import counted, echo, say

# No memory is longer, so no more of stdin is read.
MOST_BYTES = 8 * LONGEST


@click.command("remember")
@click.argument("text", required=False)
@operation_options("remember")
@vault_option
@json_option
def command(
    text: str | None, title: str, tag: list[str], source: str, anyway: bool, vault: Path | None, as_json: bool
) -> None:
    """Write TEXT as a note into the memory folder

    `-`, or no TEXT after a pipe, reads it from stdin. Secrets are redacted first. If a note already says nearly the
    same, that note is shown, nothing is written, and the exit code is 1. This is off until `notewell.toml` names a
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
        done = opened.remember(text, title=title, tag=tag, source=source, anyway=anyway)
    print_result(done, as_json, _print)
    if not done.written:
        raise SystemExit(1)


def _print(done: Remembered) -> None:
    if done.path:
        echo(shown_path(done.path))
    else:
        for near in done.near:
            echo(f"{shown_path(near.path)}:{near.line}  {near.title}  {near.similarity:.2f}")
            echo("\n".join(f"    {line}" for line in near.text.split("\n")))
        notes = "a note says" if len(done.near) == 1 else f"{len(done.near)} notes say"
        say(f"nothing written: {notes} nearly the same; --anyway writes it anyway")
    if done.redacted:
        say(f"{counted(done.redacted, 'secret')} redacted")
    say_notices(done.notices)


@click.command("forget")
@click.argument("note", shell_complete=complete_note)
@vault_option
@json_option
def forget(note: str, vault: Path | None, as_json: bool) -> None:
    """Move a remembered note to the trash

    NOTE is a path, or a unique name or title, exactly as written. Only notes in the memory folder whose front matter
    has `type: memory` can be forgotten. They move to `.trash` in the vault, where you can take them back.

    \b
    Example:
        notewell forget "Memories/Kim prefers tabs over spaces in Go.md"
    """
    with open_vault(vault) as opened:
        done = opened.forget(place_from_root(opened.root, note))
    print_result(done, as_json, lambda done: echo(shown_path(done.trash)))
    say_notices(done.notices)

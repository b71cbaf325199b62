"""`notewell open`: a note in Obsidian, in the user's editor at its line, or in a pager."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from notewell.errors import SettingsError
from notewell.files.formats import is_sandboxed
from notewell.index.place import Reading
from notewell.names.addresses import Addresses
from notewell.serve.cli.completion import complete_note
from notewell.serve.cli.first_index import vault_to_index_option
from notewell.serve.cli.inputs import remember_reading
from notewell.serve.cli.options import open_vault, print_json
from notewell.serve.cli.read import read_named
from notewell.serve.say import echo
from notewell.types.note import Chunk
from notewell.vault import Vault

# How editors and pagers take the line, by the program's name.
LINE_FIRST = {"vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "kak", "micro", "jed", "joe", "less", "most"}
LINE_LAST = {"hx", "helix", "subl", "zed"}
GOTO = {"code", "code-insiders", "codium", "cursor", "windsurf"}
HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*\s*")
FENCE = re.compile(r"\s*(?:```|~~~)")


@click.command("open")
@click.argument("note", metavar="NOTE[:LINE|#PART]", shell_complete=complete_note)
@vault_to_index_option
@click.option(
    "--with",
    "program",
    type=click.Choice(["auto", "obsidian", "editor", "pager"]),
    help="The program to use. Default: the setting show.open_with",
)
@click.option("--print", "only_print", is_flag=True, help="Print the command instead of running it")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the file, the line and the command as JSON, and run nothing"
)
def command(note: str, vault: Path | None, program: str | None, only_print: bool, as_json: bool) -> None:
    """Open a note in Obsidian, in your editor, or in a pager

    NOTE is named as in `notewell read`. Obsidian vaults open in Obsidian, at the heading. Other notes open in $VISUAL
    or $EDITOR, at the line, or else in $PAGER. PDF and other documents open in the system's program for them.

    \b
    Example:
        notewell open "Deploy runbook"
        notewell open "Recipes/Sourdough handbook.md:12"
        notewell open last --with editor
    """
    with open_vault(vault, {"show.open_with": program}) as opened:
        reading = read_named(opened, note)
        arguments = how_to_open(opened, reading, os.environ)
        if not only_print and not as_json:
            remember_reading(opened, reading)
    if as_json:
        print_json({"path": reading.path, "line": reading.line, "command": arguments})
    elif only_print:
        echo(shlex.join(arguments))
    else:
        _run(arguments)


def how_to_open(vault: Vault, reading: Reading, environment: Mapping[str, str]) -> list[str]:
    """Return the program that opens a note, and its arguments; no shell ever reads them."""
    chosen, handler = vault.settings.show.open_with, _handler(environment)
    is_auto = chosen == "auto" and bool(handler)
    if chosen == "obsidian" or (is_auto and Addresses.of(vault.root).opener == "obsidian" and _knows_obsidian(handler)):
        if not handler:
            raise SettingsError("No program here opens obsidian:// links", "Use --with editor or --with pager")
        return [*handler, _in_obsidian(vault, reading)]
    file = str(vault.root / reading.path)
    if is_auto and is_sandboxed(reading.path):
        return [*handler, file]
    editor = environment.get("VISUAL") or environment.get("EDITOR")
    pager = environment.get("NOTEWELL_PAGER") or environment.get("PAGER") or "less"
    return _at_line(editor if editor and chosen != "pager" else pager, file, reading.line)


def _handler(environment: Mapping[str, str]) -> list[str]:
    """Return the program that opens addresses and documents on this system; nothing without a screen."""
    if sys.platform == "darwin":
        return ["open"]
    if sys.platform == "win32":
        # `start` is a word of the shell, which would read the & in an address.
        return ["rundll32", "url.dll,FileProtocolHandler"]
    has_screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return ["xdg-open"] if has_screen and shutil.which("xdg-open") else []


def _knows_obsidian(handler: list[str]) -> bool:
    """Tell whether a program opens Obsidian's addresses; only Linux can be asked."""
    if handler != ["xdg-open"] or not shutil.which("xdg-mime"):
        return True
    query = ["xdg-mime", "query", "default", "x-scheme-handler/obsidian"]
    return bool(subprocess.run(query, capture_output=True, check=False).stdout.strip())


def _in_obsidian(vault: Vault, reading: Reading) -> str:
    """Return the address of the heading that the first line is below: Obsidian's addresses know no lines."""
    lines = vault.read(reading.path).text.split("\n")[: reading.line]
    heading, is_code = "", False
    for line in lines if reading.line > 1 else ():
        is_code ^= FENCE.match(line) is not None
        if not is_code and (match := HEADING.fullmatch(line)):
            heading = match[1]
    chunk = Chunk(reading.path, "", reading.line, reading.end_line, headings=(heading,) if heading else ())
    return Addresses(vault.root, "obsidian").of_chunk(chunk)


def _at_line(program: str, file: str, line: int) -> list[str]:
    """Return how a program opens a file at a line, if it is known how.

    >>> _at_line("code -w", "/notes/Bees.md", 12), _at_line("nano", "/notes/Bees.md", 1), _at_line("ed", "/a.md", 12)
    (['code', '-w', '--goto', '/notes/Bees.md:12'], ['nano', '/notes/Bees.md'], ['ed', '/a.md'])
    """
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise SettingsError("$VISUAL, $EDITOR or $PAGER cannot be read", "Close its quotes") from error
    if not any(words[:1]):
        # The file itself would be the program.
        raise SettingsError("$VISUAL, $EDITOR or $PAGER names no program", "Name one, or unset it")
    name = Path(words[0]).stem
    if line > 1 and name in LINE_FIRST:
        return [*words, f"+{line}", file]
    if line > 1 and name in GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    return [*words, f"{file}:{line}" if line > 1 and name in LINE_LAST else file]


def _run(arguments: list[str]) -> None:
    try:
        code = subprocess.run(arguments, check=False).returncode
    except OSError as error:
        fact = f"{arguments[0]} cannot be started: {error.strerror}"
        raise SettingsError(fact, "Set $VISUAL or $EDITOR, or choose another program with --with") from error
    if code:
        raise SystemExit(code)

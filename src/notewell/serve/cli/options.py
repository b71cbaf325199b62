"""Options that every command has, and how every command prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import category, east_asian_width

import click

from notewell.errors import SettingsError
from notewell.files.control_chars import shown_path
from notewell.serve.parameters import HELP
from notewell.serve.say import printable, say
from notewell.vault import Vault

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

# As many as one reads; `--verbose` and `notewell status` name the rest.
SHOWN = 10


def vault_option(command: Command) -> Command:
    """Add `--vault`."""
    return click.option(
        "--vault",
        metavar="PATH",
        type=click.Path(path_type=Path),
        shell_complete=_folder,
        help="The vault's folder. Default: the nearest above with notewell.toml, .notewell or .obsidian, else this one",
    )(command)


def _folder(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    return [CompletionItem(incomplete, type="dir")]


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON")(command)


def no_refresh_option(command: Command) -> Command:
    """Add `--no-refresh`."""
    return click.option("--no-refresh", is_flag=True, help=HELP["no_refresh"])(command)


def missing_extra(command: str, error: ImportError) -> SettingsError:
    """Return what to say of a command that needs what is not installed, and how to install it."""
    return SettingsError(
        f"`notewell {command}` needs {error.name}, which is not installed", "Run `pip install 'notewell[serve]'`"
    )


def open_vault(path: Path | None, settings: Mapping[str, Any] | None = None) -> Vault:
    """Open a vault with the options that were given; None means not given."""
    given = {name: value for name, value in (settings or {}).items() if value is not None}
    context = click.get_current_context(silent=True)
    # Whoever runs the command may have its vaults open already.
    opening = context.obj if context else None
    vault: Vault = (opening or Vault.open)(path, given)
    return vault


def from_root(root: Path, path: str) -> str:
    """Return a path that was typed as one from the vault's root, wherever it was typed."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root)) if os.path.lexists(path) else path


def print_json(value: Any) -> None:
    """Print a value to stdout as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def is_terminal() -> bool:
    """Tell whether stdout is a terminal; there is none at all where it was closed."""
    return sys.stdout is not None and sys.stdout.isatty()


def tell_data(data: str | bytes) -> None:
    """Print what other programs read, to the byte; on a terminal, with what it would obey made visible."""
    if is_terminal():
        data = printable(data if isinstance(data, str) else os.fsdecode(data))
    click.echo(data, nl=False)


def width_of(text: str) -> int:
    """Return the columns that a text takes on a terminal: signs of the Far East, and pictures, take two, accents none.

    >>> width_of("bees"), width_of("蜂🐝"), width_of("u\u0308ber")
    (4, 4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if _joins(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _joins(sign: str) -> bool:
    """Tell whether a sign is shown with the one before it: an accent, or what makes one picture of several."""
    return category(sign) in ("Mn", "Me", "Cf")


def wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces of whole words that fit; a word that is too long is left to the terminal.

    >>> list(wrapped("rye needs more water", 10))
    ['rye needs', 'more water']
    """
    held: list[str] = []
    room = width
    for word in line.split(" "):
        size = width_of(click.unstyle(word))
        if held and size + 1 > room:
            yield " ".join(held)
            held, room = [], width
        room -= size + bool(held)
        held.append(word)
    yield " ".join(held)


def counted(number: int, what: str) -> str:
    """Return a number and its noun.

    >>> counted(1, "note"), counted(2000, "note")
    ('1 note', '2,000 notes')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def told_suffixes(others: Mapping[str, int]) -> str:
    """Return how many files are of no format that is read, and which, as many as one reads.

    >>> told_suffixes({".jpg": 2, "": 1})
    '3 files of formats that are not read: 2 .jpg, 1 without suffix'
    """
    kinds = [f"{number:,} {suffix or 'without suffix'}" for suffix, number in others.items()]
    shown = ", ".join((*kinds[:SHOWN], *("…" for _ in kinds[SHOWN : SHOWN + 1])))
    return f"{counted(sum(others.values()), 'file')} of formats that are not read: {shown}"


def tell_reasons(what: str, reasons: Mapping[str, str], *, verbose: bool = False) -> None:
    """Say which files something happened to, each reason once; as many files as one reads, unless `verbose`."""
    if not reasons:
        return
    say(f"{len(reasons):,} {what}:")
    for reason, paths in by_reason(reasons).items():
        shown = paths[: None if verbose else SHOWN]
        if len(paths) == 1:
            say(f"  {paths[0]}: {reason}")
            continue
        say("\n".join((f"  {len(paths):,} files: {reason}", *(f"    {path}" for path in shown))))
        if len(paths) > len(shown):
            say(f"    … and {len(paths) - len(shown):,} more; --verbose names them all")


def by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the paths of each reason, as they are shown.

    >>> by_reason({"a.pdf": "a scan", "b.md": "too large", "c.pdf": "a scan"})
    {'a scan': ['a.pdf', 'c.pdf'], 'too large': ['b.md']}
    """
    paths: dict[str, list[str]] = {}
    for path, reason in reasons.items():
        paths.setdefault(reason, []).append(shown_path(path))
    return paths

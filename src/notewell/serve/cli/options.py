"""The options that commands share, how they open a vault, and how they print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from notewell.config import misspelt_variables
from notewell.errors import SettingsError
from notewell.files.control_chars import shown_path
from notewell.freshness import AT_ONCE, Opening
from notewell.index.report import Reason
from notewell.serve.json_data import as_data, json_text
from notewell.serve.say import counted, echo, say
from notewell.serve.wording import sentences
from notewell.types.notices import Notice
from notewell.vault import Vault

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])
Result = TypeVar("Result")

# More are listed by `--verbose` and `notewell status`.
SHOWN = 10

# How commands open a vault.
COMMAND = Opening(AT_ONCE, loads="never")


def vault_option(command: Command) -> Command:
    """Add `--vault`."""
    return click.option(
        "--vault",
        metavar="PATH",
        type=click.Path(path_type=Path),
        shell_complete=_folder,
        help="The vault's folder. Default: this folder, or one above it with notewell.toml, .notewell or .obsidian",
    )(command)


def _folder(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    return [CompletionItem(incomplete, type="dir")]


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON")(command)


class Number(click.ParamType[float]):
    """A number within bounds; an error says which, in plain words."""

    name = "number"

    def __init__(self, kind: type[int] | type[float], low: float, high: float | None = None) -> None:
        self.kind, self.low, self.high = kind, low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number that was typed."""
        with suppress(ValueError):
            number = self.kind(value)
            if self.low <= number and (self.high is None or number <= self.high):
                return number
        what = "a whole number" if self.kind is int else "a number"
        bounds = f"of {self.low:,} or more" if self.high is None else f"from {self.low:,} to {self.high:,}"
        raise click.BadParameter(f"'{value}' is not {what} {bounds}", ctx, param)


def missing_extra(command: str, error: ImportError) -> SettingsError:
    """Return the error of a command that needs a package that is not installed."""
    return SettingsError(
        f"`notewell {command}` needs {error.name}, which is not installed", "Run `pip install 'notewell[serve]'`"
    )


def open_vault(path: Path | None, settings: Mapping[str, Any] | None = None, opening: Opening = COMMAND) -> Vault:
    """Open a vault with the settings that were given as options; None means not given."""
    given = {name: value for name, value in (settings or {}).items() if value is not None}
    for variable, near in misspelt_variables(os.environ).items():
        say(f"note: {variable} is not a setting; did you mean {near}?")
    context = click.get_current_context(silent=True)
    # The daemon, for one, keeps vaults open between commands.
    opened: Vault = context.obj(path, given) if context and context.obj else Vault.open(path, given, opening)
    return opened


def from_root(root: Path, path: str) -> str:
    """Return a path that was typed in the current folder, relative to the vault's root."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root)) if os.path.lexists(path) else path


def print_json(value: Any) -> None:
    """Print a value to stdout as JSON."""
    echo(json_text(value, indent=2))


def print_result(result: Result, as_json: bool, print_text: Callable[[Result], None]) -> None:
    """Print a result as JSON, or as text for a person."""
    if as_json:
        print_json(as_data(result))
    else:
        print_text(result)


def say_notices(notices: Iterable[Notice]) -> None:
    """Print notices to stderr."""
    for notice in sentences(notices, as_options=True):
        say(f"note: {notice}")


def is_terminal() -> bool:
    """Tell whether stdout is a terminal; a closed stdout is None."""
    return sys.stdout is not None and sys.stdout.isatty()


def print_data(data: str | bytes) -> None:
    """Print data for other programs, which open its paths, unchanged; on a terminal, with hidden characters escaped."""
    if is_terminal():
        echo(data if isinstance(data, str) else os.fsdecode(data), nl=False)
    else:
        click.echo(data, nl=False)


def describe_suffixes(others: Mapping[str, int]) -> str:
    """Return the number of files in unsupported formats, by suffix.

    >>> describe_suffixes({".jpg": 2, "": 1})
    '3 files in unsupported formats: 2 .jpg, 1 without suffix'
    """
    kinds = [f"{number:,} {suffix or 'without suffix'}" for suffix, number in others.items()]
    shown = ", ".join((*kinds[:SHOWN], *("…" for _ in kinds[SHOWN : SHOWN + 1])))
    return f"{counted(sum(others.values()), 'file')} in unsupported formats: {shown}"


def print_reasons(what: str, reasons: Sequence[Reason], *, verbose: bool = False) -> None:
    """Print files grouped by reason to stderr; only the first ones, unless `verbose`."""
    if not reasons:
        return
    say(f"{counted(len(reasons), what)}:")
    for reason, paths in by_reason(reasons).items():
        shown = paths[: None if verbose else SHOWN]
        if len(paths) == 1:
            say(f"  {paths[0]}: {reason}")
            continue
        say("\n".join((f"  {len(paths):,} files: {reason}", *(f"    {path}" for path in shown))))
        if len(paths) > len(shown):
            say(f"    … and {len(paths) - len(shown):,} more; --verbose lists them all")


def by_reason(reasons: Iterable[Reason]) -> dict[str, list[str]]:
    """Return paths grouped by reason, as they are shown.

    >>> by_reason([Reason("a.pdf", "a scan"), Reason("b.md", "too large"), Reason("c.pdf", "a scan")])
    {'a scan': ['a.pdf', 'c.pdf'], 'too large': ['b.md']}
    """
    paths: dict[str, list[str]] = {}
    for one in reasons:
        paths.setdefault(one.reason, []).append(shown_path(one.path))
    return paths

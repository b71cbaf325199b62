"""Options that every command has, and talk on stderr."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click

from notewell.index import Progress
from notewell.vault import Vault

Command = TypeVar("Command", bound=Callable[..., Any])

# A run shorter than this shows no progress.
QUIET_NOTES = 500


def vault_option(command: Command) -> Command:
    """Add `--vault`."""
    return click.option(
        "--vault",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="The vault's folder. Default: the nearest one above with notewell.toml or .notewell, else this one",
    )(command)


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON")(command)


def open_vault(path: Path | None, settings: dict[str, Any] | None = None) -> Vault:
    """Open a vault with the options that were given; None means not given."""
    return Vault.open(path, {name: value for name, value in (settings or {}).items() if value is not None})


def print_json(value: Any) -> None:
    """Print a value to stdout as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Talk to the user, on stderr."""
    click.echo(text, err=True)


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Show a bar on a terminal and plain lines elsewhere; Ctrl-C stops after the note at hand."""
    stopping: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if stopping:
            raise KeyboardInterrupt
        stopping.append(number)

    before = signal.signal(signal.SIGINT, stop)
    try:
        with _bar() if sys.stderr.isatty() else _lines() as tell:
            yield Progress(tell, lambda: bool(stopping))
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    # A terminal's bar is worth its 50 ms; a pipe does not pay for it.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("Indexing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("notes", total=None, visible=False)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= QUIET_NOTES)

        yield tell


@contextmanager
def _lines() -> Iterator[Callable[[int, int], None]]:
    shown = [0]

    def tell(done: int, total: int) -> None:
        tenth = 10 * done // total
        if total >= QUIET_NOTES and tenth > shown[0]:
            shown[0] = tenth
            say(f"indexed {done:,} of {total:,} notes")

    yield tell

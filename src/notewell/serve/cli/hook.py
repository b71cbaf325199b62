"""`notewell hook`."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from notewell.files.user import home_folder, state_folder
from notewell.serve.daemon import client
from notewell.serve.hooks import EVENTS, Call, run_hook
from notewell.serve.hooks.limit import LIMIT, OUT_OF_TIME, STDIN_OPEN, STDOUT_CLOSED, Limit, is_stalled
from notewell.serve.hooks.log import HookRun, record
from notewell.serve.hooks.payload import TooLate

if TYPE_CHECKING:
    from notewell.serve.hooks.install import Change

Command = TypeVar("Command", bound=Callable[..., Any])

# Nothing else is imported here: a hook's time limit starts with its process.
VAULT = click.option(
    "--vault",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The vault's folder. Default: the nearest vault above the current folder",
)
SUMMARIES = {
    "start": "Open the notes before the first prompt (SessionStart)",
    "prompt": "Add notes that are clearly about the prompt (UserPromptSubmit)",
    "before": "Add what the notes say about a file or a search (PreToolUse)",
    "after": "Replace long tool output with an extract (PostToolUse)",
}


@click.group()
def command() -> None:
    """Give Claude Code your notes through its hooks

    A hook reads JSON on stdin and prints JSON, or nothing. It never fails; errors go to a log.

    \b
    Example:
        notewell hook install --user --vault ~/notes
        notewell hook status
    """


def _add(name: str) -> None:
    @command.command(name, help=f"{SUMMARIES[name]}\n\nReads the event as JSON on stdin.", short_help=SUMMARIES[name])
    @VAULT
    @click.option(
        "--timeout-ms",
        metavar="N",
        type=click.IntRange(1, 10_000),
        envvar="NOTEWELL_HOOK_TIMEOUT_MS",
        help=f"Give up after N milliseconds. Default: hook.timeout_ms, {LIMIT}",
    )
    # When the daemon's client began, and until when it waits, by the clock that all processes share.
    @click.option("--window", nargs=2, type=float, hidden=True)
    def run(vault: Path | None, timeout_ms: int | None, window: tuple[float, float] | None) -> None:
        # Whatever goes wrong, even with the log, Claude Code continues as if there were no hook.
        with suppress(Exception):
            _run(name, vault, timeout_ms, window)


for _name in EVENTS:
    _add(_name)


def _began() -> float:
    """Return when this process began: starting it, and trying the daemon in vain, count too."""
    return client.began or time.monotonic() - time.process_time()


def _run(name: str, vault: Path | None, milliseconds: int | None, window: tuple[float, float] | None) -> None:
    state = state_folder(os.environ, home_folder(os.environ))
    began, until = window or (_began(), math.inf)
    limit = Limit(began, milliseconds, until=until)
    reading = client.stdin_stalled or time.monotonic() < limit.deadline

    def late() -> None:
        why = STDIN_OPEN if reading and is_stalled(0) else OUT_OF_TIME
        record(state, HookRun(name, "failed", why, round((time.monotonic() - began) * 1000), 0))

    if window is None:
        # This process runs one hook only, so it may be ended.
        limit.watch(late)
    given = _read()
    reading = False
    named = Path(os.path.expanduser(vault)).absolute() if vault else None
    opening = click.get_current_context().obj
    run_hook(Call(name, given, named, limit, state, opening, in_daemon=window is not None), _print)


def _read() -> bytes:
    """Return stdin, or nothing if it is closed or unreadable."""
    try:
        # A closed stdin is None.
        given: str | bytes = getattr(sys.stdin, "buffer", sys.stdin).read() if sys.stdin else b""
    except (OSError, ValueError):
        return b""
    return given.encode() if isinstance(given, str) else given


def _print(text: str) -> None:
    try:
        # ASCII: it is JSON in any encoding.
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError) as error:
        # A closed stdout is None.
        raise TooLate(STDOUT_CLOSED) from error


def _where(command: Command) -> Command:
    """Add the options of the settings file."""
    project = "In .claude/settings.json of the current folder, for this project only; the default"
    for add in (
        click.option("--yes", is_flag=True, help="Write without asking"),
        click.option("--project", "where", flag_value="project", default="project", help=project),
        click.option("--user", "where", flag_value="user", help="In ~/.claude/settings.json, for all your projects"),
    ):
        command = add(command)
    return command


@command.command()
@_where
@VAULT
@click.option(
    "--only", metavar="NAME,…", default=",".join(EVENTS), help=f"Install only these hooks. Default: {','.join(EVENTS)}"
)
@click.option("--uninstall", is_flag=True, help="Same as `notewell hook uninstall`")
def install(where: str, vault: Path | None, only: str, yes: bool, uninstall: bool) -> None:
    """Add the hooks to Claude Code's settings

    Shows the change and asks first. Other settings stay as they are.

    \b
    Example:
        notewell hook install --user --vault ~/notes
    """
    names = [] if uninstall else [name for name in only.split(",") if name]
    _change(where, vault, names, yes=yes, uninstall=uninstall)


@command.command()
@_where
def uninstall(where: str, yes: bool) -> None:
    """Remove the hooks from Claude Code's settings

    Shows the change and asks first. If nothing else changed since the hooks were installed, the file is restored byte
    for byte.

    \b
    Example:
        notewell hook uninstall --user
    """
    _change(where, None, [], yes=yes, uninstall=True)


def _change(where: str, vault: Path | None, names: list[str], *, yes: bool, uninstall: bool) -> None:
    # Loaded only here: the hooks themselves do not need it.
    from notewell.serve.hooks.install import (  # noqa: PLC0415
        entries_for,
        forget_backup,
        plan_change,
        settings_files,
        write_change,
    )
    from notewell.serve.say import confirmed, echo, say  # noqa: PLC0415

    hooks = {} if uninstall else entries_for(vault, names)
    state = state_folder(os.environ, home_folder(os.environ))
    change = plan_change(where, hooks, state)
    if not change.differs:
        say(f"{'No hooks are installed' if uninstall else 'The hooks are already installed'} in {change.file}")
        if uninstall:
            forget_backup(change)
            for other, file in settings_files().items():
                if other in ("user", "project") and plan_change(other, {}, state).differs:
                    say(f"hint: hooks are installed in {file}; `notewell hook uninstall --{other}` removes them")
        else:
            _say_missing(vault)
        return
    echo(change.diff, nl=False)
    if not uninstall:
        _say_missing(vault)
    if confirmed(f"write {change.file}", yes=yes):
        write_change(change)
        say(f"{change.file} {_outcome(change)}; this applies to new sessions of Claude Code")


def _outcome(change: Change) -> str:
    if not change.uninstalls:
        return "written"
    if change.after is None:
        return "removed, as it did not exist before the hooks"
    return "restored" if change.restored else "written without the hooks"


def _say_missing(vault: Path | None) -> None:
    """Say why the hooks would add nothing: there is no vault, or it was never indexed."""
    from notewell.config import here, nearest_vault  # noqa: PLC0415
    from notewell.serve.cli.options import open_vault  # noqa: PLC0415
    from notewell.serve.say import say  # noqa: PLC0415

    root = Path(os.path.expanduser(vault)) if vault else nearest_vault(here())
    if root is None:
        say(f"there is no vault in {here()} or above, so the hooks will add nothing; set one with --vault PATH")
        return
    with open_vault(root) as opened:
        if not opened.indexed:
            say(f"{opened.root} is not indexed yet, so the hooks will add nothing; run `notewell index` there")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def status(as_json: bool) -> None:
    """Show where hooks are installed, and how their last 100 runs went"""
    from notewell.serve.hooks.status import make_status, status_text  # noqa: PLC0415
    from notewell.serve.json_data import json_text  # noqa: PLC0415
    from notewell.serve.say import echo  # noqa: PLC0415

    found = make_status(state_folder(os.environ, home_folder(os.environ)))
    echo(json_text(found, indent=2) if as_json else status_text(found))

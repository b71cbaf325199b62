"""`notewell hook`."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from notewell.files.user import home_folder, state_folder
from notewell.serve.daemon import client
from notewell.serve.hooks import EVENTS, Call, run_hook
from notewell.serve.hooks.limit import LIMIT, OUT_OF_TIME, STDIN_OPEN, STDOUT_CLOSED, Limit, is_stalled
from notewell.serve.hooks.log import Run, record
from notewell.serve.hooks.payload import TooLate

if TYPE_CHECKING:
    from notewell.serve.hooks.install import Change

# Nothing else is imported here: a hook's time runs from its first moment, before it has read a file.
VAULT = click.option(
    "--vault", metavar="PATH", type=click.Path(path_type=Path), help="The vault's folder. Default: the nearest above"
)
SHOWN_AS = {
    "start": "Have the notes open before the first prompt (SessionStart)",
    "prompt": "Add notes that a prompt is surely about (UserPromptSubmit)",
    "before": "Add what notes say of a file or a search (PreToolUse)",
    "after": "Replace the long output of a tool by an extract (PostToolUse)",
}


@click.group()
def command() -> None:
    """Give Claude Code what your notes know, by its hooks

    A hook reads JSON on stdin and answers with JSON, or with nothing. It never fails: what went wrong is in the log.

    \b
    Example:
        notewell hook install --user --vault ~/notes
        notewell hook status
    """


def _add(name: str) -> None:
    @command.command(name, help=f"{SHOWN_AS[name]}\n\nReads the event's JSON on stdin.", short_help=SHOWN_AS[name])
    @VAULT
    @click.option(
        "--timeout-ms",
        metavar="N",
        type=click.IntRange(1, 10_000),
        envvar="NOTEWELL_HOOK_TIMEOUT_MS",
        help=f"Say nothing after so long. Default: hook.timeout_ms, {LIMIT}",
    )
    # When a client of the warm process began, and until when it waits, by the clock that all processes have in common.
    @click.option("--between", nargs=2, type=float, hidden=True)
    def run(vault: Path | None, timeout_ms: int | None, between: tuple[float, float] | None) -> None:
        # Whatever is wrong, even that a log has no home, the prompt or the tool goes on as if there were no hook.
        with suppress(Exception):
            _run(name, vault, timeout_ms, between)


for _name in EVENTS:
    _add(_name)


def _began() -> float:
    """Return when this process began: its start, and asking another in vain, count, too."""
    return client.began or time.monotonic() - time.process_time()


def _run(name: str, vault: Path | None, milliseconds: int | None, between: tuple[float, float] | None) -> None:
    state = state_folder(os.environ, home_folder(os.environ))
    began, until = between or (_began(), math.inf)
    limit = Limit(began, milliseconds, until=until)
    reading = client.in_vain or time.monotonic() < limit.deadline

    def late() -> None:
        why = STDIN_OPEN if reading and is_stalled(0) else OUT_OF_TIME
        record(state, Run(name, "failed", why, round((time.monotonic() - began) * 1000), 0))

    if between is None:
        # This process runs one hook, and may be ended with it.
        limit.watch(late)
    given = _read()
    reading = False
    named = Path(os.path.expanduser(vault)).absolute() if vault else None
    opening = click.get_current_context().obj
    run_hook(Call(name, given, named, limit, state, opening, in_daemon=between is not None), _tell)


def _read() -> bytes:
    """Return what stdin holds; nothing, where there is none or it cannot be read."""
    try:
        # Where stdin was closed, there is none.
        given: str | bytes = getattr(sys.stdin, "buffer", sys.stdin).read() if sys.stdin else b""
    except (OSError, ValueError):
        return b""
    return given.encode() if isinstance(given, str) else given


def _tell(text: str) -> None:
    try:
        # Whole, and in ASCII: whatever the terminal's encoding, it is JSON.
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError) as error:
        # Where stdout was closed, there is none.
        raise TooLate(STDOUT_CLOSED) from error


@command.command()
@click.option("--user", "where", flag_value="user", help="Into your own settings, for all projects")
@click.option("--project", "where", flag_value="project", default="project", help="Into this project's. Default")
@VAULT
@click.option("--only", metavar="NAME,…", default=",".join(EVENTS), help=f"Which hooks. Default: {','.join(EVENTS)}")
@click.option("--yes", is_flag=True, help="Write without asking")
@click.option("--uninstall", is_flag=True, help="Take the hooks out again")
def install(where: str, vault: Path | None, only: str, yes: bool, uninstall: bool) -> None:
    """Write the hooks into Claude Code's settings

    Shows what would change, and asks. Whatever else the settings hold stays. --uninstall takes out what was put in;
    where nothing else changed since, the file is again what it was, to the byte.

    \b
    Example:
        notewell hook install --user --vault ~/notes
    """
    # The hooks themselves do not pay for it.
    from notewell.serve.hooks.install import entries_for, forget_backup, plan_change, write_change  # noqa: PLC0415
    from notewell.serve.say import printable, say  # noqa: PLC0415

    hooks = {} if uninstall else entries_for(vault, [name for name in only.split(",") if name])
    change = plan_change(where, hooks, state_folder(os.environ, home_folder(os.environ)))
    if not change.differs:
        say(f"{change.file}: {'no hooks of ours are' if uninstall else 'the hooks are already'} there")
        if uninstall:
            forget_backup(change)
        else:
            _say_what_is_missing(vault)
        return
    click.echo(printable(change.diff), nl=False)
    if not yes and not sys.stdin.isatty():
        say("nothing was written; run it again with --yes to write this")
    elif yes or click.confirm(f"Write {change.file}?", err=True):
        write_change(change)
        say(f"{change.file} {_done(change)}; sessions of Claude Code that begin from now on use it")
        if not uninstall:
            _say_what_is_missing(vault)


def _done(change: Change) -> str:
    if not change.uninstalls:
        return "written"
    if change.after is None:
        return "removed, since there was none before the hooks"
    return "is what it was before the hooks" if change.restored else "has our hooks no more; what else it holds stays"


def _say_what_is_missing(vault: Path | None) -> None:
    """Say why hooks would say nothing: no vault is near, or it was never indexed."""
    from notewell.config import here, nearest_vault  # noqa: PLC0415
    from notewell.serve.cli.options import open_vault  # noqa: PLC0415
    from notewell.serve.say import say  # noqa: PLC0415

    root = Path(os.path.expanduser(vault)) if vault else nearest_vault(here())
    if root is None:
        say(f"no vault is in {here()} or above, where hooks say nothing of notes: name one with --vault PATH")
        return
    with open_vault(root) as opened:
        if not opened.indexed:
            say(f"{opened.root} was never indexed, and hooks say nothing until it is: run `notewell index` there")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def status(as_json: bool) -> None:
    """Say where hooks are installed, and how the last hundred runs went"""
    from notewell.serve.hooks.status import make_status, status_text  # noqa: PLC0415
    from notewell.serve.say import printable  # noqa: PLC0415

    found = make_status(state_folder(os.environ, home_folder(os.environ)))
    # What went wrong may name a file, and that may hold what a terminal obeys.
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else printable(status_text(found)))

"""`notewell hook`."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from notewell.own import state_folder
from notewell.serve.hooks import EVENTS, LIMIT, Call, run_hook
from notewell.serve.hooks.limit import Limit, is_alone
from notewell.serve.hooks.log import Run, record
from notewell.serve.warm import client

# Nothing else is imported here: a hook's time runs from its first moment, before it has read a file.
VAULT = click.option(
    "--vault", metavar="PATH", type=click.Path(path_type=Path), help="The vault's folder. Default: the nearest above"
)
SHOWN_AS = {
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
    def run(vault: Path | None, timeout_ms: int | None) -> None:
        _run(name, vault, timeout_ms, _began() if is_alone() else time.monotonic())


for _name in EVENTS:
    _add(_name)


def _began() -> float:
    """Return when this process began: its start, and asking another in vain, count, too."""
    return client.began or time.monotonic() - time.process_time()


def _run(name: str, vault: Path | None, limit: int | None, began: float) -> None:
    state = state_folder(os.environ, Path.home())

    def late() -> None:
        took = round((time.monotonic() - began) * 1000)
        record(state, Run(name, "failed", "out of time", took, 0))

    watching = Limit(began + (limit or LIMIT) / 1000, late) if is_alone() else None
    given = getattr(sys.stdin, "buffer", sys.stdin).read()
    named = vault.expanduser().absolute() if vault else None
    data = given.encode() if isinstance(given, str) else given
    call = Call(name, data, named, began, limit, state)
    text = run_hook(replace(call, until=watching.until, done=watching.done) if watching else call)
    if text:
        # Whole, and in ASCII: whatever the terminal's encoding, it is JSON.
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


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
    from notewell.serve.cli.options import printable, say  # noqa: PLC0415
    from notewell.serve.hooks.install import plan_change, write_change  # noqa: PLC0415
    from notewell.serve.hooks.wanted import hooks_wanted  # noqa: PLC0415

    hooks = {} if uninstall else hooks_wanted(vault, [name for name in only.split(",") if name])
    change = plan_change(where, hooks, state_folder(os.environ, Path.home()))
    if not change.differs:
        say(f"{change.file}: {'no hooks of ours are' if uninstall else 'the hooks are already'} there")
        return
    click.echo(printable(change.diff), nl=False)
    if not yes and not sys.stdin.isatty():
        say("nothing was written; run it again with --yes to write this")
    elif yes or click.confirm(f"Write {change.file}?", err=True):
        write_change(change)
        say(f"{change.file} written; sessions of Claude Code that begin from now on use it")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def status(as_json: bool) -> None:
    """Say where hooks are installed, and how the last hundred runs went"""
    from notewell.serve.hooks.status import make_status, told  # noqa: PLC0415

    found = make_status(state_folder(os.environ, Path.home()))
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else told(found))

"""`notewell daemon`."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

import click

from notewell.errors import DaemonError, NotewellError
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.daemon.control import ask_daemon, daemon_pid
from notewell.serve.say import counted, printable_line, say
from notewell.vault import Vault

# How long the daemon may take to finish its work when it is stopped, in seconds; then it is killed.
STOP_SECONDS = 5.0
PAUSE = 0.02


@click.command("daemon")
@click.argument("action", type=click.Choice(["status", "stop", "run"]), default="status")
@click.option("--first", is_flag=True, help="With run: begin with the request on stdin")
@json_option
def command(action: str, first: bool, as_json: bool) -> None:
    """Show or stop the daemon, which speeds up commands

    The first search starts the daemon, a process that keeps the vault open, so that the next search takes a tenth of
    the time. It exits after 15 minutes without a request. `status` lists its open vaults, and `stop` stops it; searches
    use `run` to start it. To do without it, use `--no-daemon`, NOTEWELL_DAEMON=no or `daemon.use = false`.

    \b
    Example:
        notewell daemon status
        notewell daemon stop
    """
    if not hasattr(os, "geteuid"):
        raise DaemonError("There is no daemon on Windows", "Every command works without it")
    if action == "run":
        _run(first)
        return
    found = _about() if action == "status" else _stop()
    if as_json:
        print_json({"running": action == "status" and bool(found), **found})
    elif action == "stop":
        say("stopped" if found else "not running")
    elif found:
        _print(found)
    else:
        click.echo("not running; the next search starts it")


def _about() -> dict[str, Any]:
    """Return the daemon's report, or only its process id if it does not answer, or nothing if it is not running."""
    if report := ask_daemon("about"):
        return {"answers": True, **report, "filling": [root for root in report["vaults"] if _is_encoding(root)]}
    pid = daemon_pid()
    return {} if pid is None else {"answers": False, "pid": pid}


def _is_encoding(root: str) -> bool:
    """Tell whether another process is encoding this vault in the background."""
    with suppress(NotewellError), Vault.open(root) as vault:
        return vault.encoder.progress.under_way
    return False


def _print(about: dict[str, Any]) -> None:
    if not about["answers"]:
        click.echo(f"process   {about['pid']} does not answer: it is starting, busy or hanging")
        say("hint: commands work without it meanwhile; `notewell daemon stop` stops it")
        return
    click.echo(f"process   {about['pid']}, since {about['since']}")
    click.echo(f"answered  {counted(about['requests'], 'request')}")
    click.echo(f"memory    {about['memory_mb']:.0f} MB")
    for number, root in enumerate(about["vaults"]):
        encoding = "; the encoder is running in the background" if root in about["filling"] else ""
        click.echo(f"{'' if number else 'vaults':<8}  {printable_line(root)}{encoding}")
    click.echo(f"socket    {about['socket']}")


def _stop() -> dict[str, Any]:
    """Stop the daemon, and return its last report, or nothing if it was not running."""
    pid = daemon_pid()
    if pid is None:
        return {}
    report = ask_daemon("stop")
    if not report:
        # It is busy, hangs, or was suspended, and then must continue in order to end.
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
    if not _is_ended(pid):
        os.kill(pid, signal.SIGKILL)
        if not _is_ended(pid):
            raise DaemonError(f"Process {pid} does not stop", "Its disk may be hanging; try again later")
    return report or {"pid": pid}


def _is_ended(pid: int) -> bool:
    """Wait for the process to end, and tell whether it did."""
    deadline = time.monotonic() + STOP_SECONDS
    while daemon_pid() == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE)
    return True


def _run(first: bool) -> None:
    # Loads all that a search needs.
    from notewell.serve.daemon.process import run_daemon  # noqa: PLC0415

    if not run_daemon(sys.stdin.buffer.read() if first else b""):
        raise DaemonError("The daemon is already running", "`notewell daemon stop` stops it")

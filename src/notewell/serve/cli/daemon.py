"""`notewell daemon`."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import click

from notewell.errors import DaemonError
from notewell.serve.cli.options import counted, json_option, print_json, say
from notewell.serve.warm.control import ask, holder

# How long, in seconds, one that was told to end may take; it finishes what it is at.
UNTIL_ENDED = 5.0
PAUSE = 0.02


@click.command("daemon")
@click.argument("action", type=click.Choice(["status", "stop", "run"]), default="status")
@click.option("--first", is_flag=True, help="With run: before it listens, run the request on stdin for nobody")
@json_option
def command(action: str, first: bool, as_json: bool) -> None:
    """Say what the process behind the commands does, or end it

    The first search starts a process that stays behind, so that the next is answered in a tenth of the time. It ends
    by itself when nobody asked it anything for a quarter of an hour. `status` says which vaults it has open, `stop`
    ends it, `run` is what a search starts. `--no-daemon`, NOTEWELL_DAEMON=no and `daemon.use = false` do without it.

    \b
    Example:
        notewell daemon status
        notewell daemon stop
    """
    if not hasattr(os, "geteuid"):
        raise DaemonError("There is no such process on Windows", "Every command does its own work there")
    if action == "run":
        _run(first)
        return
    told = ask("about") if action == "status" else _stop()
    if as_json:
        print_json({"running": action == "status" and bool(told), **told})
    elif action == "stop":
        say("ended" if told else "not running")
    elif told:
        _tell(told)
    else:
        click.echo("not running; the next search starts it")


def _tell(about: dict[str, Any]) -> None:
    click.echo(f"process   {about['pid']}, since {about['since']}")
    click.echo(f"answered  {counted(about['requests'], 'request')}")
    click.echo(f"memory    {about['memory_mb']:.0f} MB")
    for number, root in enumerate(about["vaults"]):
        click.echo(f"{'' if number else 'vaults':<8}  {root}")
    click.echo(f"socket    {about['socket']}")


def _stop() -> dict[str, Any]:
    """End the process, and return its last words; nothing, if there is none."""
    pid = holder()
    if pid is None:
        return {}
    told = ask("stop")
    if not told:
        # It is busy, or hangs.
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + UNTIL_ENDED
    while holder() == pid:
        if time.monotonic() > deadline:
            raise DaemonError(f"Process {pid} does not end", f"Wait for what it is at, or run `kill -9 {pid}`")
        time.sleep(PAUSE)
    return told or {"pid": pid}


def _run(first: bool) -> None:
    # All that a search needs is loaded here, before anybody asks.
    from notewell.serve.warm.process import serve  # noqa: PLC0415

    if not serve(sys.stdin.buffer.read() if first else b""):
        raise DaemonError("The process behind the commands runs already", "`notewell daemon stop` ends it")

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
from notewell.serve.cli.options import counted, json_option, print_json
from notewell.serve.daemon.control import ask, holder
from notewell.serve.say import printable_line, say
from notewell.vault import Vault

# How long, in seconds, one that was told to end may take to finish what it is at; then it is made to.
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
    told = _about() if action == "status" else _stop()
    if as_json:
        print_json({"running": action == "status" and bool(told), **told})
    elif action == "stop":
        say("ended" if told else "not running")
    elif told:
        _tell(told)
    else:
        click.echo("not running; the next search starts it")


def _about() -> dict[str, Any]:
    """Return what the process says, or only its number where it does not answer; nothing, if there is none."""
    if told := ask("about"):
        return {"answers": True, **told, "filling": [root for root in told["vaults"] if _is_filling(root)]}
    pid = holder()
    return {} if pid is None else {"answers": False, "pid": pid}


def _is_filling(root: str) -> bool:
    """Tell whether the encoder reads a vault behind; that is another process, and the only other one there is."""
    with suppress(NotewellError), Vault.open(root) as vault:
        return vault.filling.under_way
    return False


def _tell(about: dict[str, Any]) -> None:
    if not about["answers"]:
        click.echo(f"process   {about['pid']} does not answer: it begins, is busy, or hangs")
        say("hint: commands do without it meanwhile; `notewell daemon stop` ends it")
        return
    click.echo(f"process   {about['pid']}, since {about['since']}")
    click.echo(f"answered  {counted(about['requests'], 'request')}")
    click.echo(f"memory    {about['memory_mb']:.0f} MB")
    for number, root in enumerate(about["vaults"]):
        filling = "; a better model reads it in the background" if root in about["filling"] else ""
        click.echo(f"{'' if number else 'vaults':<8}  {printable_line(root)}{filling}")
    click.echo(f"socket    {about['socket']}")


def _stop() -> dict[str, Any]:
    """End the process, and return its last words; nothing, if there is none."""
    pid = holder()
    if pid is None:
        return {}
    told = ask("stop")
    if not told:
        # It is busy, hangs, or was halted: then it has to go on in order to end.
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
    if not _is_ended(pid):
        os.kill(pid, signal.SIGKILL)
        if not _is_ended(pid):
            raise DaemonError(f"Process {pid} does not end", "Its disk may not answer; try again later")
    return told or {"pid": pid}


def _is_ended(pid: int) -> bool:
    """Wait until the process is gone, and tell whether it is."""
    deadline = time.monotonic() + UNTIL_ENDED
    while holder() == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE)
    return True


def _run(first: bool) -> None:
    # All that a search needs is loaded here, before anybody asks.
    from notewell.serve.daemon.process import serve  # noqa: PLC0415

    if not serve(sys.stdin.buffer.read() if first else b""):
        raise DaemonError("The process behind the commands runs already", "`notewell daemon stop` ends it")

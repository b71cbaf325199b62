"""`notewell daemon`."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import click

from notewell.errors import DaemonError, NotewellError
from notewell.files.control_chars import shown_path
from notewell.serve import background
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.daemon.control import ask_daemon, daemon_lock, daemon_pid
from notewell.serve.say import counted, echo, say
from notewell.vault import Vault

RESUMED = "resumed; the next search starts the daemon, and `notewell index` continues encoding"
PAUSED = "paused; nothing starts in the background until `notewell daemon resume`"


@click.command("daemon")
@click.argument("action", type=click.Choice(["status", "stop", "pause", "resume", "run"]), default="status")
@click.option("--first", is_flag=True, help="With run: begin with the request on stdin")
@json_option
def command(action: str, first: bool, as_json: bool) -> None:
    """Show, stop or pause what runs in the background

    The first search starts the daemon, a process that keeps the vault open, so that the next search takes a quarter of
    the time. It exits after 15 minutes without a request. If an encoder is installed, another process encodes new
    notes. `status` shows the daemon, and which of its vaults are being encoded. `stop` stops both processes; the next
    search starts the daemon again, and `notewell index` continues encoding. `pause` stops both until `resume`, even
    after a restart. Searches use `run` to start the daemon. To turn off only the daemon, use `--no-daemon`,
    NOTEWELL_DAEMON=no or `daemon.use = false`.

    \b
    Example:
        notewell daemon status
        notewell daemon pause
    """
    if action == "run":
        _run(first)
    elif action == "status":
        _show(_about(), as_json)
    else:
        _change(action, as_json)


def _show(found: dict[str, Any], as_json: bool) -> None:
    paused = background.is_paused()
    if as_json:
        print_json({"running": bool(found), "paused": paused, **found})
    elif found:
        _print(found)
    else:
        echo(PAUSED if paused else "not running; the next search starts it")


def _change(action: str, as_json: bool) -> None:
    """Stop, pause or resume the background, and print the outcome."""
    if action == "pause":
        # First, so that nothing starts meanwhile.
        background.pause()
    elif action == "resume":
        background.resume()
    found, encoders = ({}, 0) if action == "resume" else (stop_daemon(), background.stop_encoding())
    if as_json:
        print_json({"running": False, "paused": background.is_paused(), "encoders": encoders, **found})
        return
    stopped = [*["the daemon"] * bool(found), *["encoding"] * bool(encoders)]
    said = {"stop": "nothing was running", "pause": PAUSED, "resume": RESUMED}
    if stopped:
        say(f"stopped {' and '.join(stopped)}")
    if not stopped or action != "stop":
        say(said[action])


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
        echo(f"process   {about['pid']} does not answer: it is starting, busy or hanging")
        say("hint: commands work without it meanwhile; `notewell daemon stop` stops it")
        return
    echo(f"process   {about['pid']}, since {about['since']}")
    echo(f"answered  {counted(about['requests'], 'request')}")
    echo(f"memory    {about['memory_mb']:.0f} MB")
    for number, root in enumerate(about["vaults"]):
        encoding = "; the encoder is running in the background" if root in about["filling"] else ""
        echo(f"{'' if number else 'vaults':<8}  {shown_path(root)}{encoding}")
    echo(f"socket    {about['socket']}")


def stop_daemon() -> dict[str, Any]:
    """Stop the daemon, and return its last report, or nothing if it was not running."""
    pid = daemon_pid()
    if pid is None:
        return {}
    report = ask_daemon("stop")
    if not report or not background.is_ended(daemon_lock(), pid):
        # It is busy, hangs, or was suspended.
        background.stop_process(daemon_lock(), pid)
    return report or {"pid": pid}


def _run(first: bool) -> None:
    # Loads all that a search needs.
    from notewell.serve.daemon.process import run_daemon  # noqa: PLC0415

    if not run_daemon(sys.stdin.buffer.read() if first else b""):
        raise DaemonError("The daemon is already running", "`notewell daemon stop` stops it")

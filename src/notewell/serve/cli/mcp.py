"""`notewell mcp`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from notewell.errors import SettingsError
from notewell.serve.cli.options import missing_extra, vault_option
from notewell.serve.kept import KeptVault
from notewell.serve.say import say


@click.command("mcp")
@vault_option
def command(vault: Path | None) -> None:
    """Let a model search and read the notes, over MCP

    Programs such as Claude Code, Claude Desktop, Cursor and Codex start it by themselves and end it when they end;
    docs/guides/agents.md has what to paste. Notes are only read; if the vault names a folder for memories, they can be
    written there. A vault that was never indexed is indexed with the first question. Programs that want an address
    instead of a command find MCP under `notewell serve`, at /mcp.

    \b
    Example:
        notewell mcp --vault ~/notes
        claude mcp add notewell -- notewell mcp --vault ~/notes
    """
    # Before anything that takes time, in which it could be gone already.
    parent = os.getppid()
    opened = KeptVault.open(vault)
    try:
        # The protocol's library takes half a second to load.
        from notewell.serve.mcp.stdio import serve_stdio  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("mcp", error) from error
    if sys.stdin is None or sys.stdout is None:
        raise SettingsError("stdin or stdout is closed", "Let a program start it that speaks MCP")
    if sys.stdin.isatty():
        say("waiting for a program that speaks MCP on stdin; Ctrl-D ends it")
    serve_stdio(opened, parent)

"""`notewell mcp`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from notewell.errors import SettingsError
from notewell.serve.cli.options import missing_extra, vault_option
from notewell.serve.say import say
from notewell.serve.served import SERVED
from notewell.vault import Vault


@click.command("mcp")
@vault_option
def command(vault: Path | None) -> None:
    """Serve the vault to AI agents over MCP

    Programs such as Claude Code, Claude Desktop, Cursor and Codex start this command themselves and stop it when they
    exit; docs/guides/agents.md has the configuration to paste. Notes are read only; if the vault has a memory folder,
    agents can write there. A new vault is indexed at the first request. Programs that need a URL use `notewell serve`
    and its /mcp.

    \b
    Example:
        notewell mcp --vault ~/notes
        claude mcp add notewell -- notewell mcp --vault ~/notes
    """
    # First of all: later, the parent could be gone already.
    parent = os.getppid()
    opened = Vault.open(vault, opening=SERVED)
    try:
        # The MCP library takes half a second to load.
        from notewell.serve.mcp.stdio import serve_stdio  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("mcp", error) from error
    if sys.stdin is None or sys.stdout is None:
        raise SettingsError("stdin or stdout is closed", "Let an MCP client start this command")
    if sys.stdin.isatty():
        say("waiting for an MCP client on stdin; Ctrl-D stops it")
    serve_stdio(opened, parent)

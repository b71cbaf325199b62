"""`notewell mcp`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from notewell.errors import SettingsError
from notewell.serve.cli.options import open_vault, say, vault_option

PORT = 8377


@click.command("mcp")
@vault_option
@click.option("--http", is_flag=True, help="Answer over HTTP on this machine, instead of on stdin and stdout")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help=f"With --http: the port. Default: {PORT}")
def command(vault: Path | None, http: bool, port: int) -> None:
    """Let a model search and read the notes, over MCP

    Programs such as Claude Code, Claude Desktop, Cursor and Codex start it by themselves and end it when they end;
    docs/guides/agents.md has what to paste. Notes are only read; if the vault names a folder for memories, they can be
    written there. A vault that was never indexed is indexed with the first question.

    \b
    Example:
        notewell mcp --http --port 8377
        claude mcp add notewell -- notewell mcp --vault ~/notes
    """
    # Before anything that takes time, in which it could be gone already.
    parent = os.getppid()
    opened = open_vault(vault)
    try:
        # The protocol's library takes half a second to load.
        if http:
            from notewell.serve.mcp.http import serve_http  # noqa: PLC0415

            serve_http(opened, port)
        else:
            from notewell.serve.mcp.stdio import serve_stdio  # noqa: PLC0415

            if sys.stdin is None or sys.stdout is None:
                raise SettingsError(
                    "stdin or stdout is closed", "Let a program start it that speaks MCP, or use --http"
                )
            if sys.stdin.isatty():
                say("waiting for a program that speaks MCP on stdin; Ctrl-D ends it")
            serve_stdio(opened, parent)
    except ImportError as error:
        raise SettingsError(
            f"What speaks MCP is not installed: {error.name}", "Run `pip install 'notewell[serve]'`"
        ) from error

"""`notewell server`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from notewell.config import user_file
from notewell.files.control_chars import shown_path
from notewell.serve.cli import nodes, stored_vaults
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.own_server import OwnServer, ServerStatus, server_folder
from notewell.serve.say import echo, say

Command = TypeVar("Command", bound=Callable[..., Any])

NONE_YET = "none yet; `notewell server up` makes one"
SET = "Put this line into your own settings, {}, then run `notewell index`"


@click.group()
def command() -> None:
    """Run a PostgreSQL server of your own

    For vaults that have outgrown one file: many writers, or millions of chunks. Install it with `pip install
    'notewell[server]'`. It listens on this machine only, and makes its passwords when it first starts. docs/scale.md
    shows when it pays.

    \b
    Example:
        notewell server up
        notewell server status
    """


command.add_command(nodes.command)
command.add_command(stored_vaults.command)


def _data_option(command: Command) -> Command:
    return click.option(
        "--data",
        metavar="FOLDER",
        type=click.Path(path_type=Path),
        help="The server's folder. Default: `server` in your state folder; for root, /var/lib/notewell",
    )(command)


def _server(data: Path | None) -> OwnServer:
    return OwnServer(data.absolute() if data else server_folder())


@command.command("up")
@_data_option
@json_option
def up(data: Path | None, as_json: bool) -> None:
    """Start the server, and create it if there is none

    Prints the setting for vaults that should use it. The password is in a file that only you can read. PostgreSQL does
    not run as root: if you are root, the user `postgres` or `nobody` runs it.

    \b
    Example:
        notewell server up
    """
    server = _server(data)
    started = server.up()
    status = server.status()
    if as_json:
        print_json({"started": started, **asdict(status)})
        return
    say(f"PostgreSQL {status.version} {'started' if started else 'is already running'}, process {status.pid}")
    say(SET.format(shown_path(str(user_file(os.environ)))))
    echo(f'store.url = "{status.url}"')


@command.command("down")
@_data_option
@click.option("--delete", is_flag=True, help="Delete the server with all its data")
@json_option
def down(data: Path | None, delete: bool, as_json: bool) -> None:
    """Stop the server

    Its data stays, and `notewell server up` starts it again at the same address.

    \b
    Example:
        notewell server down
    """
    server = _server(data)
    stopped = server.down()
    deleted = delete and server.exists
    if deleted:
        server.drop()
    if as_json:
        print_json({"stopped": stopped, "deleted": deleted})
    else:
        say(("stopped" if stopped else "not running") + ("; deleted" if deleted else ""))


@command.command("status")
@_data_option
@json_option
def status(data: Path | None, as_json: bool) -> None:
    """Show whether the server runs, and where

    \b
    Example:
        notewell server status
    """
    found = _server(data).status()
    if as_json:
        print_json(asdict(found))
    else:
        _print(found)


def _print(status: ServerStatus) -> None:
    if not status.url:
        echo(f"server    {NONE_YET}")
        return
    echo(f"server    {f'running, process {status.pid}' if status.running else 'not running; start it with `up`'}")
    echo(f"version   PostgreSQL {status.version}")
    echo(f"data      {shown_path(status.folder)} ({status.data_bytes / 1e6:,.1f} MB)")
    echo(f'setting   store.url = "{status.url}"')

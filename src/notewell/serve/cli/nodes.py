"""`notewell server nodes`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from notewell.serve.cli.database import connected, database_option
from notewell.serve.cli.options import json_option, print_json
from notewell.serve.say import counted, echo, say

if TYPE_CHECKING:
    from notewell.store.postgres.nodes import Node, Nodes


@contextmanager
def _nodes(database: str) -> Iterator[Nodes]:
    with connected(database) as connections:
        from notewell.store.postgres.nodes import Nodes  # noqa: PLC0415

        yield Nodes(connections)


@click.group("nodes", invoke_without_command=True)
@database_option
@json_option
@click.pass_context
def command(context: click.Context, database: str, as_json: bool) -> None:
    """Spread a database over several servers

    Without a command, list them. Each node is a PostgreSQL server with an empty database. New vaults are spread over
    all nodes; run `notewell index --full` to spread an older one.

    \b
    Example:
        notewell server nodes
        notewell server nodes add postgresql://notewell@db2.example.org/notes
    """
    if context.invoked_subcommand is None:
        with _nodes(database) as nodes:
            _print(nodes.listed(), as_json)


@command.command("add")
@click.argument("url", metavar="URL")
@database_option
def add(url: str, database: str) -> None:
    """Add an empty database as a node, and move parts there

    URL is the address at which the database's server reaches it. Your password, from ~/.pgpass or PGPASSWORD, is stored
    in the database, where only its owner can read it. Searches continue meanwhile; indexing waits.

    \b
    Example:
        notewell server nodes add postgresql://notewell@db2.example.org/notes
    """
    with _nodes(database) as nodes:
        say(f"{nodes.add(url, say)} added. To spread a vault that was there before, run `notewell index --full`")


@command.command("remove")
@click.argument("name", metavar="NODE")
@click.option("--lost", is_flag=True, help="Do not ask NODE: it is gone for good, with its part of each vault")
@database_option
def remove(name: str, lost: bool, database: str) -> None:
    """Move all parts of NODE to the others, and remove it

    After `--lost`, rebuild each spread vault with `notewell index --full`.

    \b
    Example:
        notewell server nodes remove node1
    """
    with _nodes(database) as nodes:
        nodes.remove(name, say, lost=lost)
        say(f"{name} removed" + (". Run `notewell index --full` for each vault" if lost else ""))


@command.command("balance")
@database_option
def balance(database: str) -> None:
    """Move parts until all nodes have the same number

    Also finishes an interrupted `add`.

    \b
    Example:
        notewell server nodes balance
    """
    with _nodes(database) as nodes:
        nodes.balance(say)
        say("balanced")


def _print(nodes: list[Node], as_json: bool) -> None:
    if as_json:
        print_json({"nodes": [asdict(node) for node in nodes]})
        return
    for node in nodes:
        state = counted(node.chunks, "chunk") if node.running else "cannot be reached"
        echo(f"{node.name:<8}  {counted(node.parts, 'part'):<8}  {state:<18}  {node.address}".rstrip())

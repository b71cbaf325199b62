"""The option that names a database for commands about a server, and its connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from notewell.errors import StoreError
from notewell.serve.own_server import OwnServer, server_folder
from notewell.store.postgres.address import wrong_url

if TYPE_CHECKING:
    from notewell.store.postgres.connection import Connections

Command = TypeVar("Command", bound=Callable[..., Any])


def database_option(command: Command) -> Command:
    """Let a command name a database."""
    return click.option(
        "--database", metavar="URL", default="", help="The database. Default: that of your own server (`server up`)"
    )(command)


@contextmanager
def connected(database: str) -> Iterator[Connections]:
    """Connect to a database; its driver is loaded only here."""
    try:
        from notewell.store.postgres.connection import Connections  # noqa: PLC0415
    except ImportError as error:
        hint = "Run `pip install 'notewell[postgres]'`"
        raise StoreError("A database needs psycopg, which is not installed", hint) from error
    if wrong := wrong_url(database, "--database"):
        raise StoreError(*wrong)
    own = OwnServer(server_folder())
    if not database and not own.exists:
        raise StoreError("There is no server of your own", "Name a database with --database, or run `server up`")
    with closing(Connections(database or own.url())) as connections:
        yield connections

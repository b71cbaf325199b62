"""The PostgreSQL server of this process of tests: started by the first test that needs it, gone at the end."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from tests.postgres import own_server

if TYPE_CHECKING:
    from notewell.serve.own_server import OwnServer
    from notewell.store.postgres.connection import Connections


@cache
def shared_server() -> OwnServer:
    """Return a server that all tests of this process share; each has a vault of its own there."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(own_server())


@cache
def connections() -> Connections:
    from notewell.store.postgres.connection import Connections  # noqa: PLC0415

    return Connections(shared_server().url())

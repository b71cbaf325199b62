"""The server on stdin and stdout, for as long as whoever started it is there."""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from threading import Thread

import anyio
from mcp.server.stdio import stdio_server

from notewell.serve.kept import KeptVault
from notewell.serve.mcp.server import make_server
from notewell.serve.say import say
from notewell.serve.upkeep import Upkeep

# How often it looks whether its parent is still there, and how long it may take to end by itself then, in seconds.
LOOK = 0.2
GRACE = 0.25
# How long it waits for a run of indexing to keep what it has done, in seconds.
RUN_GRACE = 0.5


def serve_stdio(vault: KeptVault, parent: int) -> None:
    """Answer on stdout what comes on stdin, until that ends or the `parent` is gone; never returns."""
    # The library's warnings would go to stderr with what a client sent.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False
    upkeep = Upkeep(vault)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: _leave(upkeep, 128 + number))
    Thread(target=_watch_parent, args=(upkeep, os.dup(0), parent), name="parent", daemon=True).start()
    try:
        anyio.run(_serve, upkeep)
    except BaseException as error:
        # Whoever reads is gone, in most cases: there is nobody to tell.
        say(f"notewell mcp: ended by {type(error).__name__}")
        _leave(upkeep, 1)
    _leave(upkeep, 0)


async def _serve(upkeep: Upkeep) -> None:
    server = make_server(upkeep)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def _leave(upkeep: Upkeep, code: int) -> None:
    """End now: a call that still works in a thread, or an answer nobody takes, would hold the process for long."""
    upkeep.close(RUN_GRACE)
    os._exit(code)


def _watch_parent(upkeep: Upkeep, wire: int, parent: int) -> None:
    """End the process when its stdin is closed, or whoever started it is gone: another may hold the pipe open."""
    while os.getppid() == parent and not _is_closed(wire):
        time.sleep(LOOK)
    # Reading finds a closed stdin, too, and ends it well, unless an answer is stuck that nobody takes.
    time.sleep(GRACE)
    _leave(upkeep, 0)


def _is_closed(wire: int) -> bool:
    """Tell whether the other end of a pipe is closed; where the system cannot say, reading finds it out."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(wire, getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))

"""The MCP server on stdin and stdout, for as long as its parent process lives."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import AsyncIterable, Awaitable, Callable
from threading import Thread

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from notewell.serve.mcp.server import make_server
from notewell.serve.say import say
from notewell.vault import Vault

# How often it checks for its parent, and how long it may take to end by itself after that, in seconds.
LOOK = 0.2
GRACE = 0.25
# How long it may take to answer what was asked before stdin was closed, in seconds.
LONGEST = 30.0
# How long it waits for an indexing run to save its work, in seconds.
RUN_GRACE = 0.5
UNREADABLE = "The request is not valid JSON. A lone surrogate such as \\ud800 is not a character"

Message = SessionMessage | Exception


def serve_stdio(vault: Vault, parent: int) -> None:
    """Answer requests on stdin until it is closed or the `parent` is gone; never returns."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: _leave(vault, 128 + number))
    Thread(target=_watch_parent, args=(vault, os.dup(0), os.dup(1), parent), name="parent", daemon=True).start()
    try:
        anyio.run(_serve, vault)
    except BaseException as error:
        # In most cases the client is gone, and nobody reads this.
        say(f"notewell mcp: ended by {type(error).__name__}")
        _leave(vault, 1)
    _leave(vault, 0)


async def _serve(vault: Vault) -> None:
    server = make_server(vault)
    give, readable = anyio.create_memory_object_stream[Message]()
    async with stdio_server() as (requests, answers), anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_on, requests, give, answers.send)
        await server.run(readable, answers, server.create_initialization_options())


async def _pass_on(
    requests: AsyncIterable[Message],
    give: MemoryObjectSendStream[Message],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Pass requests on; an unreadable one is answered, since the server would leave the client waiting."""
    async with give:
        async for message in requests:
            number = _number_of(message) if isinstance(message, ValidationError) else None
            if number is None:
                await give.send(message)
            else:
                wrong = types.ErrorData(code=types.PARSE_ERROR, message=UNREADABLE)
                await answer(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=number, error=wrong)))


def _number_of(error: ValidationError) -> int | str | None:
    """Return the id of an unreadable request, or None if it has none."""
    try:
        asked = json.loads(error.errors(include_url=False)[0]["input"])
        number = asked["id"] if "method" in asked else None
        # A lone surrogate could not be sent back.
        return number.encode("utf-8").decode("utf-8") if isinstance(number, str) else _whole(number)
    except (LookupError, RecursionError, TypeError, ValueError):
        return None


def _whole(number: object) -> int | None:
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _leave(vault: Vault, code: int) -> None:
    """Exit now: a call in a thread, or an answer that nobody reads, could keep the process alive."""
    vault.freshness.close(RUN_GRACE)
    os._exit(code)


def _watch_parent(vault: Vault, requests: int, answers: int, parent: int) -> None:
    """Exit when stdin is closed or the parent is gone; another process may hold the pipe open."""
    while os.getppid() == parent and not _is_closed(requests):
        time.sleep(LOOK)
    # A closed stdin ends the server cleanly, unless it is stuck with an answer that nobody reads.
    ends = time.monotonic() + LONGEST
    time.sleep(GRACE)
    while os.getppid() == parent and _has_room(answers) and time.monotonic() < ends:
        time.sleep(LOOK)
    _leave(vault, 0)


def _has_room(wire: int) -> bool:
    """Tell whether the other end of a pipe is open and reads; False where the system cannot say."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(wire, select.POLLOUT)
    return [event for _, event in poll.poll(0)] == [select.POLLOUT]


def _is_closed(wire: int) -> bool:
    """Tell whether the other end of a pipe is closed; False where the system cannot say, and only reading shows it."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(wire, getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))

"""The MCP server on stdin and stdout, for as long as its parent process lives."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import AsyncIterable, Awaitable, Callable
from threading import Thread

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from notewell.serve.mcp.malformed import refusal
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
CANCELLED = "notifications/cancelled"
# How long calls in progress may take once stdin is closed and its other end still reads, in seconds: clients kill a
# server that does not end soon.
FINISH = 5.0

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
    # The ids of requests without an answer yet.
    asked = set[int | str]()
    server = make_server(vault)
    give, readable = anyio.create_memory_object_stream[Message]()
    answer, answers = anyio.create_memory_object_stream[SessionMessage]()
    async with stdio_server() as (requests, wire), wire, anyio.create_task_group() as tasks:
        tasks.start_soon(_pass_on, requests, give, answer.clone(), asked)
        tasks.start_soon(_send, answers, wire.send, asked)
        async with answer:
            await server.run(readable, answer, server.create_initialization_options())


async def _pass_on(
    requests: AsyncIterable[Message],
    give: MemoryObjectSendStream[Message],
    answer: MemoryObjectSendStream[SessionMessage],
    asked: set[int | str],
) -> None:
    """Pass requests on and answer malformed ones; after the last, wait up to `FINISH` seconds for answers."""
    async with give, answer:
        async for message in requests:
            content = message.message if isinstance(message, SessionMessage) else message
            if wrong := refusal(content):
                await answer.send(SessionMessage(wrong))
                continue
            if isinstance(content, types.JSONRPCRequest):
                asked.add(content.id)
            elif isinstance(content, types.JSONRPCNotification) and content.method == CANCELLED:
                number = (content.params or {}).get("requestId")
                # A client may send anything, which a set need not be able to look up.
                asked.discard(number if isinstance(number, int | str) else "")
            await give.send(message)
        with anyio.move_on_after(FINISH):
            while asked:
                await anyio.sleep(LOOK)


async def _send(
    answers: MemoryObjectReceiveStream[SessionMessage],
    write: Callable[[SessionMessage], Awaitable[None]],
    asked: set[int | str],
) -> None:
    """Write answers, and remove their requests from `asked`."""
    async with answers:
        async for answer in answers:
            await write(answer)
            if isinstance(answer.message, types.JSONRPCResponse | types.JSONRPCError):
                asked.discard(answer.message.id)


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

"""How long an agent waits over MCP, measured with the library's own client, and how long its pages are."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from bench.child import BenchError, Measured, clean_environment, in_child, notewell_command, percentiles, say
from bench.processes import memory_of, serve_command, serving
from bench.queries import load_queries
from bench.tokens import token_starts
from bench.vaults import BenchVault
from notewell.search.budget import count_tokens

CALLS = 50
GUARD = 60.0
# How many notes are read and walked from: evenly spaced by length, including the longest.
NOTES = 50
PATH = "/mcp"


def measure_mcp(vault: BenchVault) -> Measured:
    """Measure both transports, and once all queries for the size of their pages."""
    say(f"{vault.name}: MCP over stdio")
    given = {"root": str(vault.root), "queries": str(vault.queries)}
    measured = {"stdio": in_child("mcp:time_calls", **given)}
    say(f"{vault.name}: MCP over HTTP")
    with serving(serve_command(vault.root)) as (_, address):
        measured["http"] = in_child("mcp:time_calls", address=f"{address}{PATH}", **given)
        say(f"{vault.name}: pages over MCP")
        pages = in_child("mcp:measure_pages", address=f"{address}{PATH}", **given)
    return {**measured, "pages": pages, "largest": max(pages.values(), key=lambda one: one["chars"])}


def time_calls(root: str, queries: str, address: str = "", environment: str = "") -> Measured:
    """Start a session and search with different queries; over stdio, this starts the process."""
    given = json.loads(environment) if environment else clean_environment()
    command = StdioServerParameters(command=notewell_command(), args=["mcp", "--vault", root], env=given)
    texts = [text for _, text in load_queries(Path(queries))]
    return anyio.run(_time_calls, address or command, texts)


async def _time_calls(server: StdioServerParameters | str, texts: list[str]) -> Measured:
    measured: Measured = {}
    clock = _Clock()
    async with Client(server, read_timeout_seconds=GUARD) as client:
        measured["initialize_ms"] = clock.lap()
        measured["tools"] = len((await client.list_tools()).tools)
        measured["tools_list_ms"] = clock.lap()
        await _called(client, "search", text=texts[0])
        measured["first_call_ms"] = clock.lap()
        children = _children()
        if children:
            measured["memory_mb"] = {"idle": memory_of(children[0])}
        clock.lap()
        took = []
        for text in texts[1 : CALLS + 1]:
            await _called(client, "search", text=text)
            took.append(clock.lap())
        if children:
            measured["memory_mb"]["busy"] = memory_of(children[0])
    return {**measured, **percentiles(took), "calls": len(took)}


def measure_pages(root: str, queries: str, address: str) -> Measured:
    """Return the longest page of each tool with its defaults."""
    texts = [text for _, text in load_queries(Path(queries))]
    files = sorted(Path(root).rglob("*.md"), key=lambda file: (-file.stat().st_size, file))
    shown = [file.relative_to(root).as_posix() for file in files if ".notewell" not in file.parts]
    return anyio.run(_measure_pages, address, texts, shown[:: max(1, len(shown) // NOTES)])


async def _measure_pages(address: str, texts: list[str], notes: list[str]) -> Measured:
    asked: dict[str, list[dict[str, Any]]] = {
        "search": [{"text": text} for text in texts],
        "related": [{"notes": [note]} for note in notes],
        **{name: [{"note": note} for note in notes] for name in ("traverse", "links")},
        "read": [{"place": note} for note in notes],
        "status": [{}],
    }
    pages: Measured = {}
    async with Client(address, read_timeout_seconds=GUARD) as client:
        for tool, calls in asked.items():
            longest = max([await _called(client, tool, **given) for given in calls], key=count_tokens)
            pages[tool] = {
                "pages": len(calls),
                "chars": len(longest),
                "tokens": count_tokens(longest),
                "tokens_counted": len(token_starts(longest)),
            }
    return pages


async def _called(client: Client, name: str, **given: Any) -> str:
    """Return the longer of an answer's text and its data as JSON, since a client shows one of them."""
    result: Any = await client.call_tool(name, given)
    text = "".join(part.text for part in result.content if part.type == "text")
    if result.is_error:
        raise BenchError(f"{name} {given}: {text}", "Ask it by hand to see why")
    data = result.structured_content
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")) if data else ""
    return max(text, packed, key=count_tokens)


def _children() -> list[int]:
    """Return the child processes of this one."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


class _Clock:
    """A stopwatch: milliseconds since the last call."""

    def __init__(self) -> None:
        self.began = time.perf_counter()

    def lap(self) -> float:
        began, self.began = self.began, time.perf_counter()
        return round((self.began - began) * 1000, 2)

"""The library's own client of MCP, in a thread of its own, so that tests can ask one thing after the other."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from jsonschema import validate
from mcp import Client, StdioServerParameters
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult
from tokenizers import Tokenizer

from notewell.embed import DEFAULT_MODEL

COMMAND = [sys.executable, "-P", "-m", "notewell", "mcp"]
# Longer than anything should take on a busy machine.
GUARD = 300.0
# Two thousand tokens, as the model in the package counts them.
PAGE = 2_000
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def environment() -> dict[str, str]:
    return {**os.environ, "NOTEWELL_DAEMON": "no", "NOTEWELL_EMBED_ENCODER": "off"}


def stdio(root: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--vault", str(root)], env=environment(), cwd=str(root)
    )


class Asking:
    """A client in a session."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client
        self.schemas = {tool.name: tool.output_schema for tool in self.do("list_tools").tools}
        self.progress: list[tuple[float, float | None]] = []
        self.on_progress: Callable[[float], None] = lambda progress: None

    def do(self, method: str, *given: Any) -> Any:
        """Call a method of the client."""
        return self.portal.call(getattr(self.client, method), *given)

    def call(self, name: str, **given: Any) -> CallToolResult:
        """Call a tool; its data is as its schema says."""
        result: CallToolResult = self.portal.call(self._call, name, given)
        if not result.is_error and self.schemas[name]:
            validate(result.structured_content, self.schemas[name])
        return result

    async def _call(self, name: str, given: dict[str, Any]) -> CallToolResult:
        return await self.client.call_tool(name, given, progress_callback=self._tell)

    async def _tell(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total))
        self.on_progress(progress)

    def text(self, name: str, **given: Any) -> str:
        """Return the text of an answer that is not an error."""
        result = self.call(name, **given)
        assert not result.is_error, said(result)
        return said(result)

    def error(self, name: str, **given: Any) -> str:
        """Return the text of an answer that is one."""
        result = self.call(name, **given)
        assert result.is_error, said(result)
        return said(result)


def said(result: CallToolResult) -> str:
    return "".join(part.text for part in result.content if part.type == "text")


def data_of(result: CallToolResult) -> str:
    """Return the data of an answer as a client shows it to a model."""
    data = result.structured_content
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) if data else ""


def size(result: CallToolResult) -> int:
    """Return how many tokens a model gets: clients show it the text or the data."""
    return max(tokens(said(result)), tokens(data_of(result)))


def tokens(text: str) -> int:
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


def outside_of_fences(text: str) -> str:
    """Return what a reader of Markdown takes for the server's own words."""
    kept, fence = [], ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line and not line.strip("~"):
            fence = line
        else:
            kept.append(line)
    assert not fence, "a fence was left open"
    return "\n".join(kept)


@cache
def _tokenizer() -> Tokenizer:
    made: Tokenizer = Tokenizer.from_file(str(DEFAULT_MODEL / "tokenizer.json"))
    made.no_truncation()
    return made


@contextmanager
def asking(server: StdioServerParameters | Server[Any] | str) -> Iterator[Asking]:
    """Begin a session with a command, a server in this process, or an address."""
    with start_blocking_portal() as portal:
        client = Client(server, read_timeout_seconds=GUARD)
        with portal.wrap_async_context_manager(client):
            yield Asking(portal, client)

"""A model on loopback that makes an agent search the notes once, in the interfaces of Anthropic, OpenAI and Google."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, Self

SEARCH = "call_search"
# Tools of agents that do not wait for a server: Claude Code's wait and load, and Codex's shell.
WAITING: Mapping[str, Mapping[str, Any]] = {
    "WaitForMcpServers": {},
    "ToolSearch": {"query": "select:mcp__notewell__search", "max_results": 1},
    "exec_command": {"cmd": "sleep 5"},
}
# So often, at most; then the agent has not connected.
MOST_WAITS = 12
TEXT = "The notes answer this."
Event = dict[str, Any]


class Call(NamedTuple):
    """A call of a tool; `namespace` is what Codex puts in front of the name."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    namespace: str = ""

    @property
    def written(self) -> str:
        """Return the arguments as JSON."""
        return json.dumps(self.arguments)


class ScriptedModel:
    """Calls Notewell's search as soon as it is offered, and then says a sentence; `asked` has every request."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_call(self, body: Event) -> Call | None:
        """Return the call that answers a request, or None for a sentence."""
        said = json.dumps([body.get(name) for name in ("messages", "input", "contents")])
        tools = list(_tools(body))
        ours = next((one for one in tools if "notewell" in "".join(one) and one[1].endswith("search")), None)
        if ours:
            asked = SEARCH in said or "functionResponse" in said
            return None if asked else Call(SEARCH, ours[1], {"text": self.query}, ours[0])
        # Each tool at its turn: the one that waits comes before the one that loads.
        waiting = [name for name in WAITING if ("", name) in tools]
        if not waiting or len(self.asked) > MOST_WAITS:
            return None
        name = waiting[len(self.asked) % len(waiting)]
        return Call(f"call_{len(self.asked)}", name, WAITING[name])


def _tools(body: Event) -> Iterator[tuple[str, str]]:
    """Yield the namespace, which may be empty, and the name of each tool that a request offers."""
    for tool in body.get("tools") or []:
        for one in tool.get("functionDeclarations") or tool.get("tools") or [tool.get("function") or tool]:
            yield tool.get("name", "") if "tools" in tool else "", one.get("name", "")


def _messages(call: Call | None) -> Iterator[Event]:
    """Yield a message of Anthropic's interface."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": [], "usage": usage}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}
    block: Event = {"type": "text", "text": ""}
    delta: Event = {"type": "text_delta", "text": TEXT}
    if call:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.written}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}


def _responses(call: Call | None) -> Iterator[Event]:
    """Yield a response of OpenAI's newer interface."""
    yield {"type": "response.created", "response": {"id": "r"}}
    item: Event = {
        "type": "message",
        "role": "assistant",
        "id": "i",
        "content": [{"type": "output_text", "text": TEXT}],
    }
    if call:
        item = {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.written}
        item |= {"namespace": call.namespace} if call.namespace else {}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield {"type": "response.completed", "response": {"id": "r", "usage": usage}}


def _completions(call: Call | None) -> Iterator[Event]:
    """Yield a completion of OpenAI's older interface."""
    delta: Event = {"role": "assistant", "content": TEXT}
    if call:
        function = {"name": call.name, "arguments": call.written}
        delta = {
            "role": "assistant",
            "tool_calls": [{"index": 0, "id": call.id, "type": "function", "function": function}],
        }
    for choice in (
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"},
    ):
        yield {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}


def _candidates(call: Call | None) -> Iterator[Event]:
    """Yield the one piece of an answer of Google's interface."""
    part: Event = {"functionCall": {"name": call.name, "args": call.arguments}} if call else {"text": TEXT}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    yield {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}


# By what the path of a request ends in; anything else is answered with an empty object.
SPOKEN: Mapping[str, Callable[[Call | None], Iterator[Event]]] = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _completions,
    ":streamGenerateContent": _candidates,
}


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            model.asked.append(text)
            path = self.path.partition("?")[0]
            speak = next((one for end, one in SPOKEN.items() if path.endswith(end)), None)
            if speak is None:
                self._send("application/json", b"{}")
                return
            events = [self._line(one) for one in speak(model.next_call(json.loads(text)))]
            self._send("text/event-stream", "".join(events).encode())

        def do_GET(self) -> None:
            self._send("application/json", b'{"data": [], "models": []}')

        def _line(self, event: Event) -> str:
            name = f"event: {event['type']}\n" if "type" in event else ""
            return f"{name}data: {json.dumps(event)}\n\n"

        def _send(self, kind: str, data: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler

"""Servers with OpenAI's chat endpoint: server-sent events, or one JSON object from those that do not stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from notewell.llm.dialect import (
    NO_ANSWER,
    NOT_JSON,
    End,
    Fault,
    Question,
    Said,
    arguments_of,
    object_of,
    objects_of,
    parse_line,
    text_of,
    tool_body,
)
from notewell.llm.messages import Call, Message, Text, Thinking

# Fields of server-sent events that say nothing of the answer; a comment has no name.
SILENT = (b"event", b"id", b"retry", b"")


class OpenAI:
    """How a server with OpenAI's interface is asked."""

    title = "The server"
    url = ""
    path = "/v1/chat/completions"
    when_down = "Start it, or check llm.url"
    when_missing = "Check llm.url, and that the server has a model '{name}'"
    when_wrong = "Check llm.url, and that '{name}' is a model for chats"

    def body(self, question: Question) -> dict[str, Any]:
        """Return the message that is posted."""
        body = {
            "model": question.model,
            "messages": [_message(message) for message in question.messages],
            "stream": True,
            "temperature": 0,
            "max_tokens": question.max_tokens,
        }
        return {**body, "tools": list(map(tool_body, question.tools))} if question.tools else body

    def repair(self, body: dict[str, Any], refusal: str) -> dict[str, Any] | None:
        """Return the message without what the server refused: each part can be refused once."""
        for part, word in (("max_tokens", "max_tokens"), ("temperature", "temperature"), ("tools", "tool")):
            if part in body and word in refusal:
                rest = {name: value for name, value in body.items() if name != part}
                # OpenAI's newer models know the limit by another name.
                return {**rest, "max_completion_tokens": body[part]} if part == "max_tokens" else rest
        return None

    def reader(self, first: int) -> OpenAIReader:
        """Return a reader that numbers calls without an id from `first` on."""
        return OpenAIReader(first)


@dataclass(slots=True)
class _OpenCall:
    """A call whose arguments are still coming."""

    index: Any
    id: str
    name: str
    arguments: str


class OpenAIReader:
    """Understands server-sent events, and an answer in one piece."""

    def __init__(self, first: int) -> None:
        self._number = first
        self._calls: list[_OpenCall] = []
        self._began = False
        self._whole: list[bytes] = []

    def read(self, line: bytes) -> Iterator[Said]:
        """Yield what a line says."""
        field, _, data = line.partition(b":")
        if not line:
            return
        if self._whole:
            self._whole.append(line)
        elif field in (b"data", b"error"):
            self._began = True
            yield from self._event(data.strip())
        elif field in SILENT:
            self._began = True
        elif self._began:
            yield Fault(NOT_JSON)
        else:
            self._whole.append(line)

    def finish(self) -> Iterator[Said]:
        """Yield an answer that came in one piece."""
        if not self._whole:
            return
        found = parse_line(b"\n".join(self._whole))
        if isinstance(found, Fault):
            yield found
        elif not objects_of(found.get("choices")):
            yield Fault(NO_ANSWER)
        else:
            yield from self._choice(objects_of(found["choices"])[0])
            yield from self._end("stop")

    def _event(self, data: bytes) -> Iterator[Said]:
        if data == b"[DONE]":
            yield from self._end("stop")
            return
        found = parse_line(data)
        if isinstance(found, Fault):
            yield found
            return
        # An event without a choice counts tokens, or is some server's own.
        for choice in objects_of(found.get("choices"))[:1]:
            yield from self._choice(choice)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Said]:
        said = object_of(choice.get("delta") or choice.get("message"))
        if thinking := text_of(said.get("reasoning_content") or said.get("reasoning")):
            yield Thinking(thinking)
        if text := text_of(said.get("content")):
            yield Text(text)
        for call in objects_of(said.get("tool_calls")):
            self._collect(call)
        if finish := choice.get("finish_reason"):
            yield from self._end("length" if finish == "length" else "stop")

    def _collect(self, call: Mapping[str, Any]) -> None:
        """Add a piece of a call to the one that it continues."""
        function = object_of(call.get("function"))
        index, name, called = call.get("index"), text_of(call.get("id")), text_of(function.get("name"))
        given = function.get("arguments")
        arguments = "" if given is None else arguments_of(given)
        last = next((one for one in reversed(self._calls) if one.index == index), None)
        # Some servers number all calls 0, or none.
        is_other = last and ((name and name != last.id) or (index is None and called))
        if last is None or is_other:
            self._calls.append(_OpenCall(index, name, called, arguments))
        else:
            last.name = last.name or called
            last.arguments += arguments

    def _end(self, how: Any) -> Iterator[Said]:
        for call in self._calls:
            self._number += 1
            yield Call(call.id or f"call-{self._number}", call.name, call.arguments or "{}")
        self._calls = []
        yield End(how)


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        body["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    return {**body, "tool_call_id": message.call_id} if message.role == "tool" else body

"""Ollama's own chat endpoint, a line of JSON for each piece; unlike its OpenAI endpoint, it takes a context size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from notewell.llm.dialect import (
    NO_ANSWER,
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
from notewell.remote.endpoint import parse_json


class Ollama:
    """How Ollama is asked."""

    title = "Ollama"
    url = "http://127.0.0.1:11434"
    path = "/api/chat"
    when_down = "Start `ollama serve`, or set llm.url"
    when_missing = "Run `ollama pull {name}`, or check llm.url"
    when_wrong = "Check that Ollama runs at llm.url; for another server, set llm.model to openai:NAME"

    def body(self, question: Question) -> dict[str, Any]:
        """Return the message that is posted."""
        body = {
            "model": question.model,
            "messages": [_message(message) for message in question.messages],
            "stream": True,
            # Without a size Ollama cuts a long prompt down to a few thousand tokens, and says nothing.
            "options": {"num_ctx": question.context, "num_predict": question.max_tokens, "temperature": 0},
        }
        return {**body, "tools": list(map(tool_body, question.tools))} if question.tools else body

    def repair(self, body: dict[str, Any], refusal: str) -> dict[str, Any] | None:
        """Return the message without tools, if the model knows none."""
        if "tools" in body and "does not support tools" in refusal:
            return {name: value for name, value in body.items() if name != "tools"}
        return None

    def reader(self, first: int) -> OllamaReader:
        """Return a reader that numbers calls without an id from `first` on."""
        return OllamaReader(first)


class OllamaReader:
    """Understands one JSON object to a line."""

    def __init__(self, first: int) -> None:
        self._number = first

    def read(self, line: bytes) -> Iterator[Said]:
        """Yield what a line says."""
        found = parse_line(line) if line else {"message": None}
        if isinstance(found, Fault):
            yield found
            return
        if "message" not in found and "done" not in found:
            yield Fault(NO_ANSWER)
            return
        message = object_of(found.get("message"))
        if thinking := text_of(message.get("thinking")):
            yield Thinking(thinking)
        if text := text_of(message.get("content")):
            yield Text(text)
        for call in objects_of(message.get("tool_calls")):
            self._number += 1
            function = object_of(call.get("function"))
            name, given = text_of(call.get("id")), arguments_of(function.get("arguments"))
            yield Call(name or f"call-{self._number}", text_of(function.get("name")), given)
        if found.get("done") is True:
            yield End("length" if found.get("done_reason") == "length" else "stop")

    def finish(self) -> tuple[Said, ...]:
        """Return nothing: every line was complete."""
        return ()


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        body["tool_calls"] = [
            {"function": {"name": call.name, "arguments": _arguments(call.arguments)}} for call in message.calls
        ]
    return {**body, "tool_name": message.name} if message.role == "tool" else body


def _arguments(text: str) -> dict[str, Any]:
    """Return arguments as the object that Ollama wants; those that are none are left out."""
    try:
        found = parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

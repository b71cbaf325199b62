"""What servers with OpenAI's interface do that no specification says."""

from __future__ import annotations

import json
from typing import Any

from tests.cases import cases
from tests.llm.asking import said
from tests.llm.scripted_server import Raw, ScriptedServer

from notewell.llm import Call, Piece, Text, Thinking


def events(*deltas: dict[str, Any], finish: str | None = "stop") -> Raw:
    """Return events as a server would send them, and nothing behind the last one."""
    choices: list[dict[str, Any]] = [{"delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"delta": {}, "finish_reason": finish})
    return Raw(b"".join(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\r\n\r\n" for choice in choices))


def call(**more: Any) -> dict[str, Any]:
    return {"tool_calls": [more]}


ODD: dict[str, tuple[Raw, list[Piece]]] = {
    "no end mark": (events({"content": "Yes."}), [Text("Yes.")]),
    "comments and counts": (
        Raw(b': wait\n\nid: 1\ndata: {"choices": []}\n\n' + events({"content": "Yes."}).data),
        [Text("Yes.")],
    ),
    "no space": (Raw(b'data:{"choices":[{"delta":{"content":"Yes."}}]}\n\ndata:[DONE]\n\n'), [Text("Yes.")]),
    "another name for thinking": (events({"reasoning": "Hm."}), [Thinking("Hm.")]),
    "content in parts": (events({"content": [{"type": "text", "text": "Yes."}]}), [Text("Yes.")]),
    "nulls": (events({"content": None, "tool_calls": None, "reasoning_content": None}), []),
    "arguments as an object": (
        events(call(index=0, id="1", function={"name": "search", "arguments": {"text": "bees"}})),
        [Call("1", "search", '{"text": "bees"}')],
    ),
    "calls that are all number 0": (
        events(
            call(index=0, id="1", function={"name": "a", "arguments": "{}"}),
            call(index=0, id="2", function={"name": "b", "arguments": "{}"}),
        ),
        [Call("1", "a"), Call("2", "b")],
    ),
    "calls without a number": (
        events(
            call(id="1", function={"name": "a", "arguments": ""}),
            call(function={"arguments": '{"x": 1}'}),
            call(id="2", function={"name": "b"}),
        ),
        [Call("1", "a", '{"x": 1}'), Call("2", "b")],
    ),
    "calls in turns": (
        events(
            call(index=0, id="1", function={"name": "a", "arguments": ""}),
            call(index=1, id="2", function={"name": "b", "arguments": ""}),
            call(index=0, function={"arguments": '{"x": 1}'}),
            call(index=1, function={"arguments": '{"y": 2}'}),
        ),
        [Call("1", "a", '{"x": 1}'), Call("2", "b", '{"y": 2}')],
    ),
    "malformed arguments": (
        events(call(index=0, id="1", function={"name": "a", "arguments": '{"x": '})),
        [Call("1", "a", '{"x": ')],
    ),
    "half a character": (events({"content": "bee \ud83d"}), [Text("bee \ufffd")]),
    "nonsense in place of objects": (
        events({"content": 3, "tool_calls": [1, {"function": "x"}]}),
        [Call("call-1", "")],
    ),
}


@cases("habit", ODD)
def test_the_habits_of_servers_are_understood(server: ScriptedServer, habit: str) -> None:
    raw, pieces = ODD[habit]
    assert said(server, "openai", raw) == pieces

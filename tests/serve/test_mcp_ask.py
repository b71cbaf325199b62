from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.llm.scripted_server import ScriptedServer, Stall, Turn

from notewell import Vault
from notewell.llm import Call, Text
from notewell.serve import answering
from notewell.serve.mcp import schemas
from notewell.serve.mcp.arguments import arguments_of, read_arguments
from notewell.serve.mcp.fence import ToolAnswer
from notewell.serve.mcp.tools import ask

HUMS = "why does the hive hum in the warm evening?"
QUOTE = "The hive hums in the warm evening."


@contextmanager
def asked(folder: Path, *script: Turn, model: str = "ollama:any") -> Iterator[tuple[ToolAnswer, ScriptedServer]]:
    with ScriptedServer(*script) as server:
        server.models = [{"name": "any"}]
        given: dict[str, Any] = {"llm.model": model, "llm.url": server.url, "embed.encoder": "off"}
        with Vault.open(folder, given) as vault:
            vault.index()
            answer = ask(vault, read_arguments(arguments_of("ask"), {"query": HUMS}))
            TypeAdapter(schemas.ANSWER).validate_python(answer.data)
            yield answer, server


def test_a_model_that_the_user_named_writes_the_answer(folder: Path) -> None:
    script = (
        [Call("1", "calculator", '{"expression": "6*7"}')],
        [Text(f'<system>It</system> hums 99 times: "{QUOTE}" [1].')],
    )
    with asked(folder, *script) as (answer, _):
        data = answer.data
        assert data and data["model"] == "any" and data["citations"][0]["citation_verified"]
        assert data["unsupported"] == ["99"] and "&lt;system>" in data["text"] and "<system>" not in answer.text
        assert QUOTE in answer.text


@pytest.mark.parametrize("model", ["auto", "off"])
def test_a_model_that_was_only_found_is_not_asked(folder: Path, model: str) -> None:
    with asked(folder, [Text("Yes.")], model=model) as (answer, server):
        assert answer.data and "model" not in answer.data and QUOTE in answer.text
        assert [one for one in server.requests if one.body] == []


def test_a_model_has_a_limited_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "MODEL_SECONDS", 0.5)
    with asked(folder, [Text("It "), Stall()]) as (answer, server):
        assert answer.data and "model" not in answer.data and QUOTE in answer.text
        assert "took too long" in answer.data["notices"][0] and server.dropped.wait(30)

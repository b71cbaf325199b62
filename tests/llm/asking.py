"""How the tests ask a scripted server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.llm.scripted_server import ScriptedServer, Step

from notewell.errors import LlmError
from notewell.llm import Call, LlmRules, Message, Piece, Tool
from notewell.llm.find import DIALECTS
from notewell.llm.talk import RemoteModel

KINDS = ("ollama", "openai")
ASKED = [Message("system", "Be short."), Message("user", "Do bees buzz?")]
SEARCH = Tool("search", "Find notes", {"type": "object", "properties": {"text": {"type": "string"}}})
BEES = Call("call-1", "search", '{"text": "bees"}')


def model(server: ScriptedServer, kind: str = "ollama", **more: Any) -> RemoteModel:
    return RemoteModel(LlmRules(url=server.url, **more), DIALECTS[kind], "some-model")


def said(server: ScriptedServer, kind: str = "ollama", *turn: Step, tools: Sequence[Tool] = ()) -> list[Piece]:
    if turn:
        server.script = [turn]
    return list(model(server, kind).reply(ASKED, tools))


def refused(server: ScriptedServer, kind: str, *turn: Step, **more: Any) -> LlmError:
    server.script = [turn]
    with pytest.raises(LlmError) as caught:
        list(model(server, kind, **more).reply(ASKED))
    assert caught.value.hint and caught.value.fact.isprintable()
    return caught.value

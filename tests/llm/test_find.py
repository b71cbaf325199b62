"""Which model is asked."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from tests.cases import cases
from tests.llm.asking import ASKED
from tests.llm.scripted_server import GUARD, Raw, ScriptedServer, Stall, Status

from notewell.errors import LlmError
from notewell.llm import LlmRules, Text, find_model
from notewell.llm.find import HERE
from notewell.remote.address import Key


def listed(name: str, day: int = 1, **more: Any) -> dict[str, Any]:
    return {"name": name, "modified_at": f"2026-11-{day:02d}T10:00:00.123456789+02:00", **more}


CHAT = listed("qwen3:4b", 3)
OTHERS = [
    listed("nomic-embed-text:latest", 9),
    listed("all-minilm:33m", 9),
    listed("granite:278m", 9, details={"family": "bert"}),
    listed("some-model", 9, capabilities=["embedding"]),
    listed("gpt-oss:120b-cloud", 9),
    listed("glm:cloud", 9),
    listed("mine", 9, remote_host="https://example.org", remote_model="gpt-oss"),
    {"name": "without-a-date"},
    {"name": "with-a-wrong-date", "modified_at": "yesterday"},
    {"name": 3},
    {},
]


def found(server: ScriptedServer, **more: Any) -> str | None:
    model = find_model(LlmRules(url=server.url, **more))
    return model.name if model else None


def test_auto_is_the_newest_model_that_chats_on_this_machine(server: ScriptedServer) -> None:
    server.models = [
        listed("llama3.2:1b", 2),
        *OTHERS,
        CHAT,
        listed("smollm2", 1, capabilities=["completion", "tools"]),
    ]
    model = find_model(LlmRules(url=server.url))
    assert model is not None
    assert (model.name, model.server, model.is_here) == ("qwen3:4b", server.url, True)
    assert [asked.path for asked in server.requests] == ["/api/tags"]
    assert list(model.reply(ASKED)) == [Text("Yes.")]
    assert server.requests[-1].path == "/api/chat"


def test_times_are_compared_across_zones(server: ScriptedServer) -> None:
    earlier, later = "2026-11-01T10:00:00+02:00", "2026-11-01T09:00:00Z"
    server.models = [{"name": "a", "modified_at": later}, {"name": "b", "modified_at": earlier}]
    assert found(server) == "a"


def test_auto_finds_nothing_where_no_model_chats(server: ScriptedServer) -> None:
    for models in ([], OTHERS[:7]):
        server.models = models
        assert found(server) is None


NO_LISTS: dict[str, Raw | Status] = {
    "html": Raw(b"<html>"),
    "no object": Raw(b"[1]"),
    "no list": Raw(b'{"models": 3}'),
    "missing": Status(404, "not found"),
    "refused": Status(401, ""),
    "redirect": Status(302, "", (("Location", "http://127.0.0.1:9"),)),
}


@cases("fault", NO_LISTS)
def test_auto_finds_nothing_at_a_server_that_lists_nothing(server: ScriptedServer, fault: str) -> None:
    server.lists = NO_LISTS[fault]
    assert found(server) is None


def test_auto_finds_nothing_where_no_server_is() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert find_model(LlmRules(url=f"http://127.0.0.1:{taken.getsockname()[1]}")) is None


def test_a_server_that_hangs_is_waited_for_once_and_not_for_long(server: ScriptedServer) -> None:
    server.lists = Stall()
    began = time.monotonic()
    assert found(server) is None
    assert HERE == 0.5 and time.monotonic() - began < GUARD
    assert [asked.path for asked in server.requests] == ["/api/tags"]


def test_llama_cpp_lists_like_ollama_and_is_asked_like_openai(server: ScriptedServer) -> None:
    server.lists = Raw(b'{"models": [{"name": "tiny"}], "data": [{"id": "e5-small"}, {"id": "tiny"}]}')
    model = find_model(LlmRules(url=server.url))
    assert model is not None and model.name == "tiny"
    assert list(model.reply(ASKED)) == [Text("Yes.")]
    assert server.requests[-1].path == "/v1/chat/completions"


def test_off_asks_nobody(server: ScriptedServer) -> None:
    assert found(server, model="off") is None
    assert server.requests == []


@cases(
    ("model", "base", "path"),
    [
        ("ollama:any", "", "/api/chat"),
        ("ollama:any", "/", "/api/chat"),
        ("ollama:any", "/api", "/api/chat"),
        ("ollama:any", "/api/chat", "/api/chat"),
        ("openai:any", "", "/v1/chat/completions"),
        ("openai:any", "/v1", "/v1/chat/completions"),
        ("openai:any", "/v1/chat/completions", "/v1/chat/completions"),
        ("openai:any", "/proxy/v1", "/proxy/v1/chat/completions"),
    ],
)
def test_the_address_may_be_given_with_or_without_the_servers_own_path(
    server: ScriptedServer, model: str, base: str, path: str
) -> None:
    server.requests.clear()
    named = find_model(LlmRules(model, server.url + base))
    assert named is not None and server.requests == []
    assert list(named.reply(ASKED)) == [Text("Yes.")]
    assert [(asked.path, asked.body["model"]) for asked in server.requests] == [(path, "any")]


def test_a_model_says_where_it_is() -> None:
    named = [
        find_model(LlmRules("ollama:qwen3:4b")),
        find_model(LlmRules("ollama:gpt-oss:120b-cloud")),
        find_model(LlmRules("openai:gpt", "https://api.example.org/v1")),
    ]
    assert [(model.name, model.server, model.is_here) for model in named if model] == [
        ("qwen3:4b", "http://127.0.0.1:11434", True),
        ("gpt-oss:120b-cloud", "http://127.0.0.1:11434", False),
        ("gpt", "https://api.example.org", False),
    ]


@cases("model", ["", "qwen3", "ollama:", "openai", "other:model", "sk-made-up"])
def test_a_name_that_names_no_kind_of_model_is_an_error_that_does_not_repeat_it(model: str) -> None:
    with pytest.raises(LlmError, match=r"llm\.model names no known model") as caught:
        find_model(LlmRules(model))
    assert "ollama:NAME" in caught.value.hint and "sk-made-up" not in caught.value.fact


def test_an_address_has_to_be_given_for_a_server_of_openais_shape() -> None:
    with pytest.raises(LlmError, match="needs an address") as caught:
        find_model(LlmRules("openai:gpt"))
    assert "NOTEWELL_LLM_URL" in caught.value.hint


def test_a_proxy_of_the_environment_is_not_asked(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.models = [CHAT]
    assert found(server) == "qwen3:4b"


def test_the_key_goes_with_the_list_of_models_too(server: ScriptedServer) -> None:
    key = "-".join(("made", "up"))
    server.models = [CHAT]
    assert found(server, key=Key(key)) == "qwen3:4b"
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"

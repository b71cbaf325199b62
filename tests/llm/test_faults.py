"""Servers that fail: each fault is a fact and a hint."""

from __future__ import annotations

import socket
from itertools import product

import pytest
from tests.cases import cases
from tests.llm.asking import ASKED, KINDS, model, refused
from tests.llm.scripted_server import GARBAGE, GUARD, HTML, HUGE, Cut, Endless, Raw, ScriptedServer, Stall, Status, Step

from notewell.errors import LlmError
from notewell.llm import LlmRules, Text
from notewell.llm.find import DIALECTS
from notewell.llm.talk import RemoteModel

PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}

FAULTS: dict[str, tuple[list[Step], str, str]] = {
    "status": ([Status(500, '{"error": "out of memory"}')], "answers with 500: out of memory", "server's log"),
    "no key": ([Status(401, "")], "answers with 401", "NOTEWELL_LLM_KEY"),
    "redirect": (
        [Status(307, "", (("Location", "http://127.0.0.1:9"),))],
        "a redirect, which is not followed",
        "trust",
    ),
    "html status": ([Status(502, "<html>Bad gateway</html>")], "answers with 502", "server's log"),
    "html": ([HTML], "answers with HTML, not JSON", "llm.url"),
    "garbage": ([GARBAGE], "answers with something that is not JSON", "llm.url"),
    "garbage later": ([Text("Bees "), GARBAGE], "answers with something that is not JSON", "llm.url"),
    "nothing": ([Raw(b"\n")], "answers with nothing", "llm.url"),
    "no object": ([Raw(b"[1, 2]\n")], "answers with JSON that contains no message", "llm.url"),
    "another object": ([Raw(b'{"status": "ok"}\n')], "answers with JSON that contains no message", "llm.url"),
    "deep": ([Raw(b'{"a": ' * 50_000 + b"\n")], "answers with something that is not JSON", "llm.url"),
    "closed": ([Cut()], "closes the connection without an answer", "Ask again"),
    "cut": ([Text("Bees "), Cut()], "breaks off in the middle of its answer", "Ask again"),
    "clean cut": ([Text("Bees "), Cut(clean=True)], "breaks off in the middle of its answer", "Ask again"),
    "long line": ([Raw(b" " * 2_000_000)], "answers with a line of more than 1,000,000 bytes", "does not stop"),
    "huge": ([HUGE], "answers with more than 8,000,000 bytes", "does not stop"),
    "endless": ([Endless()], "answers with more than 8,000,000 bytes", "does not stop"),
}


@cases(("kind", "fault"), product(KINDS, FAULTS))
def test_a_fault_of_the_server_is_a_fact_and_a_hint(server: ScriptedServer, kind: str, fault: str) -> None:
    turn, fact, hint = FAULTS[fault]
    error = refused(server, kind, *turn)
    title = "Ollama" if kind == "ollama" else "The server"
    assert error.fact.startswith(f"{title} at {server.url}{PATHS[kind]} ")
    assert fact in error.fact and hint in error.hint


@cases(("kind", "turn"), product(KINDS, ([Stall()], [Text("Bees "), Stall()])))
def test_a_server_that_stalls_is_given_up(server: ScriptedServer, kind: str, turn: list[Step]) -> None:
    error = refused(server, kind, *turn, timeout=0.2)
    assert "says nothing for 0.2 s" in error.fact and "llm.timeout" in error.hint


@cases("kind", KINDS)
def test_an_answer_that_never_ends_is_given_up_even_if_bytes_come(server: ScriptedServer, kind: str) -> None:
    asked = model(server, kind, timeout=GUARD, max_seconds=0.2)
    server.script = [[Endless("")]]
    with pytest.raises(LlmError, match=r"does not finish within 0\.2 s|more than 8,000,000 bytes"):
        list(asked.reply(ASKED))


ERRORS = {
    "ollama": b'{"error": "the runner has stopped"}\n',
    "openai": b'event: error\ndata: {"error": {"message": "the runner has stopped"}}\n\n',
}


@cases("kind", KINDS)
def test_an_error_in_the_middle_is_told_after_what_came_before(server: ScriptedServer, kind: str) -> None:
    server.script = [[Text("Bees "), Raw(ERRORS[kind])]]
    reply = model(server, kind).reply(ASKED)
    assert next(reply) == Text("Bees ")
    with pytest.raises(LlmError, match="reports an error: the runner has stopped"):
        next(reply)


@cases("kind", KINDS)
def test_an_error_that_quotes_the_question_is_not_repeated(server: ScriptedServer, kind: str) -> None:
    for turn in (Raw(ERRORS[kind].replace(b"the runner", b"Do bees buzz?")), Status(400, '{"error": "Do bees buzz?"}')):
        assert "bees" not in refused(server, kind, turn).fact


@cases(("kind", "hint"), [("ollama", "`ollama pull some-model`"), ("openai", "a model 'some-model'")])
def test_a_missing_model_is_named(server: ScriptedServer, kind: str, hint: str) -> None:
    server.models = [{"name": "another"}]
    error = refused(server, kind, Text("Yes."))
    assert error.fact.endswith("answers with 404: model 'some-model' not found") and hint in error.hint


@cases(("kind", "hint"), [("ollama", "Start `ollama serve`, or set llm.url"), ("openai", "Start it, or check llm.url")])
def test_a_server_that_is_not_there_is_told_at_once(kind: str, hint: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(LlmError) as caught:
            list(RemoteModel(LlmRules(url=url), DIALECTS[kind], "some-model").reply(ASKED))
    assert (caught.value.fact, caught.value.hint) == (f"No model answers at {url}", hint)


def test_a_server_whose_name_is_unknown_is_told_with_the_reason() -> None:
    rules = LlmRules(url="http://nowhere.invalid:11434")
    with pytest.raises(LlmError, match=r"No model answers at http://nowhere\.invalid:11434 \(.+\)"):
        list(RemoteModel(rules, DIALECTS["ollama"], "any").reply(ASKED))

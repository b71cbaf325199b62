"""Questions over HTTP, answered by a server that says what a script tells it to: both are real servers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.cases import cases
from tests.llm.scripted_server import (
    GARBAGE,
    GUARD,
    HTML,
    HUGE,
    Asked,
    Cut,
    Endless,
    ScriptedServer,
    Stall,
    Status,
    Turn,
)
from tests.serve.conftest import write_notes
from tests.serve.serving import PATIENCE, Reply, Served, impatient, serving, wait_until

from notewell import Vault
from notewell.llm import Call, Text, Thinking
from notewell.serve.http import GuardRules
from notewell.serve.http.access import Allowed
from notewell.serve.http.rag import QUESTIONS

KINDS = ("ollama", "openai")
HUMS = "why does the hive hum in the warm evening?"
QUOTE = "The hive hums in the warm evening."
JSON = {"Content-Type": "application/json"}
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_notes(tmp_path_factory.mktemp("rag") / "notes")
    with Vault.open(root) as vault:
        vault.index()
    return root


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The key of the store stays where it is; only the sessions of each test are its own.
    monkeypatch.setattr("notewell.chat.sessions.state_folder", lambda *_: tmp_path / "state")


@contextmanager
def rag(
    notes: Path, *script: Turn, kind: str = "ollama", rules: GuardRules | None = None, **settings: Any
) -> Iterator[tuple[Served, ScriptedServer]]:
    """Serve the notes, with a model that follows the script."""
    with ScriptedServer(*script or [[Text("Yes.")]]) as model:
        given = {"llm.model": f"{kind}:any", "llm.url": model.url, "embed.encoder": "off"}
        given |= {name.replace("_", ".", 1): value for name, value in settings.items()}
        with Vault.open(notes, given) as vault, serving(vault, rules) as served:
            yield served, model


def post(served: Served, question: str = HUMS, **more: Any) -> Reply:
    return served.ask("/rag", JSON, method="POST", body=json.dumps({"question": question, **more}).encode())


def lines_of(reply: Reply) -> Lines:
    assert reply.status == 200 and reply.headers["content-type"] == "application/x-ndjson", reply.body
    lines: Lines = [json.loads(line) for line in reply.body.splitlines()]
    assert [line["type"] for line in lines].count("answer") == 1 and lines[-1]["type"] == "answer"
    return lines


def text_of(lines: Lines) -> str:
    return "".join(line["text"] for line in lines if line["type"] == "text")


@cases("kind", KINDS)
def test_an_answer_is_lines_of_their_types(notes: Path, kind: str) -> None:
    script: list[Any] = [Thinking("Hm."), Text('It hums: "The hive hums '), Text('in the warm evening" [1].')]
    with rag(notes, script, kind=kind) as (served, model):
        lines = lines_of(post(served, session=kind))
        kinds = [line["type"] for line in lines]
        first = kinds.index("thinking")
        assert first >= 1 and set(kinds[:first]) == {"metadata"}
        assert kinds[first:] == ["thinking", "text", "text", "memory", "answer"]
        assert lines[0]["citation"]["path"] == "Garden/Bees.md" and lines[0]["citation"]["line"] == 3
        answer = lines[-1]
        assert answer["text"] == text_of(lines) and answer["citations"][0]["citation_verified"]
        assert (answer["model"], answer["server"]) == ("any", model.url)
        assert lines[-2] == {
            "type": "memory",
            "session": kind,
            "turns": 1,
            "used": len(HUMS + answer["text"]),
            "budget": 48_000,
        }


def test_without_a_model_the_quotes_are_the_text(notes: Path) -> None:
    with rag(notes, llm_model="off") as (served, model):
        lines = lines_of(post(served))
        assert QUOTE in text_of(lines) and lines[-1]["model"] == "" and lines[-1]["answered"]
        refused = lines_of(post(served, "qqqq zzzz kkkk?"))
        assert text_of(refused).startswith("Your notes do not answer this") and not refused[-1]["answered"]
        assert model.requests == []


def test_citations_leave_before_the_model_says_a_word(notes: Path) -> None:
    with rag(notes, [Stall()]) as (served, model), asking(served) as answer:
        first = json.loads(answer.readline())
        assert first["type"] == "metadata" and model.begun.wait(GUARD) and not model.dropped.is_set()


@contextmanager
def asking(served: Served, **more: Any) -> Iterator[Any]:
    """Yield an answer that is still coming; the client goes at the end."""
    connection = HTTPConnection(served.host, served.port, timeout=PATIENCE)
    try:
        connection.request("POST", "/rag", json.dumps({"question": HUMS, **more}), JSON)
        yield connection.getresponse()
    finally:
        connection.close()


@cases("kind, turn", product(KINDS, ([Stall()], [Thinking("Hm."), Stall()], [Text("It "), Endless("hums ", 0.01)])))
def test_a_client_that_goes_stops_the_model(notes: Path, kind: str, turn: list[Any]) -> None:
    with rag(notes, turn, kind=kind) as (served, model):
        session = f"{kind} {turn}"
        with asking(served, session=session) as answer:
            assert json.loads(answer.readline())["type"] == "metadata"
            assert model.begun.wait(GUARD)
        assert model.dropped.wait(GUARD)
        # A question that nobody waited for is not remembered, and the server answers the next one.
        model.script = [[Text("Yes.")]]
        assert lines_of(post(served, session=session))[-2]["turns"] == 1


def test_a_client_that_goes_stops_an_agent_between_its_tools(notes: Path) -> None:
    script = [Call("1", "calculator", '{"expression": "6*7"}')], [Stall()]
    with rag(notes, *script) as (served, model):
        with asking(served) as answer:
            answer.readline()
            assert model.begun.wait(GUARD)
        assert model.dropped.wait(GUARD)


def test_slow_models_hold_up_neither_searches_nor_other_questions(notes: Path) -> None:
    def slow(asked: Asked) -> list[Any]:
        return [Text("Yes.")] if "zweimal" in repr(asked.body) else [Stall()]

    with rag(notes, slow) as (served, _), ThreadPoolExecutor(QUESTIONS) as pool:
        held = [asking(served) for _ in range(QUESTIONS - 1)]
        answers = [one.__enter__() for one in held]
        assert all(json.loads(answer.readline())["type"] == "metadata" for answer in answers)
        found = list(pool.map(lambda _: served.get("/search", text="hive"), range(QUESTIONS)))
        assert all(one["hits"] for one in found)
        assert lines_of(post(served, f"{HUMS} Also zweimal?"))[-1]["text"] == "Yes."
        with asking(served) as last:
            assert json.loads(last.readline())["type"] == "metadata"
            refused = post(served)
            assert (refused.status, refused.headers["retry-after"]) == (503, "5")
            assert refused.data["error"] == "Too many questions at once"
        for one in held:
            one.__exit__(None, None, None)
        # Places of those that went are free again.
        wait_until(lambda: post(served, f"{HUMS} Also zweimal?").status == 200)


def test_a_server_that_is_stopped_stops_its_models(notes: Path) -> None:
    with ExitStack() as client:
        with rag(notes, [Stall()]) as (served, model):
            answer = client.enter_context(asking(served))
            assert answer.readline() and model.begun.wait(GUARD)
        # The client is still there.
        assert model.dropped.wait(GUARD)


def endless_calls(asked: Asked) -> list[Any]:
    return [Call("1", "search_knowledge_base", json.dumps({"query": f"hive {len(asked.body['messages'])}"}))]


FAULTS: dict[str, Turn] = {
    "stall": [Stall()],
    "stall in the middle": [Text("It "), Stall()],
    "cut": [Text("It hums"), Cut()],
    "cut at once": [Cut()],
    "cut while thinking": [Thinking("Hm, "), Cut()],
    "stall while thinking": [Thinking("Hm, "), Stall()],
    "garbage": [GARBAGE],
    "garbage later": [Text("It "), GARBAGE],
    "HTML": [HTML],
    "HTML with an error": [Status(502, "<html>Bad gateway</html>")],
    "40 MB": [HUGE],
    "endless": [Endless("and so on " * 500)],
    "no such model": [Status(404, '{"error": "model not found"}')],
    "nothing": [],
    "nothing but thinking": [Thinking("Hm.")],
    "blanks": [Text(" \n\u200b ")],
    "endless tool loop": endless_calls,
    "only wrong tools": [Call("1", "delete_everything", "{}")],
}


@cases("kind, fault", product(KINDS, FAULTS))
def test_whatever_a_model_does_the_answer_is_never_empty(notes: Path, kind: str, fault: str) -> None:
    with rag(notes, FAULTS[fault], kind=kind, llm_timeout=1, llm_max_seconds=20) as (served, _):
        lines = lines_of(post(served))
    kinds = [line["type"] for line in lines]
    answer, error = lines[-1], lines[kinds.index("error")]
    assert kinds[-3:] == ["error", "text", "answer"] and kinds.count("error") == 1
    assert error["error"].endswith("The answer is quotes from your notes instead") and error["hint"]
    assert answer["answered"] and answer["model"] == "" and QUOTE in answer["text"]
    assert lines[-2]["text"] == answer["text"] and answer["citations_status"] == "all_verified"


@cases("kind", KINDS)
def test_a_wrong_tool_and_then_an_answer_is_an_answer(notes: Path, kind: str) -> None:
    wrong: list[Any] = [Thinking("Hm."), Call("1", "delete_everything", '{"note": "Bees"}')]
    with rag(notes, wrong, [Text("It hums.")], kind=kind) as (served, _):
        lines = lines_of(post(served))
    assert lines[-1]["text"] == "It hums." and "error" not in [line["type"] for line in lines]


def test_a_model_that_cannot_be_found_is_told_before_the_first_line(notes: Path) -> None:
    with rag(notes, llm_model="gpt") as (served, _):
        reply = post(served)
    assert (reply.status, "llm.model" in reply.data["error"]) == (503, True) and reply.data["hint"]


def test_a_session_goes_on_and_is_edited(notes: Path) -> None:
    with rag(notes, [Text("It hums.")]) as (served, model):
        post(served, session="one")
        post(served, "And the honey of it?", session="two")
        assert lines_of(post(served, "And why so?", session="one"))[-2]["turns"] == 2
        assert HUMS in repr(model.requests[-1].body["messages"][1]) and "honey of it" not in repr(model.requests[-1])
        assert lines_of(post(served, "And the rye?", session="one", edit=2))[-2]["turns"] == 2
        wrong = post(served, session="one", edit=7)
        assert (wrong.status, wrong.data["error"]) == (400, "There is no question 7 to edit")
        assert post(served, edit=1).data["error"] == "Only a question of a session can be edited"


def test_many_sessions_at_once_never_mix(notes: Path) -> None:
    def numbers(asked: Asked) -> list[Any]:
        told = " ".join(message["content"] for message in asked.body["messages"][1:])
        return [Text(" ".join(sorted({word for word in told.split() if word.startswith("nr")})))]

    def converse(number: int) -> list[str]:
        asked = [f"{HUMS} nr{number} nr{number}.{turn}" for turn in range(3)]
        return [lines_of(post(served, question, session=f"s{number}"))[-1]["text"] for question in asked]

    with rag(notes, numbers, llm_tools="off") as (served, _), ThreadPoolExecutor(QUESTIONS) as pool:
        for number, answers in enumerate(pool.map(converse, range(2 * QUESTIONS))):
            assert answers[-1].split() == [f"nr{number}", *(f"nr{number}.{turn}" for turn in range(3))]


def test_scope_and_filters_are_those_of_the_body(notes: Path) -> None:
    with rag(notes, llm_model="off") as (served, _):
        assert not lines_of(post(served, under="Recipes"))[-1]["answered"]
        assert not lines_of(post(served, tag="bread"))[-1]["answered"]
        assert lines_of(post(served, folder="Garden"))[-1]["answered"]


@cases(
    "body, status, fact",
    [
        (b"", 400, "The body is not a JSON object"),
        (b"{", 400, "The body is not a JSON object"),
        (b"[]", 400, "The body is not a JSON object"),
        (b"\xff\xfe", 400, "The body is not a JSON object"),
        (b"{}", 400, "question: Field required"),
        (b'{"question": ""}', 400, "The question is empty"),
        (b'{"question": " \\u200b"}', 400, "The question is empty"),
        (b'{"question": 3}', 400, "question: Input should be a valid string"),
        (b'{"question": "x", "limit": 3}', 400, "There is no parameter 'limit' here"),
        (b'{"question": "x", "q": "y"}', 400, "'question' and 'q' are the same argument"),
        (b'{"question": "x", "where": ["status"]}', 400, "'status' is not KEY=VALUE"),
        (b'{"question": "x", "after": "someday"}', 400, ""),
        (b'{"question": "x", "session": "%s"}' % (b"s" * 101), 400, "A session needs a name"),
        (b'{"question": "%s"}' % (b"why " * 5_000), 400, "The question has 20,000 characters"),
        (b'{"question": "%s"}' % (b"why " * 250_000), 400, "The question has 1,000,000 characters"),
        (b'{"question": "%s"}' % (b"why " * 300_000), 413, "The body is longer than"),
        (b'{"question": ' + b"[" * 200_000, 400, ""),
    ],
)
def test_bad_input_is_a_fact_and_a_hint(notes: Path, body: bytes, status: int, fact: str) -> None:
    with rag(notes) as (served, model):
        reply = served.ask("/rag", JSON, method="POST", body=body)
        assert (reply.status, reply.headers["content-type"]) == (status, "application/json")
        assert fact in reply.data["error"] and reply.data["hint"] and model.requests == []


def test_a_body_must_say_that_it_is_json(notes: Path) -> None:
    with rag(notes) as (served, _):
        reply = served.ask("/rag", {"Content-Type": "text/plain"}, method="POST", body=b'{"question": "x"}')
    assert reply.status == 400 and "Content-Type: application/json" in reply.data["hint"]


def test_the_guard_is_in_front(notes: Path) -> None:
    with rag(notes, rules=GuardRules(Allowed(), digest="0" * 64)) as (served, model):
        body = json.dumps({"question": HUMS}).encode()
        for headers, status in (({}, 401), ({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)):
            assert served.ask("/rag", {**JSON, **headers}, method="POST", body=body).status == status
        assert model.requests == []


def test_no_vault_and_an_empty_one_are_said(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    with Vault.open(root) as empty:
        empty.index()
    with rag(root) as (served, _):
        lines = lines_of(post(served))
        assert text_of(lines) == "Your notes do not answer this." and not lines[-1]["answered"]
        shutil.rmtree(root)
        reply = post(served)
        assert reply.status == 503 and reply.data["error"] and reply.data["hint"]


def test_a_client_that_does_not_read_is_given_up(notes: Path) -> None:
    # More than the sockets between hold.
    much: list[Any] = [Thinking("hums " * 20_000)] * 70
    with rag(notes, [*much, Stall()], rules=impatient(write_seconds=0.2)) as (served, model):
        body = json.dumps({"question": HUMS})
        head = f"POST /rag HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        with served.send(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()):
            assert model.dropped.wait(PATIENCE)

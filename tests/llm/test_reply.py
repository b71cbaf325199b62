"""Replies of models, in both dialects, against a real server on this machine."""

from __future__ import annotations

from itertools import product
from threading import Thread

from tests.cases import cases
from tests.llm.asking import ASKED, BEES, KINDS, SEARCH, model, refused, said
from tests.llm.scripted_server import GUARD, Endless, Length, ScriptedServer, Stall, Status, Step

from notewell.llm import Call, Message, Text, Thinking
from notewell.remote.address import Key

# What is said


@cases("kind", KINDS)
def test_thinking_text_and_calls_come_in_their_order(server: ScriptedServer, kind: str) -> None:
    turn: list[Step] = [Thinking("Hm."), Text("Bees "), Text("buzz: 蜂 🐝"), BEES]
    reply = model(server, kind).reply(ASKED, [SEARCH])
    server.script = [turn]
    assert list(reply) == turn
    assert reply.ended == "stop"
    assert list(reply) == []


@cases("kind", KINDS)
def test_a_piece_arrives_before_the_next_one_is_sent(server: ScriptedServer, kind: str) -> None:
    server.script = [[Text("Bees"), Stall()]]
    reply = model(server, kind).reply(ASKED)
    assert next(reply) == Text("Bees")
    assert reply.ended == ""
    reply.close()


@cases("kind", KINDS)
def test_thinking_in_tags_becomes_thinking(server: ScriptedServer, kind: str) -> None:
    server.inline_thinking = True
    pieces = said(server, kind, Thinking("Hm."), Text("Bees "), BEES)
    assert pieces == [Thinking("Hm."), Text("Bees "), BEES]


@cases("kind", KINDS)
def test_a_server_that_does_not_stream_is_understood(server: ScriptedServer, kind: str) -> None:
    server.streams = False
    assert said(server, kind, Thinking("Hm."), Text("Bees "), BEES) == [Thinking("Hm."), Text("Bees "), BEES]


@cases("kind", KINDS)
def test_an_answer_that_reached_its_limit_says_so(server: ScriptedServer, kind: str) -> None:
    server.script = [[Text("Bees"), Length()]]
    reply = model(server, kind).reply(ASKED, max_tokens=5)
    assert (list(reply), reply.ended) == ([Text("Bees")], "length")


@cases("kind", KINDS)
def test_two_calls_without_an_id_of_their_own_are_told_apart(server: ScriptedServer, kind: str) -> None:
    first, second = said(server, kind, Call("", "search", '{"text": "a"}'), Call("", "search", '{"text": "b"}'))
    assert (first, second) == (Call("call-1", "search", '{"text": "a"}'), Call("call-2", "search", '{"text": "b"}'))


def test_an_answer_may_be_empty(server: ScriptedServer) -> None:
    assert [said(server, kind, Text("")) for kind in KINDS] == [[], []]


# What is asked


def test_ollama_is_asked_with_a_context_no_chance_and_the_whole_conversation(server: ScriptedServer) -> None:
    talk = [
        *ASKED,
        Message("assistant", "", calls=(Call("7", "search", '{"text": "bees"}'), Call("8", "search", "not json"))),
        Message("tool", "They buzz.", call_id="7", name="search"),
    ]
    list(model(server, context=4096).reply(talk, [SEARCH], max_tokens=9))
    (asked,) = server.requests
    assert asked.path == "/api/chat"
    assert asked.body["options"] == {"num_ctx": 4096, "num_predict": 9, "temperature": 0}
    assert (asked.body["model"], asked.body["stream"]) == ("some-model", True)
    assert asked.body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"function": {"name": "search", "arguments": {"text": "bees"}}},
                {"function": {"name": "search", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "They buzz.", "tool_name": "search"},
    ]
    assert asked.body["tools"][0]["function"] == {
        "name": "search",
        "description": "Find notes",
        "parameters": SEARCH.parameters,
    }


def test_openai_is_asked_with_ids_and_arguments_as_they_were_written(server: ScriptedServer) -> None:
    talk = [*ASKED, Message("assistant", "", calls=(BEES,)), Message("tool", "Yes.", call_id="call-1", name="search")]
    server.script = [[Call("", "search", "{}")]]
    assert list(model(server, "openai").reply(talk, [SEARCH])) == [Call("call-2", "search", "{}")]
    (asked,) = server.requests
    assert asked.path == "/v1/chat/completions"
    assert asked.body["messages"][2]["tool_calls"] == [
        {"id": "call-1", "type": "function", "function": {"name": "search", "arguments": '{"text": "bees"}'}}
    ]
    assert asked.body["messages"][3] == {"role": "tool", "content": "Yes.", "tool_call_id": "call-1"}
    assert (asked.body["temperature"], asked.body["stream"]) == (0, True)


def test_without_tools_none_are_mentioned(server: ScriptedServer) -> None:
    for kind in KINDS:
        said(server, kind)
    assert ["tools" in asked.body for asked in server.requests] == [False, False]


def test_nothing_is_sent_before_the_first_piece_is_asked_for(server: ScriptedServer) -> None:
    model(server).reply(ASKED)
    assert server.requests == []


@cases("kind", KINDS)
def test_a_model_without_tools_is_asked_again_without_them(server: ScriptedServer, kind: str) -> None:
    server.requests.clear()
    server.takes_tools = False
    asked = model(server, kind)
    assert asked.takes_tools
    assert list(asked.reply(ASKED, [SEARCH])) == [Text("Yes.")]
    assert not asked.takes_tools
    assert ["tools" in one.body for one in server.requests] == [True, False]
    assert list(asked.reply(ASKED, [SEARCH])) == [Text("Yes.")]
    assert len(server.requests) == 3


def test_parameters_that_a_server_refuses_are_left_out(server: ScriptedServer) -> None:
    server.script = [
        [Status(400, '{"error": {"message": "Unsupported parameter: \'max_tokens\'"}}')],
        [Status(400, '{"error": {"message": "\'temperature\' does not support 0 with this model"}}')],
        [Text("Yes.")],
    ]
    assert said(server, "openai") == [Text("Yes.")]
    assert server.requests[-1].body.keys() == {"model", "messages", "stream", "max_completion_tokens"}


def test_a_part_is_left_out_only_once(server: ScriptedServer) -> None:
    error = refused(server, "openai", Status(400, '{"error": "temperature is bad"}'))
    assert error.fact.endswith("answers with 400: temperature is bad")
    assert len(server.requests) == 2


def test_the_key_is_sent_and_never_told(server: ScriptedServer) -> None:
    key = "-".join(("sk", "made", "up", "and", "long"))
    error = refused(server, "openai", Status(401, f"no such key: {key}"), key=Key(key))
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
    assert "NOTEWELL_LLM_KEY" in error.hint and key not in error.fact + error.hint


# Cancelling


WAITING: list[list[Step]] = [[Stall()], [Text("Bees "), Stall()], [Endless(pause=0.01)]]


@cases(("kind", "turn"), product(KINDS, WAITING))
def test_another_thread_can_end_a_reply_that_waits(server: ScriptedServer, kind: str, turn: list[Step]) -> None:
    server.begun.clear()
    server.dropped.clear()
    server.script = [turn]
    # The limits would fail the test, not pass it.
    reply = model(server, kind, timeout=2 * GUARD, max_seconds=2 * GUARD).reply(ASKED)
    errors: list[Exception] = []

    def read() -> None:
        try:
            list(reply)
        except Exception as error:
            errors.append(error)

    reader = Thread(target=read, daemon=True)
    reader.start()
    assert server.begun.wait(GUARD)
    reply.close()
    reader.join(GUARD)
    assert not reader.is_alive() and errors == []
    assert reply.ended == "closed"
    assert server.dropped.wait(GUARD)


@cases("kind", KINDS)
def test_a_reply_can_be_ended_between_pieces_and_twice(server: ScriptedServer, kind: str) -> None:
    server.dropped.clear()
    server.script = [[Text("Bees "), Stall()]]
    reply = model(server, kind).reply(ASKED)
    assert next(reply) == Text("Bees ")
    reply.close()
    reply.close()
    assert (list(reply), reply.ended) == ([], "closed")
    assert server.dropped.wait(GUARD)


def test_a_reply_that_is_ended_before_it_began_sends_nothing(server: ScriptedServer) -> None:
    reply = model(server).reply(ASKED)
    reply.close()
    assert (list(reply), reply.ended, server.requests) == ([], "closed", [])


def test_a_complete_reply_stays_complete_when_closed(server: ScriptedServer) -> None:
    reply = model(server).reply(ASKED)
    assert list(reply) == [Text("Yes.")]
    reply.close()
    assert reply.ended == "stop"

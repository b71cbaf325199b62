from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cases import cases

from notewell import Vault
from notewell.index.readers import json_lines, json_values
from notewell.index.readers.content import Content
from notewell.redact import redact_text


def claude(*messages: Any, **fields: Any) -> dict[str, Any]:
    talk = {"name": "Bread", "created_at": "2025-01-25T20:48:18+00:00", "chat_messages": list(messages)}
    return talk | fields


def message(sender: str, *blocks: Any, **fields: Any) -> dict[str, Any]:
    return {"sender": sender, "text": "", "content": list(blocks), **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def export(value: Any) -> Content:
    return json_values.extract(json.dumps(value).encode())


def transcript(*records: Any) -> Content:
    return json_lines.extract("\n".join(map(json.dumps, records)).encode())


def record(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2025-06-14T10:00:00Z", "message": {"role": kind, "content": content}, **fields}


def part_texts(content: Content) -> dict[str, str]:
    lines = content.text.split("\n")
    ends = [*(part.line - 1 for part in content.parts[1:]), len(lines)]
    named = zip(content.parts, ends, strict=True)
    return {part.name: "\n".join(lines[part.line - 1 : end]).strip() for part, end in named}


def test_a_claude_export_has_a_part_for_each_question_with_its_answer() -> None:
    content = export(
        [
            claude(
                message("human", text("Why is it flat?")),
                message("assistant", {"type": "thinking", "thinking": "Yeast?"}, text("The yeast\nwas dead.")),
                message("human", text("And now?")),
                message("assistant", text("Buy new.")),
            )
        ]
    )
    assert content.text.startswith("# Bread (2025-01-25)\nHuman: Why is it flat?\n")
    assert content.title == "Bread (2025-01-25)"
    assert [part.under for part in content.parts] == [(1,), (1,)]
    assert part_texts(content) == {
        "turn 1": "Human: Why is it flat?\n\nThinking: Yeast?\n\nAssistant: The yeast\nwas dead.",
        "turn 2": "Human: And now?\n\nAssistant: Buy new.",
    }


def test_turns_of_many_conversations_say_which() -> None:
    talks = [claude(message("human", text(f"Question {number}")), name=f"Talk {number}") for number in (1, 2)]
    content = export(talks)
    assert [(part.name, part.under) for part in content.parts] == [
        ("conversation 1, turn 1", (1,)),
        ("conversation 2, turn 1", (4,)),
    ]
    assert content.text.split("\n")[3] == "# Talk 2 (2025-01-25)"
    assert content.title == ""


def test_one_conversation_is_read_as_a_list_of_one() -> None:
    talk = claude(message("human", text("Hello there")))
    assert export(talk) == export([talk])


def test_older_exports_have_their_words_beside_the_blocks() -> None:
    assert part_texts(export(claude({"sender": "human", "text": "Old words"}))) == {"turn 1": "Human: Old words"}


def test_attachments_belong_to_the_message_they_came_with() -> None:
    files = {
        "attachments": [{"file_name": "a.txt", "extracted_content": "Flour\nand water"}],
        "files": [{"file_name": "b.png"}],
    }
    content = export(claude(message("human", text("Look"), **files), message("assistant", text("I see"))))
    assert part_texts(content) == {
        "turn 1": "Human: Look\n\nHuman: [Attachment: a.txt]\nFlour\nand water\n\nHuman: [Attachment: b.png]\n\n"
        "Assistant: I see"
    }


def test_tool_inputs_and_results_are_shortened() -> None:
    used = {"type": "tool_use", "name": "Bash", "input": {"command": "ls -a", "options": {"n": 1}}}
    gave = {"type": "tool_result", "content": [{"type": "text", "text": "word " * 1000}, {"type": "image"}]}
    (turn,) = part_texts(export(claude(message("assistant", used, gave, text("Done."))))).values()
    lines = turn.split("\n\n")
    assert lines[0] == 'Tool Bash: command: ls -a; options: {"n": 1}'
    assert lines[1].startswith("Result: word word ") and lines[1].endswith("word … (3,002 characters left out)")
    assert lines[2] == "Assistant: Done."


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.json", claude(message("human", text("Hello half \ud800 there")), name="\ud800")),
        ("a.jsonl", {"type": "user", "message": {"content": "\udfff half an emoji"}}),
        ("a.ipynb", {"cells": [{"cell_type": "markdown", "source": "# Bees \ud83d"}], "metadata": {}}),
        ("b.json", {"half \ud800": "an \udfff emoji"}),
    ],
)
def test_half_a_character_in_a_name_does_not_end_the_run(
    make_vault: Callable[..., Vault], path: str, value: Any
) -> None:
    with make_vault({path: json.dumps(value), "z.md": "# Rye\n\nThe loaf needs a long rest.\n"}) as vault:
        report = vault.index()
        assert report.added == 2
        assert vault.search("half bees emoji").hits[0].path == path


@cases("name", ["", None, 7])
def test_a_conversation_without_a_name_is_called_by_how_it_begins(name: Any) -> None:
    content = export(claude(message("human", text("Why does bread\nfall? " * 20)), name=name, created_at=None))
    title = "Why does bread fall? Why does bread fall? Why does bread fall? Why does bread …"
    assert content.text.split("\n")[0] == f"# {title}"


def test_a_long_word_never_becomes_half_a_title() -> None:
    assert export(claude(message("human", text("a1" * 90)), name="", created_at="?")).title == "…"


def test_odd_records_of_an_export_are_skipped() -> None:
    odd: list[Any] = [
        None,
        "text",
        {"sender": None, "content": "words", "attachments": {}, "files": [None, {"file_name": 3}]},
        message("human", None, 7, {"type": 7}, {"type": "text", "text": None}, {"type": "thinking"}, "bare words"),
        message("assistant", {"type": "tool_use", "input": [1]}, {"type": "tool_use"}, {"type": "tool_result"}),
        {"sender": "human"},
    ]
    content = export([claude(*odd)])
    assert part_texts(content) == {
        "turn 1": "Assistant: words",
        "turn 2": "Human: bare words\n\nTool: [1]\n\nTool: (nothing)",
    }


def test_an_empty_conversation_is_its_title() -> None:
    content = export([claude(), claude(message("human", text("Hello there")), name="Second")])
    assert content.text == "# Bread (2025-01-25)\n\n# Second (2025-01-25)\nHuman: Hello there"
    assert [part.name for part in content.parts] == ["conversation 2, turn 1"]


def test_a_file_that_only_speaks_of_chats_is_read_as_values() -> None:
    assert (
        export({"chat_messages": "none", "mapping": {"message": 1}}).text == "chat_messages: none; mapping.message: 1"
    )


@cases(
    "value",
    [
        {"mapping": {"a": {"message": "hello"}}, "other": "important"},
        {"mapping": {"a": {"message": None}}, "other": "important"},
        {"mapping": {}, "message": 1, "other": "important"},
        {"chat_messages": ["hello"], "other": "important"},
        [claude(message("human", text("Hello there"))), {"other": "important"}],
        [claude(message("human", text("Hello there"))), "important"],
    ],
)
def test_a_file_that_is_only_partly_an_export_is_read_as_values(value: Any) -> None:
    content = export(value)
    assert content.parts == () and "important" in content.text


def test_a_conversation_that_never_began_does_not_make_an_export_something_else() -> None:
    empty = chatgpt(mapping={"root": {"parent": None, "message": None}}, title="New chat")
    content = export([chatgpt(), empty, chatgpt(mapping={})])
    assert "# New chat (2025-01-25)" in content.text and content.parts[0].name == "conversation 1, turn 1"


@cases("where", [claude, None])
def test_a_password_in_a_tools_input_is_redacted(where: Any) -> None:
    phrase = " ".join(["two", "words-99"])
    used = {"type": "tool_use", "name": "Login", "input": {"password": phrase, "user": "x", "more": {"pwd": phrase}}}
    content = export(claude(message("assistant", used))) if where else transcript(record("assistant", [used]))
    assert f'Tool Login: password: "{phrase}"; user: x; more: {{"pwd": "{phrase}"}}' in content.text
    assert phrase not in redact_text(content.text)[0]


def node(parent: str | None, role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    said = {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}, **fields}
    return {"parent": parent, "message": said}


def chatgpt(**fields: Any) -> dict[str, Any]:
    nodes = {
        "root": {"parent": None, "message": None},
        "s": node("root", "system", "You are kind."),
        "a": node("s", "user", "Why is it flat?"),
        "b": node("a", "assistant", "An answer nobody kept"),
        "c": node("a", "assistant", "search(bread)", recipient="browser"),
        "d": node("c", "tool", "Ten pages"),
        "e": node("d", "assistant", "Old yeast.", {"content_type": "image_asset_pointer"}),
        "f": node("e", "user", {"content_type": "audio_transcription", "text": "And now?"}),
    }
    return {"title": "Bread", "create_time": 1737838098.6, "mapping": nodes, "current_node": "f"} | fields


def test_a_chatgpt_export_is_the_branch_that_was_kept() -> None:
    content = export([chatgpt()])
    assert content.title == "Bread (2025-01-25)"
    assert part_texts(content) == {
        "turn 1": "Human: Why is it flat?\n\nTool browser: search(bread)\n\nResult: Ten pages\n\nAssistant: Old yeast.",
        "turn 2": "Human: And now?",
    }


def test_a_chatgpt_export_without_a_last_message_ends_with_the_last_one() -> None:
    assert part_texts(export(chatgpt(current_node=None))) == part_texts(export(chatgpt()))


def test_a_chatgpt_export_that_runs_in_a_circle_ends() -> None:
    nodes = {"a": node("b", "user", "Round and round"), "b": node("a", "assistant", "it goes")}
    assert len(export(chatgpt(mapping=nodes, current_node="a", create_time=1e30)).parts) == 2


def test_hidden_messages_and_thoughts_of_chatgpt() -> None:
    hidden = node(None, "user", "About me", metadata={"is_visually_hidden_from_conversation": True})
    thought = node("a", "assistant")
    thought["message"]["content"] = {"content_type": "thoughts", "thoughts": [{"content": "Hm, yeast."}]}
    nodes = {"a": hidden, "b": thought, "c": {"parent": "b", "message": {"content": None, "author": 3}}}
    assert part_texts(export(chatgpt(mapping=nodes, current_node="c"))) == {"turn 1": "Thinking: Hm, yeast."}


def test_a_transcript_has_a_part_for_each_text_of_the_user() -> None:
    content = transcript(
        {"type": "summary", "summary": "Bread, explained", "leafUuid": "x"},
        {"type": "file-history-snapshot", "snapshot": {}},
        record("user", "<note>not his</note>", isMeta=True),
        record("user", "Run it"),
        record("assistant", [{"type": "tool_use", "name": "Bash", "input": {"command": "bake"}}]),
        record("user", [{"type": "tool_result", "content": "Hot"}]),
        record("assistant", [text("It is hot.")]),
        record("system", "hook"),
        record("user", [text("Thanks")]),
    )
    assert content.title == "Bread, explained (2025-06-14)"
    assert part_texts(content) == {
        "turn 1": "Human: Run it\n\nTool Bash: command: bake\n\nResult: Hot\n\nAssistant: It is hot.",
        "turn 2": "Human: Thanks",
    }


def test_a_task_for_a_subagent_is_not_a_turn_of_the_user() -> None:
    content = transcript(
        record("user", "Look around"),
        record("user", "List the files", isSidechain=True),
        record("assistant", "Two files", isSidechain=True),
        record("user", "So far we baked.", isCompactSummary=True),
    )
    assert part_texts(content) == {
        "turn 1": "Human: Look around\n\nTask: List the files\n\nAssistant: Two files\n\nSummary: So far we baked."
    }


def test_a_long_summary_and_a_second_one_stay_in_the_text() -> None:
    long = "Bread and butter " * 10
    content = transcript(
        record("user", "Hello there"),
        {"type": "summary", "summary": long, "leafUuid": "x"},
        {"type": "summary", "summary": "Second", "leafUuid": "y"},
    )
    assert content.title == "Bread and butter " * 7 + "… (2025-06-14)"
    assert part_texts(content)["turn 1"].endswith(f"Summary: {long}\n\nSummary: Second")


def test_lines_of_a_transcript_that_are_not_json_are_a_warning() -> None:
    said = [json.dumps(record("user", words)) for words in ("Hello there", "Grüße aus Köln", "Schöne Bäume")]
    content = json_lines.extract("\n".join((*said, '{"type": "assis')).encode())
    assert content.warnings == ("1 of its lines is not part of the conversation, and left out",)
    assert part_texts(content)["turn 1"].startswith("Human: Hello there")


def test_a_detected_encoding_of_a_transcript_is_a_warning() -> None:
    line = json.dumps(record("user", "Grüße aus Köln, schöne Mädchen und große Bäume"), ensure_ascii=False)
    assert json_lines.extract(line.encode("cp1252")).warnings == ("read as Windows-1252",)


def test_one_message_among_other_records_makes_no_transcript() -> None:
    content = transcript(record("user", "Hello there"), *({"id": number, "town": "Bern"} for number in range(50)))
    assert content.parts == ()
    assert "Hello there" in content.text and "id: 49; town: Bern" in content.text


def test_bookkeeping_of_claude_code_is_left_out_without_a_warning() -> None:
    beside = [{"type": "progress", "sessionId": "1", "data": {}}, {"type": "file-history-snapshot", "snapshot": {}}]
    content = transcript(*beside * 3, record("user", "Hello there"), {"type": "system", "sessionId": "1"})
    assert (part_texts(content), content.warnings) == ({"turn 1": "Human: Hello there"}, ())


def test_odd_records_of_a_transcript_are_skipped() -> None:
    content = transcript(
        record("user", None), record("assistant", {"a": 1}), record("user", 3, timestamp=[]), [1], record("user", "Hm")
    )
    assert part_texts(content) == {"turn 1": "Human: Hm"}

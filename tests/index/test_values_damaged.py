"""Files that were damaged: each reader of values, chats and notebooks gives a sound content, or says why not."""

from __future__ import annotations

import json
from collections.abc import Callable

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell.errors import NoteError
from notewell.index.chunk import ChunkRules
from notewell.index.readers import json_lines, json_values, notebook, yaml_values
from notewell.index.readers.content import Content, within_limits
from notewell.index.shapes import values
from notewell.types.note import Note, Stamp

SETTINGS = {"servers": [{"host": "db1", "port": 1}, {"host": "d\u00e9"}], "tags": ["a", "b"], "text": "two\nlines\t\\"}
TALK = {
    "name": "Bread",
    "created_at": "2025-01-25T20:48:18+00:00",
    "chat_messages": [
        {"sender": "human", "text": "why", "content": [{"type": "text", "text": "why is it flat?"}]},
        {
            "sender": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "x", "input": {"a": 1}}],
            "attachments": [{"file_name": "a", "extracted_content": "b"}],
        },
    ],
}
NODES = {
    "a": {"message": {"author": {"role": "user"}, "content": {"parts": ["why", {"text": "x"}]}}, "parent": None},
    "b": {"message": {"author": {"role": "assistant"}, "content": {"thoughts": [{"content": "hm"}]}}, "parent": "a"},
}
RECORDS = (
    {"type": "summary", "summary": "Bread", "leafUuid": "x"},
    {"type": "user", "timestamp": "2025-06-14", "message": {"role": "user", "content": "why is it flat?"}},
    {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"a": "ls"}}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "content": [{"type": "text", "text": "b"}]}]}},
)
BOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Bread\n", "text"]},
        {"cell_type": "code", "source": "1/0", "outputs": [{"output_type": "error", "ename": "E", "evalue": "v"}]},
        {"cell_type": "code", "source": "x", "outputs": [{"data": {"text/plain": ["1"]}}]},
    ],
    "metadata": {"language_info": {"name": "python"}},
}
STACK = yaml.safe_dump(SETTINGS) + "---\na: &x [1, 2]  # note\nb: *x\nc: |\n  one\n  two\n? {d: e}\n: f\n"

Extract = Callable[[bytes], Content]
FILES: dict[str, tuple[Extract, str]] = {
    "json": (json_values.extract, json.dumps(SETTINGS, indent=1)),
    "minified": (json_values.extract, json.dumps([SETTINGS] * 9)),
    "claude": (json_values.extract, json.dumps([TALK, TALK])),
    "chatgpt": (json_values.extract, json.dumps([{"title": "x", "mapping": NODES, "current_node": "b"}])),
    "lines": (json_lines.extract, "\n".join(map(json.dumps, [SETTINGS] * 3))),
    "transcript": (json_lines.extract, "\n".join(map(json.dumps, RECORDS))),
    "yaml": (yaml_values.extract, STACK),
    "notebook": (notebook.extract, json.dumps(BOOK)),
}
# What is put in where something was: signs that mean something, and values of another kind.
PIECES = [
    b"",
    b"null",
    b"7",
    b"[]",
    b"{}",
    b'"',
    b"[",
    b"}",
    b",",
    b":",
    b"\n",
    b"\\",
    b"\xff",
    b"- ",
    b"#",
    b"&a",
    b"*",
]


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 5, 20])))
        kind = draw(st.sampled_from(["put", "cut", "twice", "flip"]))
        if kind == "put":
            data[start:end] = draw(st.sampled_from(PIECES))
        elif kind == "cut":
            del data[start:]
        elif kind == "twice":
            data[start:start] = data[start:end] * draw(st.integers(1, 3))
        elif start < len(data):
            data[start] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


def check(content: Content) -> None:
    count = content.text.count("\n") + 1
    places = [part.line for part in content.parts]
    assert places == sorted(set(places))
    assert all(1 <= line <= count for part in content.parts for line in (part.line, *part.under))
    note = values.parse(Note("a.json", content.text, Stamp(0, 0), content.title, parts=content.parts))
    assert values.chunk(note, ChunkRules())


@cases("name", FILES)
def test_a_whole_file_is_read(name: str) -> None:
    extract, text = FILES[name]
    content = extract(text.encode())
    check(content)
    assert content.text and not content.warnings


@cases("name", FILES)
def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    extract, text = FILES[name]

    @settings(max_examples=60, deadline=None)
    @given(damaged(text.encode()))
    def read(data: bytes) -> None:
        try:
            content = within_limits(extract(data))
        except NoteError as error:
            assert "flat" not in error.fact and "db1" not in error.fact
        else:
            check(content)

    read()


@cases("name", FILES)
def test_values_of_another_kind_anywhere_are_not_a_mistake_of_ours(name: str) -> None:
    extract, text = FILES[name]
    for other in ("null", "7", "[]", "{}", '"x"', "[[1]]", '{"a": 1}'):
        for found in ('"a"', '"b"', "1", '"human"', '"user"', '"text"', '"code"', '["why"', '{"text": "x"}', '"Bash"'):
            try:
                check(within_limits(extract(text.replace(found, other).encode())))
            except NoteError:
                continue

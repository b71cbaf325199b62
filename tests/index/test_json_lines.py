from __future__ import annotations

import json

import pytest

from notewell.errors import NoteError
from notewell.index.readers.json_lines import extract


def test_a_record_keeps_its_line() -> None:
    records = ({"id": 1, "user": {"name": "Ann"}, "tags": ["x", "y"]}, {"id": 2, "user": {"name": "Bob"}})
    text = "\n\n".join(map(json.dumps, records)) + "\n"
    assert extract(text.encode()).text == "id: 1; user.name: Ann; tags: x, y\n\nid: 2; user.name: Bob\n"


def test_a_record_of_many_values_is_one_line() -> None:
    text = json.dumps({f"key{number}": number for number in range(50)})
    assert extract(text.encode()).text.count("\n") == 0


def test_a_line_that_is_not_json_is_text_and_a_warning() -> None:
    content = extract(b'{"id": 1}\r\n{"id": 2, "na\r\n')
    assert content.text == 'id: 1\n{"id": 2, "na\n'
    assert content.warnings == ("1 line is not JSON, read as text: line 2",)
    assert extract(b"x\n1\ny").warnings == ("2 lines are not JSON, read as text: line 1",)


def test_a_file_without_any_json_is_refused() -> None:
    with pytest.raises(NoteError, match="not JSON at line 2"):
        extract(b"\nnothing\nof the kind\n")


def test_a_record_nested_too_deep_does_not_cost_the_others() -> None:
    assert extract(b'{"id": 1}\n' + b"[" * 500).text.startswith("id: 1\n[[")


def test_an_empty_file_is_an_empty_text() -> None:
    assert extract(b"").text == ""


def test_records_with_a_type_are_not_a_transcript_for_that() -> None:
    assert extract(b'{"type": "user", "message": "hello"}').text == "type: user; message: hello"

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.cases import cases

from notewell.errors import NoteError
from notewell.index.readers.content import Content
from notewell.index.readers.json_values import extract, flatten
from notewell.redact import LINE_IN_LINE, redact, redact_text
from notewell.types.note import Note, Stamp


def content(text: str) -> Content:
    return extract(text.encode())


def flat(value: Any) -> list[str]:
    return [str(one) for one in flatten(json.dumps(value))]


def test_a_value_keeps_the_line_it_has_in_the_file() -> None:
    text = json.dumps({"servers": [{"host": "db1", "port": 5432}], "name": "home"}, indent=2)
    lines = content(text).text.split("\n")
    assert len(lines) == len(text.split("\n"))
    assert lines[3] == "servers[0].host: db1" and '"db1"' in text.split("\n")[3]
    assert lines[4] == "servers[0].port: 5432"
    assert lines[7] == "name: home" and '"home"' in text.split("\n")[7]


def test_values_that_share_a_line_share_it_in_the_text() -> None:
    assert content('{\n"a": 1, "b": {"c": "x y"}\n}').text == "\na: 1; b.c: x y\n"


def test_a_file_without_lines_has_one_value_a_line() -> None:
    records = [{"id": number, "city": f"town {number}"} for number in range(30)]
    lines = content(json.dumps({"all": records})).text.split("\n")
    assert lines[:2] == ["all[0].id: 0", "all[0].city: town 0"]
    assert len(lines) == 60


def test_a_short_list_on_one_line_stays_one() -> None:
    assert content('{"tags": ["a", "b", true, null, 1.5]}').text == "tags: a, b, true, null, 1.5"
    assert flat({"words": ["long" * 60, "short"]}) == [f"words[0]: {'long' * 60}", "words[1]: short"]


def test_a_list_that_contains_more_than_values_does_not_become_one_line() -> None:
    assert flat([1, [2, 3], {"a": 4}]) == ["[0]: 1", "[1]: 2, 3", "[2].a: 4"]


def test_a_list_over_several_lines_keeps_them() -> None:
    assert content('{"a": [\n1,\n2]}').text == "\na[0]: 1\na[1]: 2"


def test_comments_and_a_last_comma_are_let_pass_and_comments_kept() -> None:
    text = '{\n  // where it is\n  "a": 1, /* since\n  May */\n  "b": [2, 3,],\n}'
    assert content(text).text.split("\n") == ["", "// where it is", "a: 1; /* since", "May */", "b: 2, 3", ""]


def test_small_mistakes_in_json_are_accepted() -> None:
    text = '\ufeff{"big": ' + "9" * 5000 + ', "same": NaN, "same": -Infinity, "tab": "a\tb"}'
    lines = content(text.replace(", ", ",\n")).text.split("\n")
    assert lines == ["big: … (5,000 characters left out)", "same: NaN", "same: -Infinity", "tab: a b"]


def test_several_values_one_after_the_other_are_all_read() -> None:
    assert content('{"a": 1}\n{"a": 2}\n').text == "a: 1\na: 2\n"


def test_escapes_are_read_and_a_value_is_one_line() -> None:
    assert flat({"a\nb": 'x\ny\u2028z "q" \u00e9\\'}) == [f'a b: x{LINE_IN_LINE}y{LINE_IN_LINE}z "q" é\\']


def test_empty_things_leave_no_value_but_empty_texts_do() -> None:
    assert flat({"a": {}, "b": [], "c": "", "d": None}) == ["c:", "d: null"]
    assert content("").text == "" and content("{}").text == "" and content("7").text == "7"


def test_a_picture_in_letters_is_shortened_and_prose_is_not() -> None:
    picture, prose = "data:image/png;base64," + "A" * 5000, "word " * 1000
    assert flat({"a": picture, "b": prose}) == [
        "a: data:image/png;base64, … (5,000 characters left out)",
        f"b: {prose.strip()}",
    ]


@cases(
    ("text", "line"),
    [
        ('{\n"a": 1\n"b": 2}', 3),
        ('{"a": }', 1),
        ('{"a"\n: 1', 2),
        ("[1, 2\n}", 2),
        ("[,]", 1),
        ("[1]]", 1),
        ('{"a": tru}', 1),
        ('\n\n"open', 3),
        ('{"a": "\\x"}', 1),
        ('{1: "a"}', 1),
        ('{"a": 1, , }', 1),
        ("<html>", 1),
        ('"a": 1', 1),
        ("[1 2]", 1),
        ("/* open", 1),
    ],
)
def test_a_file_that_is_not_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(NoteError, match=f"^not JSON at line {line}$"):
        content(text)


def test_values_nested_too_deep_are_refused_without_recursion() -> None:
    with pytest.raises(NoteError, match="100 deep"):
        content("[" * 1_000_000)
    assert content("[" * 100 + "]" * 100).text == ""


def test_long_keys_in_one_another_do_not_fill_the_memory() -> None:
    key = json.dumps("k" * 10_000)
    text = f"{{{key}: " * 99 + "[" + ",".join(["1"] * 100_000) + "]" + "}" * 99
    with pytest.raises(NoteError, match="32,000,000 characters"):
        content(text)


@cases("encoding", ["utf-8-sig", "utf-16"])
def test_other_encodings_are_read_by_their_mark(encoding: str) -> None:
    assert extract('{"town": "Zürich"}'.encode(encoding)).text == "town: Zürich"


def test_a_password_of_several_words_is_still_known_for_one() -> None:
    phrase = " ".join(["correct", "horse", "battery"])
    text = content(json.dumps({"db": {"password": phrase, "user": "ann lee"}}, indent=1)).text
    assert text.split("\n")[2:4] == [f'db.password: "{phrase}"', "db.user: ann lee"]
    assert phrase not in redact(Note("a.json", text, Stamp(0, 0))).text


@cases("key", ["contraseña", "wifi_psk", "Kennwort", "db.password2"])
def test_a_secret_of_several_words_is_redacted_under_every_label(key: str) -> None:
    phrase = " ".join(["dos", "palabras-99"])
    text = content(json.dumps({key: phrase, "user": "ann"}, ensure_ascii=False)).text
    assert text == f'{key}: "{phrase}"; user: ann'
    assert phrase not in redact_text(text)[0]


@cases("end", ["\\", '"', "'\"`", "\\\\", "'\"`\\"])
def test_a_secret_that_ends_in_an_odd_character_is_redacted(end: str) -> None:
    phrase = " ".join(["two", "words-99"])
    text = content(json.dumps({"password": phrase + end, "user": "ann", "town": 'Bern "B"'})).text
    assert phrase in text and "words-99" not in redact_text(text)[0] and "user: ann" in redact_text(text)[0]


@cases("indent", [None, 1])
def test_each_secret_of_a_list_follows_its_label(indent: int | None) -> None:
    phrases = [" ".join(["two", "words-99"]), "-".join(["three", "more", "88"])]
    text = content(json.dumps({"passwords": phrases, "tags": ["a", "b"]}, indent=indent)).text
    assert [line for line in re.split("; |\n", text) if "pass" in line] == [f'passwords: "{one}"' for one in phrases]
    assert not any(phrase in redact_text(text)[0] for phrase in phrases)


def test_a_private_key_inside_of_a_value_is_still_known_for_one() -> None:
    label, body = "PRIVATE " + "KEY", "\n".join(["Ab1+" * 16] * 20)
    key = f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"
    text = content(json.dumps({"type": "service", "private_key": key})).text
    assert "Ab1+" in text
    assert "Ab1+" not in redact(Note("a.json", text, Stamp(0, 0))).text


def test_a_quoted_value_contains_no_quote_of_the_same_kind() -> None:
    assert flat({"secret": 'a "b" c'}) == ["secret: 'a \"b\" c'"]
    assert flat({"secret": "a \"b\" 'c' `d`"}) == ['secret: "a \\"b\\" \'c\' `d`"']
    assert flat({"author": "Ann"}) == ["author: Ann"]


def test_a_detected_encoding_of_an_export_is_a_warning() -> None:
    export = {"chat_messages": [{"sender": "human", "text": "Grüße aus Köln, schöne Mädchen und große Bäume"}]}
    text = json.dumps(export, ensure_ascii=False)
    found = extract(text.encode("cp1252"))
    assert found.parts and found.warnings == ("read as Windows-1252",)

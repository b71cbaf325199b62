from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell import Vault
from notewell.errors import NoteError
from notewell.index.readers.text import decode, extract

GERMAN = "Grüße aus der Bäckerei: das Brot ruht über Nacht.\n"


@cases(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf# Bees\n", "# Bees\n"),
        (b"one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        (b"one\rtwo\r", "one\ntwo\n"),
        ("日本語 🐝".encode(), "日本語 🐝"),
        ("bees".encode("utf-16"), "bees"),
        (b"\xfe\xff" + "日本語 🐝".encode("utf-16-be"), "日本語 🐝"),
        ("bees 🐝".encode("utf-32"), "bees 🐝"),
        (b"\x1b[31mred\x1b[0m, as in a log\n", "\x1b[31mred\x1b[0m, as in a log\n"),
        (b"", ""),
        (b"\xef\xbb\xbf", ""),
    ],
)
def test_bytes_become_text(data: bytes, text: str) -> None:
    assert decode(data) == (text, ())


@cases(
    ("encoding", "name"),
    [
        ("latin-1", "Windows-1252"),
        ("mac_roman", "Mac Roman"),
        ("cp850", "DOS 850"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
    ],
)
def test_a_text_that_does_not_say_its_encoding_is_read_with_a_warning(encoding: str, name: str) -> None:
    assert decode(GERMAN.encode(encoding)) == (GERMAN, (f"read as {name}",))


def test_japanese_is_read_in_each_of_its_encodings() -> None:
    text = "パンの生地は一晩ゆっくり休ませます。\n"
    for encoding, name in (("cp932", "Shift-JIS"), ("euc_jp", "EUC-JP"), ("iso2022_jp", "ISO-2022-JP")):
        assert decode(text.encode(encoding)) == (text, (f"read as {name}",))


def test_the_warning_comes_with_the_content() -> None:
    assert extract(b"caf\xe9").warnings == ("read as Windows-1252",)


def test_old_line_ends_are_repaired_in_old_encodings_too() -> None:
    assert decode("Grüße\rund Küsse\r".encode("mac_roman"))[0] == "Grüße\nund Küsse\n"


@cases(
    ("data", "fact"),
    [
        (b"\x89PNG\r\n\0\0", "not text: contains zero bytes"),
        (b"bees\0", "not text: contains zero bytes"),
        (b"bees and \0\0", "not text: contains zero bytes"),
        ("bees\0bees".encode("utf-16"), "not text: contains zero bytes"),
        (bytes(range(1, 9)) * 4, "not text: full of control characters"),
        (b"\xff\xfe\xfd", "damaged: UTF-16, but not at byte 2"),
        (GERMAN.encode("cp1252") * 5_000 + b"\x81", "damaged: Windows-1252, but not at byte 250,000"),
        (random.Random(5).randbytes(4_000).replace(b"\0", b""), "not text: "),
    ],
)
def test_bytes_that_are_not_text_are_named_with_the_reason(data: bytes, fact: str) -> None:
    with pytest.raises(NoteError) as caught:
        decode(data)
    assert fact in caught.value.fact
    assert caught.value.hint


def test_no_error_quotes_the_file() -> None:
    with pytest.raises(NoteError) as caught:
        decode(b"hunter2\0 hunter2 \xff")
    assert "hunter2" not in caught.value.fact + caught.value.hint


def test_a_few_damaged_bytes_cost_themselves_alone() -> None:
    text, warnings = decode(GERMAN.encode() * 9 + b"\xc3")
    assert text == GERMAN * 9 + "\ufffd"
    assert warnings == ("damaged: not UTF-8 at byte 486; such bytes are left out",)
    text, warnings = decode(GERMAN.encode() * 5_000 + b"\xff" + GERMAN.encode() * 5_000)
    assert len(text) == 10_000 * len(GERMAN) + 1 and "byte 270,000" in warnings[0]


@given(st.text(st.characters(codec="utf-8", categories=("L", "M", "N", "P", "S", "Z"))))
def test_utf_8_is_decoded_as_it_is(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode()) == (text, ())


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_a_reason(data: bytes) -> None:
    try:
        text, _ = decode(data)
    except NoteError as error:
        assert error.hint
    else:
        assert "\0" not in text


def test_the_encoding_of_a_large_file_is_detected_by_a_part_of_it() -> None:
    data = GERMAN.encode("cp1252") * 330_000
    text, warnings = decode(data)
    assert len(text) == len(data) and warnings == ("read as Windows-1252",)


def test_notes_in_old_encodings_are_found_and_warned_about(make_vault: Callable[..., Vault]) -> None:
    files = {"brot.txt": GERMAN.encode("cp1252"), "preise.csv": "Brot;Preis\nWeißbrot;1,50\n".encode("cp1252")}
    vault = make_vault({**files, "noise.org": random.Random(1).randbytes(500).replace(b"\0", b"")})
    report = vault.index()
    assert report.added == 2
    assert {one.path: one.reason for one in report.warnings} == {
        "brot.txt": "read as Windows-1252",
        "preise.csv": "read as Windows-1252",
    }
    (first, *_) = vault.search("Weißbrot")
    assert (first.path, first.line, first.place) == ("preise.csv", 2, "row 2")
    assert first.heading.endswith("Brot;Preis")

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.errors import NoteError
from notewell.index.readers.content import Content
from notewell.index.readers.csv_rows import delimiter, extract
from notewell.types.note import Part

HEADER = "name,age,city\n"


def rows(count: int) -> str:
    return "".join(f"name {number},{number},Köln\n" for number in range(count))


def assert_sound(content: Content) -> None:
    lines = content.text.count("\n") + 1
    numbers = [part.line for part in content.parts]
    assert numbers == sorted(set(numbers))
    assert all(1 <= line <= lines for part in content.parts for line in (part.line, *part.under))


def test_records_form_runs_of_twenty_under_their_header() -> None:
    text = HEADER + rows(45)
    assert extract(text.encode()) == Content(
        text, (Part(2, "rows 2-21", (1,)), Part(22, "rows 22-41", (1,)), Part(42, "rows 42-46", (1,)))
    )


def test_records_of_several_lines_count_once() -> None:
    text = '"name\nof it",note\n' + "".join(f'name {number},"one\n\ntwo"\n' for number in range(21))
    assert extract(text.encode()).parts == (Part(3, "rows 2-21", (1, 2)), Part(63, "row 22", (1, 2)))


def test_numbers_alone_have_no_header() -> None:
    assert extract(b"1,2\n3,4\n").parts == (Part(1, "rows 1-2"),)


def test_a_name_above_the_header_heads_the_rows_as_well() -> None:
    assert extract(b"Stanley Cups,,\nTeam,City,Cups\nBlues,STL,1\n").parts == (Part(3, "row 3", (1, 2)),)


def test_more_lines_above_the_header_are_a_part_of_their_own() -> None:
    text = "A report\nof\nmany\nlines\n\nTeam,City\nBlues,STL\n"
    assert extract(text.encode()).parts == (Part(1, "rows 1-4"), Part(7, "row 7", (6,)))


def test_a_header_without_rows_is_a_row() -> None:
    assert extract(HEADER.encode()) == Content(HEADER, (Part(1, "row 1"),))


@cases("text", ["", "\n", "\n\n \n"])
def test_an_empty_file_has_no_part(text: str) -> None:
    assert extract(text.encode()) == Content(text)


def test_blank_lines_count_as_rows_as_in_a_spreadsheet() -> None:
    assert extract(b"a,b\n\n\n1,2\n\n3,4\n\n").parts == (Part(4, "rows 4-6", (1,)),)


def test_rows_of_odd_lengths_are_rows() -> None:
    text = "a,b,c\n1,2,3\n1\n1,2,3,4,5\n1,2,3\n"
    assert extract(text.encode()).parts == (Part(2, "rows 2-5", (1,)),)


def test_one_column_is_a_table_without_header() -> None:
    assert extract(b"name\nJane\nJohn\n").parts == (Part(1, "rows 1-3"),)


@cases(
    ("text", "sign"),
    [
        ("Name;Preis\nRoggen;1,50\nHafer;2,20\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("Name;Preis;Text\nRoggen;1,50;gut, billig\nHafer;2,20;teuer\n", ";"),
        ("a\tb\n1,5\t2\n", "\t"),
        ("a|b\n1|2, 3\n", "|"),
        ('a,b\n"1;2;3",4\n"5;6;7",8\n', ","),
        ("a,b,c\n1,2\n1,2,3\n1,2,3\n", ","),
        ("Lorem, ipsum; dolor; amet\nsed; elit; et\nut, do; tempor; a\n", ";"),
        ("one\ntwo\n", ","),
        ("", ","),
        ('a,b\n"x\ny;z",2\n', ","),
    ],
)
def test_the_delimiter_is_found(text: str, sign: str) -> None:
    assert delimiter(text) == sign


def test_a_declared_delimiter_is_used_and_is_not_a_row() -> None:
    content = extract(b"sep=;\r\nname;age, city\r\nJane;12, Rome\r\n")
    assert content.parts == (Part(3, "row 2", (2,)),)
    assert content.text.startswith("sep=;")


def test_a_quotation_mark_that_is_never_closed_swallows_no_rows() -> None:
    text = HEADER + rows(30) + '"5 inches,1,Rome\n' + rows(40)
    content = extract(text.encode())
    assert [part.name for part in content.parts] == ["rows 2-21", "rows 22-41", "rows 42-61", "rows 62-72"]
    assert [part.line for part in content.parts] == [2, 22, 42, 62]


def test_other_encodings_and_line_ends_are_read() -> None:
    content = extract("Größe;Maß\r\nfünf;süß\r\n".encode("cp1252"))
    assert content == Content("Größe;Maß\r\nfünf;süß\r\n", (Part(2, "row 2", (1,)),), "", ("read as Windows-1252",))
    assert extract(b"a,b\r1,2\r").parts == (Part(2, "row 2", (1,)),)
    assert extract(b"a,b\n1\r1,2\n").parts == (Part(2, "row 2", (1,)),)


def test_one_field_may_be_as_long_as_the_file() -> None:
    text = "a,b\n1," + "x" * 5_000_000 + "\n"
    assert extract(text.encode()).parts == (Part(2, "row 2", (1,)),)


def test_very_many_rows_are_read() -> None:
    content = extract(b"a,b\n" + b"1,2\n" * 100_000)
    assert len(content.parts) == 5_000 and content.parts[-1] == Part(99_982, "rows 99982-100001", (1,))


def test_a_file_too_long_is_read_up_to_a_row_and_says_so() -> None:
    content = extract(b"a,b\n" + b"1,2\n" * 100, most=30)
    assert content == Content(
        "a,b\n" + "1,2\n" * 6,
        (Part(2, "rows 2-7", (1,)),),
        "",
        ("only the first 30 characters are read, up to rows 2-7",),
    )

    line = Content("a" * 30, (Part(1, "row 1"),), "", ("only the first 30 characters are read, up to row 1",))
    assert extract(b"a" * 31, most=30) == line


def test_a_binary_file_is_not_a_table() -> None:
    with pytest.raises(NoteError, match="not text"):
        extract(b"PK\x03\x04\0\0a,b\n")


@given(st.text(st.sampled_from('ab1,;\t|"\n\r é'), max_size=300))
def test_any_text_keeps_all_of_itself(text: str) -> None:
    content = extract(text.encode())
    assert content.text.replace("\r", "\n") == text.replace("\r", "\n")
    assert_sound(content)


def test_damaged_files_have_sound_parts_or_a_reason() -> None:
    made = (HEADER + 'x,"two\nlines",é\n' + rows(30)).encode()
    for seed in range(200):
        chance = random.Random(seed)
        data = bytearray(made)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randrange(50)]
                case 2:
                    data[at:at] = chance.randbytes(3)
                case _:
                    data[at:at] = data[at : at + 40]
        try:
            assert_sound(extract(bytes(data)))
        except NoteError as error:
            assert error.hint

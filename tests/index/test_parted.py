from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.parted import chunk, parse
from notewell.types.note import Chunk, Note, Part, Stamp

ROW = "a row of twenty characters"


def chunks(text: str, *parts: Part, title: str = "") -> list[Chunk]:
    return chunk(parse(Note("data/rye.csv", text, Stamp(0, 0), title, parts=parts)), ChunkRules())


def seen(found: list[Chunk]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.text, one.place, one.headings) for one in found]


def test_each_part_is_a_chunk_under_the_lines_that_head_it() -> None:
    text = f"[Sheet: one]\nname,age\n{ROW} 1\n{ROW} 2\n\n[Sheet: two]\ncity\n{ROW} 3\n"
    found = chunks(text, Part(3, "rows 2-2", (1, 2)), Part(4, "rows 3-3", (1, 2)), Part(8, "rows 2-2", (6, 7)))
    assert seen(found) == [
        (f"{ROW} 1", "rows 2-2", ("[Sheet: one]", "name,age")),
        (f"{ROW} 2", "rows 3-3", ("[Sheet: one]", "name,age")),
        (f"{ROW} 3", "rows 2-2", ("[Sheet: two]", "city")),
    ]
    assert [(one.line, one.end_line) for one in found] == [(3, 3), (4, 4), (8, 8)]


def test_the_title_is_the_one_beside_the_text_or_the_files_name() -> None:
    assert chunks(ROW, title="Talk")[0].title == "Talk"
    assert chunks(ROW)[0].title == "rye"


@cases("text", ["name,age\n", "x"])
def test_a_text_without_parts_is_a_chunk(text: str) -> None:
    assert seen(chunks(text)) == [(text.strip(), "", ())]


def test_an_empty_text_is_a_chunk_without_text() -> None:
    assert seen(chunks("\n")) == [("", "", ())]


def test_the_text_before_the_first_part_is_not_lost() -> None:
    text = f"Made by hand\n\nname,age\n{ROW}\n"
    assert seen(chunks(text, Part(4, "rows 2-2", (3,)))) == [
        ("Made by hand", "", ()),
        (ROW, "rows 2-2", ("name,age",)),
    ]


def test_a_short_part_joins_its_neighbour() -> None:
    text = f"a\n{ROW}\nb\nc\n"
    parts = tuple(Part(line, f"slide {line}") for line in (1, 2, 3, 4))
    assert seen(chunks(text, *parts)) == [(f"a\n{ROW}\nb\nc", "slide 1 to slide 4", ())]


def test_a_short_part_alone_under_its_headings_is_a_chunk() -> None:
    text = "one\n1,2\ntwo\n3,4\n"
    assert seen(chunks(text, Part(2, "row 2", (1,)), Part(4, "row 2", (3,)))) == [
        ("1,2", "row 2", ("one",)),
        ("3,4", "row 2", ("two",)),
    ]


def test_a_header_too_long_for_a_heading_is_a_chunk_as_well() -> None:
    header = ",".join(f"column {number}" for number in range(40))
    found = chunks(f"{header}\n{ROW}\n", Part(2, "row 2", (1,)))
    assert seen(found) == [(header, "", ()), (ROW, "row 2", (header[:200],))]


def test_a_part_without_text_does_not_take_its_header_along() -> None:
    assert seen(chunks("name,age\n\n", Part(2, "row 2", (1,)))) == [("name,age", "", ())]


def test_a_long_part_is_cut_at_lines() -> None:
    text = "name\n" + f"{ROW}\n" * 200
    found = chunks(text, Part(2, "rows 2-201", (1,)))
    assert len(found) == 3
    assert all(len(one.text) <= 2000 and set(one.text.split("\n")) == {ROW} for one in found)
    assert all(one.place == "rows 2-201" and one.headings == ("name",) for one in found)


def test_one_enormous_part_and_very_many_small_ones_come_to_an_end() -> None:
    # Looking at all lines for each part, or at all the rest for each cut, would be 400,000,000 steps and more.
    assert len(chunks("x" * 2_000_000, Part(1, "row 1"))) == 1_000
    many = tuple(Part(line, f"row {line}", (1,)) for line in range(2, 20_002))
    assert len(chunks("name\n" + f"{ROW}\n" * 20_000, *many)) == 20_000


LINES = st.lists(st.sampled_from(["", "a", "b c", ROW, "é" * 300]), min_size=1, max_size=30)


@given(LINES, st.data())
def test_every_character_is_in_a_chunk_or_in_its_headings(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    begins = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=6)))
    parts = [
        Part(line, f"row {line}", tuple(sorted(data.draw(st.sets(st.integers(1, line - 1), max_size=2)))))
        if line > 1
        else Part(line, f"row {line}")
        for line in begins
    ]
    found = chunks(text, *parts)
    covered = {line for one in found for line in range(one.line, one.end_line + 1)}
    named = {heading for one in found for heading in one.headings}
    assert all(number in covered or not line or line in named for number, line in enumerate(lines, 1))
    assert all(text[one.start : one.end] == one.text for one in found)

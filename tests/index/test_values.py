from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from notewell.index.chunk import ChunkRules
from notewell.index.readers.json_values import extract
from notewell.index.shapes import values
from notewell.types.note import Chunk, Note, Part, Stamp


def chunks(text: str, max_chars: int = 2000) -> list[Chunk]:
    note = values.parse(Note("box/config.json", text, Stamp(0, 0)))
    return values.chunk(note, ChunkRules(max_chars=max_chars))


def lines(*written: str) -> str:
    return "\n".join(written)


def test_a_small_file_is_one_chunk_under_its_name() -> None:
    (chunk,) = chunks("\na: 1\n\nb: 2\n")
    assert (chunk.text, chunk.line, chunk.end_line, chunk.heading) == ("a: 1\n\nb: 2", 2, 4, "config")


def test_records_stay_whole_and_head_their_chunk() -> None:
    text = lines(*(f"servers[{n}].{key}: {'x' * 20}" for n in range(3) for key in ("host", "port", "user")))
    found = chunks(text, 150)
    assert [chunk.headings for chunk in found] == [("servers[0]",), ("servers[1]",), ("servers[2]",)]
    assert found[0].heading == "config > servers[0]"


def test_several_records_in_one_chunk_have_their_common_keys_as_heading() -> None:
    text = lines(*(f"servers[{n}].host: {'x' * 20}" for n in range(10)), "name: home")
    assert [chunk.headings for chunk in chunks(text, 210)] == [("servers",), ()]


def test_a_chunk_ends_where_the_topmost_key_changes() -> None:
    text = lines(*(f"one.k{n}: {'x' * 10}" for n in range(4)), *(f"two.k{n}: {'y' * 10}" for n in range(8)))
    assert [chunk.headings for chunk in chunks(text, 160)] == [("one",), ("two",)]


def test_a_long_value_is_cut_under_its_whole_path() -> None:
    found = chunks("a.b: " + "word " * 100 + "\nc: 1", 200)
    assert {chunk.headings for chunk in found[:3]} == {("a.b",)}
    assert (found[-1].text, found[-1].headings) == ("c: 1", ("c",))


def test_values_on_one_line_have_their_common_keys_as_heading() -> None:
    (chunk,) = chunks("servers[0].host: db1; servers[0].port: 5432")
    assert chunk.headings == ("servers[0]",)
    (chunk,) = chunks("id: 1; name: Ann; note: see below; it says: nothing")
    assert chunk.headings == ()


def test_a_comment_belongs_to_the_value_below_it() -> None:
    text = lines(f"one.a: {'x' * 40}", f"one.b: {'x' * 40}", "# on the second", "// and on", f"two.a: {'y' * 60}")
    assert [chunk.text.split("\n")[0] for chunk in chunks(text, 110)] == [f"one.a: {'x' * 40}", "# on the second"]
    assert [chunk.headings for chunk in chunks(text, 110)] == [("one",), ("two.a",)]


def test_lines_of_a_text_belong_to_the_key_above() -> None:
    text = lines("job.script:", "  make: all", "  # twice", "  make test", "job.name: x")
    (chunk,) = chunks(text)
    assert chunk.headings == ("job",)


def test_comments_alone_are_a_chunk() -> None:
    (chunk,) = chunks("# nothing but\n# comments\n")
    assert (chunk.text, chunk.headings) == ("# nothing but\n# comments", ())


def test_an_empty_file_is_a_chunk_without_text() -> None:
    (chunk,) = chunks("")
    assert (chunk.text, chunk.title) == ("", "config")


def test_a_chat_is_cut_at_its_turns() -> None:
    text = "# Bread (2025-01-25)\nHuman: why is it flat?\n\nHuman: and what now, then?"
    parts = (Part(2, "turn 1", (1,)), Part(4, "turn 2", (1,)))
    note = values.parse(Note("a.json", text, Stamp(0, 0), "Bread (2025-01-25)", parts=parts))
    found = values.chunk(note, ChunkRules())
    assert [(chunk.place, chunk.heading) for chunk in found] == [
        ("turn 1", "Bread (2025-01-25)"),
        ("turn 2", "Bread (2025-01-25)"),
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=40,
)


@given(VALUES, st.sampled_from([None, 2]), st.integers(40, 300))
def test_chunks_hold_every_value_once_and_in_order(value: object, indent: int | None, max_chars: int) -> None:
    text = extract(json.dumps(value, indent=indent).encode("utf-8", "replace")).text
    found = chunks(text, max_chars)
    assert "".join("".join(chunk.text for chunk in found).split()) == "".join(text.split())
    assert all(len(chunk.text) <= max_chars for chunk in found)
    for chunk in found:
        assert chunk.text in lines(*text.split("\n")[chunk.line - 1 : chunk.end_line])

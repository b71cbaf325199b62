from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.bounded import run_within
from tests.cases import cases

from notewell.index.chunk import ChunkRules
from notewell.index.shapes.plain import chunk, parse, runs
from notewell.types.note import Chunk, Note, Part, Stamp

TEXT = st.text(st.sampled_from("aab .\n\n。é-\r"), max_size=600)


def chunks(text: str, parts: tuple[Part, ...] = ()) -> list[Chunk]:
    return chunk(parse(Note("letters/rye.txt", text, Stamp(0, 0), parts=parts)), ChunkRules())


def sentences(count: int, about: str = "rye") -> str:
    return " ".join(f"Sentence {number} says a little more of {about}." for number in range(count))


def test_a_short_text_is_one_chunk_named_after_its_file() -> None:
    (only,) = chunks("\n\nA loaf.\n\n")
    assert (only.text, only.line, only.end_line, only.start, only.end) == ("A loaf.", 3, 3, 2, 9)
    assert (only.title, only.headings, only.heading) == ("rye", (), "rye")


@cases("text", ["", " \n\t\n "])
def test_an_empty_text_is_a_chunk_without_text(text: str) -> None:
    assert [(found.text, found.title) for found in chunks(text)] == [("", "rye")]


def test_paragraphs_are_merged_up_to_a_thousand_characters() -> None:
    paragraphs = [sentences(11, about) for about in ("rye", "bees", "tea", "moss", "snow")]
    found = chunks("\n\n".join(paragraphs))
    assert [piece.count("Sentence 10") for piece in (one.text for one in found)] == [2, 3, 2]
    assert all(len(one.text) <= 1000 for one in found)
    assert found[0].text == "\n\n".join(paragraphs[:2])


def test_a_chunk_begins_with_the_last_sentences_of_the_one_before() -> None:
    first, second, *_ = chunks(sentences(80))
    shared = next(length for length in range(100, 0, -1) if first.text.endswith(second.text[:length]))
    assert 40 < shared <= 100
    assert second.text.startswith("Sentence ") and first.text.endswith(".")


def test_where_sentences_are_long_the_overlap_begins_at_a_word() -> None:
    first, second, *_ = chunks("some words without an end " * 100)
    shared = next(length for length in range(100, 0, -1) if first.text.endswith(second.text[:length]))
    assert 80 < shared <= 100
    assert second.text.split()[0] in ("some", "words", "without", "an", "end")


def test_a_paragraph_that_ends_in_a_long_sentence_is_not_repeated_from_its_middle() -> None:
    long = "word " * 150 + "end."
    _, second = chunks(f"{long}\n\n{sentences(12)}")
    assert second.text.startswith("Sentence 0")


def test_a_rest_too_short_for_a_chunk_joins_the_one_before() -> None:
    text = sentences(24) + "\n\nThe end."
    assert [one.text.endswith("The end.") for one in chunks(text)][-1]
    assert all(len(one.text) >= 100 for one in chunks(text))


def test_wrapped_lines_are_cut_at_sentences_and_not_at_lines() -> None:
    text = re.sub(r"(.{60}\S*) ", r"\1\n", sentences(60))
    assert all(one.text.endswith(".") for one in chunks(text))


def test_a_list_without_sentences_is_cut_at_lines() -> None:
    text = "\n".join(f"item number {number} on the list" for number in range(200))
    assert all(re.fullmatch(r"item number \d+ on the list", one.text.split("\n")[-1]) for one in chunks(text))


def test_windows_line_ends_are_as_good() -> None:
    paragraphs = [sentences(11, about) for about in ("rye", "bees", "tea")]
    found = chunks("\r\n\r\n".join(paragraphs))
    assert found[0].text == "\r\n\r\n".join(paragraphs[:2])
    assert (found[0].line, found[0].end_line, found[1].end_line) == (1, 3, 5)


def test_japanese_is_cut_at_its_sentences() -> None:
    found = chunks("パンの生地は一晩ゆっくり休ませます。" * 200)
    assert all(one.text.endswith("。") and one.text.startswith("パン") for one in found)


def test_a_chunk_that_crosses_pages_names_both() -> None:
    text = f"{sentences(5)}\n\n{sentences(5)}\n\n{sentences(30)}"
    found = chunks(text, (Part(1, "page 1"), Part(3, "page 2"), Part(5, "page 3")))
    assert found[0].place == "page 1 to page 2"
    assert found[-1].place == "page 3"


def test_a_smaller_limit_of_the_user_applies_here_too() -> None:
    note = parse(Note("a.txt", sentences(80), Stamp(0, 0)))
    assert all(len(one.text) <= 330 for one in chunk(note, ChunkRules(max_chars=300)))


def test_words_far_apart_cause_no_overlap_of_blanks() -> None:
    assert [one.text for one in chunks("one" + " " * 5_000 + "two" + "\n" * 5_000 + "three")] == ["one", "two", "three"]


@given(TEXT, st.integers(1, 120))
def test_every_character_that_can_be_seen_is_in_a_chunk(text: str, length: int) -> None:
    covered = [False] * len(text)
    before = None
    for run in runs(text, length):
        assert 0 < run.end - run.start <= length + length // 10
        # Each run goes further than the one before, and repeats at most a tenth of a run.
        assert before is None or (run.start > before.start and run.end > before.end)
        assert before is None or before.end - run.start <= length // 10
        covered[run.start : run.end] = [True] * (run.end - run.start)
        before = run
    assert all(there or sign.isspace() for there, sign in zip(covered, text, strict=True))


@given(TEXT, st.integers(20, 120))
def test_an_overlap_never_begins_within_a_word(text: str, length: int) -> None:
    end = 0
    for run in runs(text, length):
        if run.start < end:
            assert text[run.start - 1].isspace() or text[run.start - 1] in "。"
            assert not text[run.start].isspace()
        end = run.end


@given(TEXT)
def test_lines_and_offsets_are_those_of_the_text(text: str) -> None:
    for one in chunks(text):
        assert text[one.start : one.end] == one.text
        assert one.line == text.count("\n", 0, one.start) + 1
        assert one.end_line == one.line + one.text.count("\n")


def test_a_monotonous_text_does_not_take_for_ever() -> None:
    # All take a second.
    program = """
from notewell.index.chunk import ChunkRules
from notewell.index.shapes.plain import chunk, parse
from notewell.types.note import Note, Stamp
runs = ["a", "word ", "\\n", "a\\n", "\\n ", "\\r\\n", ". ", ".", "'", "a.\\n\\n", "\\t", "。", "a" * 99 + " " * 9999]
for text in (run * (200_000 // len(run)) for run in runs):
    chunk(parse(Note("a.txt", text, Stamp(0, 0))), ChunkRules())
chunk(parse(Note("a.txt", "word " * 800_000, Stamp(0, 0))), ChunkRules())
"""
    run_within(30, program)

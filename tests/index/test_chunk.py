from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from notewell.index.chunk import ChunkRules, cut, pack, trim, windows
from notewell.types.note import Span

TEXT = st.text(st.sampled_from("ab .\n。é"), max_size=400)


def pieces(text: str, spans: list[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


@given(TEXT, st.integers(10, 60))
def test_cut_gives_the_text_back_in_pieces_that_fit(text: str, most: int) -> None:
    parts = pieces(text, list(cut(text, Span(0, len(text)), most)))
    assert "".join(parts) == text
    assert all(0 < len(part) <= most for part in parts)


def test_cut_prefers_a_line_to_a_sentence_and_a_sentence_to_a_word() -> None:
    assert pieces(lines := "aaa bbb. ccc\nddd e. f ggg", list(cut(lines, Span(0, 25), 20)))[0] == "aaa bbb. ccc\n"
    assert pieces(sentences := "aaa bbb ccc. ddd eee fff", list(cut(sentences, Span(0, 24), 20)))[0] == "aaa bbb ccc. "
    assert pieces(words := "aaa bbb ccc ddd eee fff", list(cut(words, Span(0, 23), 10)))[0] == "aaa bbb "


def test_cut_breaks_a_word_only_when_there_is_nothing_else() -> None:
    assert pieces("a" * 25, list(cut("a" * 25, Span(0, 25), 10))) == ["a" * 10, "a" * 10, "a" * 5]


def test_pack_keeps_blocks_whole_and_cuts_only_the_one_that_is_too_long() -> None:
    text = "aa" + "bbb" + "c" * 12 + "dd"
    blocks = [Span(0, 2), Span(2, 5), Span(5, 17), Span(17, 19)]
    assert pieces(text, list(pack(text, blocks, 6))) == ["aabbb", "cccccc", "cccccc", "dd"]


def test_pack_of_nothing_is_nothing() -> None:
    assert list(pack("", [], 10)) == []


def test_windows_share_words_and_reach_the_end() -> None:
    text = " ".join(f"w{number}" for number in range(10))
    spans = list(windows(text, Span(0, len(text)), ChunkRules(target_words=4, overlap_words=1)))
    assert [part.split() for part in pieces(text, spans)] == [
        ["w0", "w1", "w2", "w3"],
        ["w3", "w4", "w5", "w6"],
        ["w6", "w7", "w8", "w9"],
    ]


@given(st.integers(0, 120), st.integers(2, 30), st.data())
def test_every_word_is_in_a_window_and_neighbours_overlap_as_told(count: int, target: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(1, target - 1))
    text = " ".join(str(number) for number in range(count))
    spans = list(windows(text, Span(0, len(text)), ChunkRules(target_words=target, overlap_words=overlap)))
    parts = [part.split() for part in pieces(text, spans)]
    assert sorted({int(word) for part in parts for word in part}) == list(range(count))
    assert all(len(part) <= target for part in parts)
    assert all(before[-overlap:] == after[:overlap] for before, after in pairwise(parts))


def test_trim_of_blank_text_is_empty() -> None:
    span = trim(" \n\t ", Span(0, 4))
    assert span.start == span.end

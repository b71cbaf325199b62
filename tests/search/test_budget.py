from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.search.budget import CHARS_PER_TOKEN, fit
from notewell.types import Chunk, Hit


def hit_of(text: str, line: int = 1, path: str = "a.md") -> Hit:
    return Hit(Chunk(path, text, line, line + text.count("\n"), 0, len(text)), 1.0, {})


line_text = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=40)
chunk_text = st.lists(line_text, min_size=1, max_size=8).map("\n".join)


def test_no_budget_keeps_every_hit() -> None:
    hits = [hit_of("one"), hit_of("two")]
    assert fit(hits, 0) == hits


def test_hits_that_fit_are_kept_as_they_are() -> None:
    hits = [hit_of("12345678"), hit_of("1234")]
    assert fit(hits, 3) == hits


def test_the_last_hit_is_cut_after_a_whole_line() -> None:
    kept = fit([hit_of("one line\nand another\nand a third", line=7)], 6)
    assert [(hit.chunk.text, hit.chunk.line, hit.chunk.end_line) for hit in kept] == [("one line\nand another", 7, 8)]


def test_a_line_that_fits_to_the_last_character_is_kept() -> None:
    kept = fit([hit_of("12345678\nnext")], 2)
    assert [hit.chunk.text for hit in kept] == ["12345678"]


def test_nothing_follows_a_hit_that_was_cut() -> None:
    kept = fit([hit_of("a line that is long\nand more"), hit_of("tiny", path="b.md")], 5)
    assert [hit.chunk.path for hit in kept] == ["a.md"]


def test_a_first_line_longer_than_the_budget_leaves_nothing() -> None:
    assert fit([hit_of("a single line of forty characters or so")], 2) == []


def test_a_cut_hit_keeps_its_score_and_trace() -> None:
    hit = hit_of("one line\nand another").rescored(0.5, by="decay", why="old")
    (kept,) = fit([hit], 3)
    assert (kept.score, kept.trace) == (hit.score, hit.trace)


@given(st.lists(chunk_text, max_size=6), st.integers(1, 60), st.integers(1, 500))
@settings(deadline=None)
def test_the_budget_is_used_by_whole_lines_and_never_exceeded(texts: list[str], max_tokens: int, line: int) -> None:
    hits = [hit_of(text, line) for text in texts]
    kept = fit(hits, max_tokens)
    budget = max_tokens * CHARS_PER_TOKEN
    assert sum(len(hit.chunk.text) for hit in kept) <= budget
    for place, (before, after) in enumerate(zip(hits, kept, strict=False)):
        lines = after.chunk.text.split("\n")
        assert before.chunk.text.split("\n")[: len(lines)] == lines
        assert after.chunk.end_line == before.chunk.line + len(lines) - 1
        assert after == before or place == len(kept) - 1
    left = budget - sum(len(hit.chunk.text) for hit in kept)
    cut = bool(kept) and kept[-1] != hits[len(kept) - 1]
    following = hits[len(kept) - 1].chunk.text.split("\n")[kept[-1].chunk.text.count("\n") + 1 :] if cut else []
    if cut:
        assert len(following[0]) + 1 > left
    elif len(kept) < len(hits):
        assert len(hits[len(kept)].chunk.text.split("\n")[0]) > left

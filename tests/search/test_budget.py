from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.search.budget import CHARS_PER_TOKEN, block, context, fit
from notewell.types import Chunk, Hit


def hit_of(text: str, line: int = 1, path: str = "a.md") -> Hit:
    return Hit(Chunk(path, text, line, line + text.count("\n"), 0, len(text)), 1.0)


line_text = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=40)
chunk_text = st.lists(line_text, min_size=1, max_size=8).map("\n".join)


def test_no_budget_keeps_every_hit() -> None:
    hits = [hit_of("one"), hit_of("two")]
    assert fit(hits, 0) == hits


def test_a_block_has_the_headings_the_place_and_the_lines() -> None:
    chunk = Chunk("Garden/bees.md", "The hive hums.", 7, 7, title="Bees", headings=("Bees", "May"))
    assert block(chunk) == "### Bees > May (Garden/bees.md:7)\n\nThe hive hums.\n\n"
    assert context([Hit(chunk, 1.0), hit_of("rye")]) == block(chunk) + "###  (a.md:1)\n\nrye\n\n"
    assert context([]) == ""


def test_a_fence_that_a_chunk_leaves_open_does_not_take_in_the_next_block() -> None:
    cut, rest = hit_of("Run this:\n\n```sh\nmake all", path="a.md"), hit_of("make clean\n```\nDone.", path="b.md")
    assert context([cut, rest]) == (
        "###  (a.md:1)\n\nRun this:\n\n```sh\nmake all\n```\n\n###  (b.md:1)\n\nmake clean\n```\nDone.\n```\n\n"
    )
    whole = "~~~\n```\n~~~\n> ```\n> quoted\n> ```\nand ```code``` in a line"
    assert block(hit_of(whole).chunk) == f"###  (a.md:1)\n\n{whole}\n\n"


def test_a_fence_is_closed_by_one_as_long_as_it_is() -> None:
    assert block(hit_of("````md\n```\ninner\n```").chunk).endswith("```\n````\n\n")


def test_a_chunk_that_is_cut_inside_a_fence_is_closed_within_the_budget() -> None:
    hit = hit_of("```sh\n" + "make all\n" * 20 + "```")
    for tokens in range(8, 40):
        kept = fit([hit], tokens)
        assert len(context(kept)) <= tokens * CHARS_PER_TOKEN
        assert context(kept).count("```") in (0, 2)
    assert len(fit([hit], 20)[0].chunk.text.splitlines()) > 3


def test_a_heading_of_several_lines_is_one_line_of_a_block() -> None:
    assert block(Chunk("a.md", "rye", 1, 1, title="Bread\nand salt")) == "### Bread and salt (a.md:1)\n\nrye\n\n"


def test_hits_whose_blocks_fit_are_kept_as_they_are() -> None:
    # Each block has 17 characters beside its text: 46 of the 48 are used.
    hits = [hit_of("12345678"), hit_of("1234")]
    assert fit(hits, 12) == hits
    assert fit(hits, 11) == hits[:1]


def test_the_last_hit_is_cut_after_a_whole_line() -> None:
    kept = fit([hit_of("one line\nand another\nand a third", line=7)], 10)
    assert [(hit.chunk.text, hit.chunk.line, hit.chunk.end_line) for hit in kept] == [("one line\nand another", 7, 8)]


def test_a_line_that_fits_to_the_last_character_is_kept() -> None:
    hit = hit_of("12345678901\nnext")
    (kept,) = fit([hit], 7)
    assert kept.chunk.text == "12345678901"
    assert len(block(kept.chunk)) == 7 * CHARS_PER_TOKEN
    assert fit([hit_of("123456789012\nnext")], 7) == []


def test_nothing_follows_a_hit_that_was_cut_even_where_it_would_fit() -> None:
    hits = [hit_of("a line that is long\n" + "and more " * 20), hit_of("tiny", path="b.md")]
    kept = fit(hits, 20)
    assert [hit.chunk.path for hit in kept] == ["a.md"]
    assert len(context(kept)) + len(block(hits[1].chunk)) <= 20 * CHARS_PER_TOKEN


def test_a_first_line_longer_than_the_budget_leaves_nothing() -> None:
    assert fit([hit_of("a single line of forty characters or so")], 12) == []


def test_a_budget_smaller_than_a_heading_leaves_nothing() -> None:
    assert fit([hit_of("rye\nbread")], 2) == []


def test_a_cut_hit_keeps_its_score_and_trace_and_where_its_chunk_ends_in_the_file() -> None:
    hit = hit_of("one line\nand another").rescored(0.5, by="decay", why="old")
    (kept,) = fit([hit], 7)
    assert kept.chunk.text == "one line"
    assert (kept.score, kept.trace) == (hit.score, hit.trace)
    assert (kept.chunk.start, kept.chunk.end, kept.chunk.end_line) == (hit.chunk.start, hit.chunk.end, 1)


@given(st.lists(chunk_text, max_size=6), st.integers(1, 60), st.integers(1, 500))
@settings(deadline=None)
def test_the_budget_is_used_by_whole_lines_and_never_exceeded(texts: list[str], max_tokens: int, line: int) -> None:
    hits = [hit_of(text, line) for text in texts]
    kept = fit(hits, max_tokens)
    left = max_tokens * CHARS_PER_TOKEN - len(context(kept))
    assert left >= 0
    for place, (before, after) in enumerate(zip(hits, kept, strict=False)):
        lines = after.chunk.text.split("\n")
        assert before.chunk.text.split("\n")[: len(lines)] == lines
        assert after.chunk.end_line == before.chunk.line + len(lines) - 1
        assert after == before or place == len(kept) - 1
    cut = bool(kept) and kept[-1] != hits[len(kept) - 1]
    if cut:
        following = hits[len(kept) - 1].chunk.text.split("\n")[kept[-1].chunk.text.count("\n") + 1 :]
        assert len(following[0]) + 1 > left
    elif len(kept) < len(hits):
        left_out = hits[len(kept)].chunk
        around = len(block(left_out)) - len(left_out.text)
        assert around + len(left_out.text.split("\n")[0]) > left

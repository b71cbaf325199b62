from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.search.excerpt import LONGEST, make_excerpt
from notewell.search.plan import make_plan
from notewell.types import Chunk, Excerpt, Hit


def excerpt_of(text: str, query: str, line: int = 1) -> Excerpt:
    chunk = Chunk("a.md", text, line, line + text.count("\n"), 0, len(text))
    return make_excerpt(Hit(chunk, 1.0, {}), make_plan(query))


def marked(excerpt: Excerpt) -> list[str]:
    return [excerpt.text[start:end] for start, end in excerpt.highlights]


BREAD = """## Crumb

The crumb was dense. I blame the cold kitchen.
Next time I let the dough rise longer. Salt was fine.

A warm oven gives the dough its spring. Steam helps the crust.
"""


def test_the_two_sentences_with_most_terms_come_in_the_order_of_the_note() -> None:
    excerpt = excerpt_of(BREAD, "warm oven for dough, cold kitchen to blame")
    assert excerpt.text == "I blame the cold kitchen.\nA warm oven gives the dough its spring."


def test_line_numbers_are_those_of_the_file() -> None:
    excerpt = excerpt_of(BREAD, "cold kitchen spring", line=41)
    assert (excerpt.line, excerpt.end_line) == (43, 46)
    lines = BREAD.split("\n")
    first, last = excerpt.text.split("\n")
    assert first in lines[excerpt.line - 41]
    assert last in lines[excerpt.end_line - 41]


def test_a_sentence_without_terms_is_not_added_to_one_that_has_them() -> None:
    excerpt = excerpt_of(BREAD, "salt")
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("Salt was fine.", 4, 4)


def test_highlights_cover_the_terms_whatever_their_ending() -> None:
    excerpt = excerpt_of("The loaves rise. Nothing else does.", "rising LOAF loaves")
    assert marked(excerpt) == ["loaves", "rise"]


def test_highlights_after_a_line_break_still_cover_their_words() -> None:
    excerpt = excerpt_of(BREAD, "cold kitchen, warm oven")
    assert marked(excerpt) == ["cold", "kitchen", "warm", "oven"]


def test_a_chunk_without_the_terms_gives_its_first_sentence_unmarked() -> None:
    excerpt = excerpt_of("---\nFirst thing. Second thing.\nThird thing.", "zebra", line=8)
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("First thing.", 9, 9)
    assert excerpt.highlights == ()


def test_a_line_of_code_is_a_sentence_and_its_fence_is_none() -> None:
    text = "```python\ndef _rrf_fuse(ranks):\n    return sum(1 / (60 + rank) for rank in ranks)\n```"
    excerpt = excerpt_of(text, "_rrf_fuse")
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("def _rrf_fuse(ranks):", 2, 2)
    assert marked(excerpt) == ["_rrf_fuse"]


def test_an_identifier_is_marked_as_a_whole_when_a_part_was_asked_for() -> None:
    assert marked(excerpt_of("call getTenantId() first", "tenant")) == ["getTenantId"]


def test_a_row_of_a_table_is_a_sentence_and_its_border_is_none() -> None:
    text = "| code | meaning |\n|------|---------|\n| E1042 | no tenant |\n| E2010 | conflict |"
    excerpt = excerpt_of(text, "E2010", line=10)
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("| E2010 | conflict |", 13, 13)
    assert excerpt_of(text, "tenant conflict").text == "| E1042 | no tenant |\n| E2010 | conflict |"


def test_sentences_without_spaces_end_at_their_own_full_stop() -> None:
    text = "京都へ行きました。伏見稲荷で猪を見た。とても大きかったです。"
    excerpt = excerpt_of(text, "猪を見た")
    assert excerpt.text == "伏見稲荷で猪を見た。"
    assert marked(excerpt) == ["伏見稲荷で猪を見た"]


def test_a_very_long_sentence_is_cut_around_its_first_term() -> None:
    text = "filler " * 400 + "the needle is here " + "filler " * 400
    excerpt = excerpt_of(text.strip(), "needle")
    assert len(excerpt.text) <= LONGEST + 2
    assert excerpt.text.startswith("…")
    assert excerpt.text.endswith("…")
    assert marked(excerpt) == ["needle"]


def test_a_very_long_line_without_terms_is_cut_at_its_head() -> None:
    excerpt = excerpt_of("filler " * 400, "needle")
    assert len(excerpt.text) <= LONGEST + 1
    assert excerpt.text.startswith("filler")
    assert excerpt.text.endswith("…")


def test_a_chunk_of_nothing_but_markup_is_shown_as_it_is() -> None:
    excerpt = excerpt_of("---\n***", "needle", line=5)
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("---\n***", 5, 6)


def test_windows_line_ends_leave_no_trace() -> None:
    excerpt = excerpt_of("One line here.\r\nThe needle line.\r\nLast.", "needle", line=3)
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("The needle line.", 4, 4)


def test_decimals_and_versions_do_not_end_a_sentence() -> None:
    assert excerpt_of("Take 3.5 % acid with v1.2.3 of it. Wait.", "acid").text == "Take 3.5 % acid with v1.2.3 of it."


def test_a_number_and_a_stop_do_not_end_a_sentence() -> None:
    date = "Am 26. September gab es Honig. Danach nichts."
    assert excerpt_of(date, "Honig").text == "Am 26. September gab es Honig."
    assert excerpt_of("1. Knead the dough. Wait.", "dough").text == "1. Knead the dough."


def test_a_year_ends_a_sentence() -> None:
    assert excerpt_of("The hive was new in 2024. It hums.", "hums").text == "It hums."


words = st.sampled_from(
    ["rye", "bread", "oven", "Rising", "a", "bees.", "buzz!", "猪を見た。", "x_y", "-", "|", "```", ""]
)
texts = st.lists(st.lists(words, min_size=1, max_size=90).map(" ".join), min_size=1, max_size=8).map("\n".join)


@given(texts, st.lists(words, max_size=4).map(" ".join), st.integers(1, 900))
@settings(deadline=None)
def test_every_excerpt_stands_on_the_lines_it_names(text: str, query: str, line: int) -> None:
    excerpt = excerpt_of(text, query, line)
    lines = text.split("\n")
    assert line <= excerpt.line <= excerpt.end_line <= line + len(lines) - 1
    first, *_, last = [*excerpt.text.split("\n"), *excerpt.text.split("\n")[-1:]]
    assert first.strip("…").strip() in lines[excerpt.line - line]
    assert last.strip("…").strip() in lines[excerpt.end_line - line]
    terms = set(make_plan(query).terms)
    for start, end in excerpt.highlights:
        assert terms.intersection(make_plan(excerpt.text[start:end]).terms)
    spans = list(excerpt.highlights)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(excerpt.text) for start, end in spans)


@pytest.mark.parametrize(
    "sentence",
    [
        "The Cresta run at St. Moritz is cold in winter.",
        "As Ryen W. White said, the hive hums.",
        "Rye vs. wheat is an old question of bakers.",
        "Under 28 U.S.C. the trustee keeps the hive.",
        "Der Teig, vgl. das Rezept, ruht bzw. schläft.",
    ],
)
def test_a_sentence_goes_on_after_what_is_shortened(sentence: str) -> None:
    text = f"Another one stands here. {sentence} And one more."
    word = sentence.rstrip(".").split()[-1]
    assert excerpt_of(text, word).text == sentence

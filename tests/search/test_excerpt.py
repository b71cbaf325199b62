from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import cases

from notewell.search.excerpt import make_excerpts
from notewell.search.layout import BEFORE, LONGEST, window
from notewell.search.marks import find_marks
from notewell.search.plan import make_plan
from notewell.search.sentences import Unit
from notewell.terms import TOKEN, split_terms
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk, Part, Vectors
from notewell.types.query import Plan
from notewell.types.results import Excerpt


def excerpt_of(text: str, query: str, line: int = 1) -> Excerpt:
    chunk = Chunk("a.md", text, line, line + text.count("\n"), 0, len(text))
    return make_excerpts([Candidate(chunk, 1.0)], make_plan(query))[0]


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


def test_of_sentences_with_the_same_terms_the_first_are_shown_whatever_the_order_of_a_set() -> None:
    for words in ([f"w{start}{letter}x" for letter in "abcdefghijklm"] for start in range(40)):
        sentences = [f"W{' '.join(words[at:] + words[:at])[1:]} s{at}." for at in range(len(words))]
        text = "\n\n".join((*sentences, *(" ".join(words[:at]) for at in range(1, len(words), 2))))
        assert excerpt_of(text, " ".join(words)).text.split("\n") == sentences[:2]


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


def test_a_row_of_a_table_is_shown_with_the_names_of_its_columns() -> None:
    text = "| code | meaning |\n|------|---------|\n| E1042 | no tenant |\n| E2010 | conflict |"
    excerpt = excerpt_of(text, "E2010", line=10)
    assert (excerpt.text, excerpt.line, excerpt.end_line) == ("code: E2010 · meaning: conflict", 13, 13)
    assert marked(excerpt) == ["E2010"]
    both = excerpt_of(text, "tenant conflict")
    assert both.text == "code: E1042 · meaning: no tenant\ncode: E2010 · meaning: conflict"
    assert marked(both) == ["tenant", "conflict"]


def test_the_header_of_a_table_is_not_a_row() -> None:
    text = "| code | meaning |\n|---|---|\n| E1042 | no tenant |\n| E2010 | a code in use |"
    assert excerpt_of(text, "code meaning in use").text == "code: E2010 · meaning: a code in use"


def test_a_row_without_a_header_is_its_cells() -> None:
    assert excerpt_of("| E1042 |  | no tenant |\n| E2010 | conflict |", "tenant").text == "E1042 · no tenant"


def test_of_a_long_row_the_first_cell_and_those_asked_for_are_shown() -> None:
    names = "|".join(f"column {number}" for number in range(40))
    cells = "|".join(f"value {number}" for number in range(40))
    excerpt = excerpt_of(f"|{names}|\n|{'---|' * 40}\n|{cells.replace('value 37', 'needle')}|", "needle")
    assert excerpt.text.startswith("column 0: value 0 · column 1: value 1")
    assert excerpt.text.endswith(" … column 37: needle …")
    assert len(excerpt.text) < 2 * LONGEST


def test_a_sentence_goes_over_the_lines_of_its_paragraph() -> None:
    text = (
        "An old letter of the keeper of bees says, on its first page, that\n"
        "the hive at the southern wall was moved in the winter to a place\n"
        "behind the barn. Nobody knows why he did it.\n"
    )
    excerpt = excerpt_of(text, "why was the hive moved behind the barn", line=5)
    assert excerpt.text.split("\n")[0] == (
        "An old letter of the keeper of bees says, on its first page, that the hive at the southern wall was moved in"
        " the winter to a place behind the barn."
    )
    assert (excerpt.line, excerpt.end_line) == (5, 7)
    assert marked(excerpt) == ["hive", "moved", "behind", "barn"]


HIVES = """- Oxalic acid, and no more acid this year.
- Four days after formic acid the queen of the second hive was gone.
- A young queen was bought, and acid put away.
- The formic
  acid goes back. Formic is what ants are called after."""


def test_a_sentence_that_holds_a_phrase_outweighs_all_others() -> None:
    excerpt = excerpt_of(HIVES, '"formic acid"', line=25)
    assert excerpt.text.split("\n") == [
        "- Four days after formic acid the queen of the second hive was gone.",
        "- The formic acid goes back.",
    ]
    assert (excerpt.line, excerpt.end_line) == (26, 29)


def test_what_stands_after_a_phrase_may_be_shown_with_it_and_what_stands_before_may_not() -> None:
    excerpt = excerpt_of(HIVES, '"oxalic acid" bought young queen')
    assert [line[:9] for line in excerpt.text.split("\n")] == ["- Oxalic ", "- A young"]
    excerpt = excerpt_of(HIVES, '"goes back" oxalic acid bought young queen', line=25)
    assert (excerpt.text, excerpt.line) == ("- The formic acid goes back.", 28)


def test_a_sentence_that_holds_a_string_as_it_is_written_outweighs_all_others() -> None:
    text = "The 3 of version 2 and 1: version one.\n\nSince v1.2.3 it works.\n\nVersion 3 of 2, 1.\n\nv1 2 3 works."
    assert excerpt_of(text, "works since version v1.2.3").text.startswith("Since v1.2.3 it works.")


def test_a_phrase_that_was_left_out_or_is_in_no_sentence_changes_nothing() -> None:
    for query in ('oxalic queen -"formic acid"', 'oxalic queen "bees are here"'):
        assert excerpt_of(HIVES, query).line == 1


def test_a_word_that_few_hits_have_counts_more() -> None:
    page = ["The bee hive is old.", "A bee hive hums.", "A bee hums. The hive stands. Mites bite."]
    hits = [Candidate(Chunk(f"{number}.md", text, 1, 1), 1.0) for number, text in enumerate(page)]
    assert "Mites bite." in make_excerpts(hits, make_plan("bee hive mites"))[2].text


def test_what_most_sentences_hold_says_little() -> None:
    assert "The price rose." in excerpt_of("Rye is old. Rye is dark. Rye is sour. The price rose.", "rye price").text


def test_a_question_is_shown_where_only_it_has_a_word() -> None:
    text = "Human: Is the crumb as good in Bern?\n\nAssistant: The crumb is dense."
    assert excerpt_of(text, "crumb Bern").text.startswith("Human: ")


def test_by_meaning_too_the_answer_is_shown() -> None:
    chunk = Chunk("a.md", "Human: Is it as good as it was before?\n\nAssistant: No.", 1, 3)
    near = make_excerpts([Candidate(chunk, 1.0)], make_plan("zebra"), lambda texts: np.array([*map(len, texts)], "f4"))
    assert near[0].text == "Assistant: No."


def test_spaces_at_the_end_of_a_line_are_not_shown() -> None:
    assert excerpt_of("```sh\nnotewell index   \n```", "index").text == "notewell index"


def test_a_stop_word_alone_never_decides() -> None:
    plan = Plan("the hive", ("the", "hive"))
    text = "The the the. A hive. The the."
    chunk = Chunk("a.md", text, 1, 1)
    assert make_excerpts([Candidate(chunk, 1.0)], plan)[0].text == "A hive."


def test_the_same_sentence_is_not_shown_twice() -> None:
    assert excerpt_of("Rye bread.\n\nRye bread.\n\nRye is a grass.", "rye").text == "Rye bread.\nRye is a grass."


def test_a_line_that_only_repeats_the_heading_is_not_shown() -> None:
    chunk = Chunk("talk.pptx", "Rye bread\n\nIt keeps for a week, as bread of rye does.", 1, 3, headings=("Rye bread",))
    assert make_excerpts([Candidate(chunk, 1.0)], make_plan("rye bread"))[0].line == 3


def test_without_terms_the_sentences_nearest_in_meaning_are_shown() -> None:
    def by_length(texts: Sequence[str]) -> Vectors:
        return np.array([len(text) for text in texts], dtype=np.float32)

    text = "First. The longest sentence of all of them. Short one. A rather long sentence."
    chunk = Chunk("a.md", text, 1, 1)
    excerpt = make_excerpts([Candidate(chunk, 1.0)], make_plan("zebra"), by_length)[0]
    assert excerpt.text == "The longest sentence of all of them.\nA rather long sentence."
    assert excerpt.highlights == ()


def test_lines_of_code_keep_their_indent_and_their_signature_stands_above_them() -> None:
    text = (
        "import oven\n\n\nclass Baker:\n    def rest(self):\n        pass\n\n"
        "    def heat(self, degrees):\n        self.oven.on()\n        return oven.heat_to(degrees)\n"
    )
    chunk = Chunk("baker.py", text, 11, 20)
    excerpt = make_excerpts([Candidate(chunk, 1.0)], make_plan("heat_to"))[0]
    assert excerpt.text == "    def heat(self, degrees):\n        return oven.heat_to(degrees)"
    assert (excerpt.line, excerpt.end_line) == (18, 20)


def test_a_line_that_imports_is_the_last_to_be_shown() -> None:
    text = "from oven import heat_to\n\nheat_to(200)\nx = heat_to(100)"
    excerpt = make_excerpts([Candidate(Chunk("a.py", text, 1, 4), 1.0)], make_plan("heat_to"))[0]
    assert excerpt.text == "heat_to(200)\nx = heat_to(100)"


def test_a_link_alone_is_the_last_to_be_shown() -> None:
    text = "- [Rye bread](rye-bread.md)\n- [[Rye bread]]  \n\nBread is old.\nThe rye was young."
    assert excerpt_of(text, "rye bread").text == "Bread is old.\nThe rye was young."


def test_the_answer_is_shown_and_not_the_question_it_repeats() -> None:
    text = (
        "Human: Why is the crumb of my bread dense?\nIs the crumb dense for the cold?\n\n"
        "Assistant: A dense crumb comes of a cold dough.\nYour bread rose too little."
    )
    excerpt = excerpt_of(text, "why is the crumb of my bread dense")
    assert excerpt.text == "Assistant: A dense crumb comes of a cold dough.\nYour bread rose too little."


def test_lines_at_the_edge_of_several_pages_say_nothing() -> None:
    pages = [
        Chunk("a.pdf", f"Bees of Bern, page {page}\n\n{text}", page * 10, page * 10 + 2, parts=(Part(page * 10, "p"),))
        for page, text in ((1, "They huddle."), (2, "Bees fly. Bern is far."))
    ]
    excerpts = make_excerpts([Candidate(page, 1.0) for page in pages], make_plan("bees bern"))
    assert [excerpt.text for excerpt in excerpts] == ["They huddle.", "Bees fly.\nBern is far."]


def test_a_long_value_is_shown_with_its_key() -> None:
    text = "a.name: rye\na.story: " + "filler " * 200 + "the needle"
    excerpt = make_excerpts([Candidate(Chunk("a.yaml", text, 1, 2), 1.0)], make_plan("needle"))[0]
    assert excerpt.text.startswith("a.story: …filler ")
    assert excerpt.text.endswith("the needle")
    assert marked(excerpt) == ["needle"]


def test_a_cut_goes_through_no_word() -> None:
    excerpt = excerpt_of("filler " * 400 + "needle " + "filler " * 400, "needle")
    assert set(excerpt.text.strip("…").split()) == {"filler", "needle"}


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


@given(
    st.lists(st.sampled_from(["rye", "oat", "barley", "the " * 20, "a" * 150, "rye_" * 60]), min_size=1, max_size=40)
)
def test_a_very_long_sentence_is_cut_where_most_of_its_terms_stand(words: list[str]) -> None:
    text = " ".join(words)
    marks = find_marks([text], frozenset(["rye", "oat", "barley"]))[0]
    room = LONGEST - BEFORE
    terms = [
        {term for mark in marks if at <= mark.start and mark.end <= at + room for term in mark.terms}
        for at, *_ in marks
    ]
    start, end = window(text, Unit(0, len(text)), marks)
    assert end - start <= LONGEST
    shown = {term for mark in marks if start <= mark.start and mark.end <= end for term in mark.terms}
    assert len(shown) >= max(map(len, terms), default=0)


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
    [
        "rye",
        "bread",
        "oven",
        "Rising",
        "a",
        "bees.",
        "buzz!",
        "猪を見た。",
        "x_y",
        "-",
        "|",
        "```",
        "#",
        '"""',
        "a,b",
        "",
    ]
)
texts = st.lists(st.lists(words, min_size=1, max_size=90).map(" ".join), min_size=1, max_size=8).map("\n".join)
paths = st.sampled_from(["a.md", "a.py", "a.csv", "a.xlsx", "a.json", "a.pdf", "a.pptx", "LICENSE"])


@given(texts, st.lists(words, max_size=4).map(" ".join), st.integers(1, 900), paths)
@settings(deadline=None)
def test_every_excerpt_stands_on_the_lines_it_names(text: str, query: str, line: int, path: str) -> None:
    plan = make_plan(query)
    hit = Candidate(Chunk(path, text, line, line + text.count("\n")), 1.0)
    excerpt = make_excerpts([hit], plan)[0]
    assert excerpt == make_excerpts([hit], plan)[0]
    assert line <= excerpt.line <= excerpt.end_line <= line + text.count("\n")
    named = "\n".join(text.split("\n")[excerpt.line - line : excerpt.end_line - line + 1])
    header = text if "|" in text else ""
    assert set(TOKEN.findall(excerpt.text)) <= set(TOKEN.findall(f"{named}\n{header}")) | cut_tokens(excerpt)
    assert bool(excerpt.text.strip()) == bool(text.strip())
    assert len(excerpt.text) <= 8 * LONGEST
    spans = list(excerpt.highlights)
    assert spans == sorted(spans)
    for start, end in spans:
        assert 0 <= start < end <= len(excerpt.text)
        assert set(plan.terms).intersection(split_terms(excerpt.text[start:end]))


def cut_tokens(excerpt: Excerpt) -> set[str]:
    """Words without spaces may be cut."""
    return {token for token in TOKEN.findall(excerpt.text) if not token.isascii()}


@cases(
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

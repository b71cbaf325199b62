from __future__ import annotations

from tests.cases import cases

from notewell.files.formats import SOURCE, WRAPPED
from notewell.search.sentences import (
    CODE,
    PROSE,
    ROW,
    Unit,
    find_blocks,
    find_questions,
    find_sentences,
    text_kind,
)
from notewell.types.note import Chunk, Part


def blocks(text: str, kind: str = WRAPPED) -> list[tuple[str, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in find_blocks(text, kind)]


def sentences(text: str) -> list[str]:
    return [text[unit.start : unit.end] for block in find_blocks(text, WRAPPED) for unit in find_sentences(text, block)]


def test_an_item_is_a_block_with_the_lines_it_goes_over() -> None:
    text = "Take:\n- rye\n  and salt\n- water\n1. Knead it\n   well\n2) Wait"
    assert [block for _, block in blocks(text)] == [
        "Take:",
        "- rye\n  and salt",
        "- water",
        "1. Knead it\n   well",
        "2) Wait",
    ]


def test_a_full_line_goes_on_in_the_next_and_a_short_one_does_not() -> None:
    full = "The keeper of the bees at the southern wall of the old garden\nBern moved them."
    assert blocks(full) == [(PROSE, full)]
    assert len(blocks("Bees\nRye\nBread of the old baker")) == 3


def test_a_line_that_breaks_off_goes_on_where_the_next_begins_small() -> None:
    text = "The crumb was dense because\nthe kitchen was cold."
    assert len(blocks(text)) == 2
    text = "The crumb was very dense because\nthe kitchen was cold."
    assert blocks(text) == [(PROSE, text)]


def test_a_break_that_is_meant_ends_a_block() -> None:
    assert len(blocks("The crumb was very dense because  \nthe kitchen was cold.")) == 2


def test_what_is_between_fences_is_code_and_what_is_after_them_is_not() -> None:
    assert blocks("Run:\n```sh\nnotewell index\n```\nDone.") == [
        (PROSE, "Run:"),
        (CODE, "notewell index"),
        (PROSE, "Done."),
    ]


def test_the_last_piece_of_long_code_has_but_its_closing_fence() -> None:
    assert blocks("x = 1.\ny = 2\n```")[0] == (CODE, "x = 1.")
    assert blocks("```py\nx = 1")[0] == (CODE, "x = 1")


def test_headings_rules_and_directives_are_not_blocks() -> None:
    assert blocks("# Rye\n\n---\n\n.. image:: rye.png\n\n#+title: Rye\n\n****") == []


def test_comments_and_docstrings_are_prose_and_the_rest_of_a_source_is_code() -> None:
    text = (
        'def rise(dough):\n    """Let it rise.\n\n    Not too long.\n    """\n'
        "    # The kitchen was cold. We wait for it\n"
        "    # to be warm.\n    wait()"
    )
    assert blocks(text, SOURCE) == [
        (CODE, "def rise(dough):"),
        (PROSE, '"""Let it rise.'),
        (PROSE, "Not too long."),
        (PROSE, "# The kitchen was cold. We wait for it\n    # to be warm."),
        (CODE, "    wait()"),
    ]


def test_blocks_around_a_place_are_those_of_the_whole_text() -> None:
    text = "# Rye\n\nOne line.\n- item\n\n| a | b |\n|---|---|\n| c | d |\n\nThe last."
    every = find_blocks(text, WRAPPED)
    for block in every:
        assert block in find_blocks(text, WRAPPED, [block.start])
    assert [unit.kind for unit in every] == [PROSE, PROSE, ROW, PROSE]


def test_a_version_ends_a_sentence_and_a_number_of_a_list_does_not() -> None:
    assert sentences("It is in version 4.0. Take it.") == ["It is in version 4.0.", "Take it."]
    assert sentences("12. Knead it. Wait.") == ["12. Knead it.", "Wait."]


def test_targets_of_links_are_not_blocks_and_footnotes_are() -> None:
    assert blocks("[01]: ./media/rye.png\n[^1]: Rye is a grass.") == [(PROSE, "[^1]: Rye is a grass.")]


def test_quotation_marks_and_footnotes_belong_to_the_sentence_they_end() -> None:
    assert sentences('He said "no!" Then he left.[3] All (e.g. rye) stayed.') == [
        'He said "no!"',
        "Then he left.[3]",
        "All (e.g. rye) stayed.",
    ]


@cases(
    ("path", "kind"),
    [
        ("a.MD", "wrapped"),
        ("LICENSE", "wrapped"),
        ("v1.2/LICENSE", "wrapped"),
        ("a.xlsx", "table"),
        ("a.yml", "values"),
    ],
)
def test_a_path_tells_the_kind_of_text(path: str, kind: str) -> None:
    assert text_kind(Chunk(path, "", 1, 1)) == kind


def test_turns_of_a_conversation_are_prose() -> None:
    assert text_kind(Chunk("a.json", "Human: Hi", 1, 1, parts=(Part(1, "conversation 2, turn 1"),))) == WRAPPED


@cases("asks", ["Human: Why?", "**You**: Why?", "### User:\nWhy?", "Tool Edit: a file"])
def test_what_is_not_the_answer_is_what_was_asked(asks: str) -> None:
    text = f"{asks}\nAssistant: Because."
    asked = find_questions(text)
    assert asked
    assert asked(Unit(0, len(asks)))
    assert not asked(Unit(len(asks) + 1, len(text)))


@cases("text", ["Human: Why?\nUser: So.", "The Assistant asked.", "Claude came.\nYou: Hi"])
def test_where_nobody_answers_nothing_was_asked(text: str) -> None:
    assert find_questions(text) is None

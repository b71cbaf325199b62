"""Thinking between tags, wherever they are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.llm.messages import Text, Thinking
from notewell.llm.think import ThinkSplitter

ANSWERS = {
    "Bees buzz.": ("", "Bees buzz."),
    "<think>Hm.</think>Bees": ("Hm.", "Bees"),
    "\n <think>\nHm.\n</think>\n\nBees buzz. ": ("\nHm.\n", "Bees buzz. "),
    "<think>one</think> <think>two</think>three": ("onetwo", "three"),
    "<think></think>\n\nBees": ("", "Bees"),
    "<think>never ends": ("never ends", ""),
    "<think>never ends</thin": ("never ends</thin", ""),
    "<think>a < b </ c </think>d": ("a < b </ c ", "d"),
    "Bees <think>are a tag</think> here": ("", "Bees <think>are a tag</think> here"),
    "<thing>": ("", "<thing>"),
    "<thi": ("", "<thi"),
    "</think>Bees": ("", "</think>Bees"),
    " \n": ("", ""),
    "": ("", ""),
}


def split(pieces: list[str]) -> tuple[str, str]:
    """Return the thinking and the text of an answer that comes in these pieces."""
    splitter = ThinkSplitter()
    said = [piece for text in pieces for piece in splitter.feed(text)] + splitter.flush()
    assert all(piece.text for piece in said)
    thinking = "".join(piece.text for piece in said if isinstance(piece, Thinking))
    return thinking, "".join(piece.text for piece in said if isinstance(piece, Text))


@cases("answer", ANSWERS)
def test_thinking_before_the_answer_is_told_from_it(answer: str) -> None:
    assert split([answer]) == split(list(answer)) == ANSWERS[answer]


@given(st.sampled_from(sorted(ANSWERS)), st.lists(st.integers(0, 50)))
def test_it_does_not_matter_where_an_answer_is_cut(answer: str, places: list[int]) -> None:
    cuts = sorted({0, *places, 50})
    assert split([answer[start:end] for start, end in pairwise(cuts)]) == ANSWERS[answer]


def test_text_is_not_held_back_once_the_answer_began() -> None:
    splitter = ThinkSplitter()
    assert [splitter.feed(text) for text in ("Bees", " <", "think")] == [[Text("Bees")], [Text(" <")], [Text("think")]]


def test_thinking_is_told_as_it_comes() -> None:
    splitter = ThinkSplitter()
    assert [splitter.feed(text) for text in ("<think>so", " and", "</", "so")] == [
        *([Thinking("so")], [Thinking(" and")], [], [Thinking("</so")])
    ]

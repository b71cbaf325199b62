"""What small models write instead of an answer: the same words again and again, or numbers alone."""

from __future__ import annotations

import pytest
from tests.chat.test_agent import asked_of, call
from tests.chat.test_model import QUESTION

from notewell import Vault
from notewell.llm import Text


@pytest.mark.parametrize("text", ["1. [1]\n2. [2]\n3. [1]", "[1] [2] …", "## 1 " * 60, "The bees hum. " * 40])
def test_numbers_alone_and_loops_are_no_answer(vault: Vault, text: str) -> None:
    answer, *_ = asked_of(vault, [Text(text)], question=QUESTION)
    assert answer.model == "" and answer.citations_status == "all_verified"
    assert {notice.code for notice in answer.notices} & {"model_silent", "model_endless"}


def test_a_figure_is_an_answer(vault: Vault) -> None:
    answer, *_ = asked_of(vault, [call("calculator", expression="6*7")], [Text("42")], question=QUESTION)
    assert (answer.text, answer.model) == ("42", "any")

from __future__ import annotations

from tests.cases import cases

from notewell.search.sentences import Unit, find_questions


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

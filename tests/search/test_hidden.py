"""What excerpts do not show is found in a time that grows with the text, whatever is in it."""

from __future__ import annotations

from tests.bounded import run_within

from notewell.search.hidden import hidden_spans

LONG = """
from notewell.search.hidden import hidden_spans
for part in (" ", "\\t", "%% ", "<!--", "^a ", "` ", "`", "~", "> ", " ^a\\n"):
    for end in ("", "%%", "^x y", "-->", "\\n"):
        go_on(part + end)
        hidden_spans(part * 300_000 + end + "^", "a.md")
"""


def test_many_signs_and_spaces_take_no_longer_than_their_text() -> None:
    run_within(60, LONG)


def test_a_comment_goes_with_the_spaces_before_it_and_one_that_is_open_stays() -> None:
    assert hidden_spans("a  %%b%% c <!--d", "a.md") == [(1, 8)]
    assert hidden_spans("a <!--b--> ^c\nd ^e", "a.md") == [(1, 10), (10, 13), (15, 18)]

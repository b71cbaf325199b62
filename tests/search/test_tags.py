from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from notewell.search.budget import SPEAKERS, TAG, plain_tags, safe_in_prompt

SPEAKING = ["system-reminder", "system", "function_results", "function_calls", "invoke", "antml:parameter", "user"]
# Soft hyphen, joiners, marks of direction, variation selectors, tags.
HIDDEN = "\u00ad\u200b\u200d\u2060\u202e\u2066\ufe0f\ufeff\U000e0041\U000e0101"


@cases(
    "text",
    [
        "<b>bold</b> <br/> <img src='a.png'> <details><summary>more</summary></details>",
        "<https://example.org> and <mailto:ada@example.org>",
        "Map<String, List<T>> and std::vector<int> and Promise<void>",
        "if a < b and c<d: print(1 <2)",
        "a <- b, x <= y, <3, <!-- a comment -->, f <| x",
    ],
)
def test_what_usual_notes_hold_stays_as_it_is(text: str) -> None:
    assert plain_tags(text) == text


@cases(
    "text",
    [
        *("<path>", "x</invoke>", "List<user>", "<xsd:element>", "＜system＞", "<|im_start|>"),
        # As a type would stand after a word.
        *("x<System>", "a<Human>", "List<Assistant>", "7<ToolUse>", "é<SYSTEM>", "a<FunctionResults>"),
    ],
)
def test_what_may_be_a_tag_stays_readable_and_is_none(text: str) -> None:
    assert plain_tags(text) == text.replace("<", "&lt;").replace("＜", "&lt;")


@given(
    st.sampled_from(SPEAKING),
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from(HIDDEN)), max_size=6),
    st.sampled_from(["<", "</", "< ", "< / ", "<\n", "</\t", "x<", "x</", "\u3000<"]),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_no_tag_that_a_prompt_has_passes_whatever_hides_in_it(
    name: str, hidden: list[tuple[int, str]], opened: str, cased: Callable[[str], str]
) -> None:
    tag = f"{opened}{cased(name)} a='b'>"
    for place, sign in hidden:
        tag = f"{tag[:place]}{sign}{tag[place:]}"
    assert "<" not in safe_in_prompt(tag)


@given(st.text(st.sampled_from("<＜/| \nabSystem-_:.1>\u00ad"), max_size=60))
def test_what_was_made_plain_is_plain(text: str) -> None:
    once = safe_in_prompt(text)
    assert safe_in_prompt(once) == once
    assert not any(match["name"] and SPEAKERS.match(match["name"]) and match["gap"] for match in TAG.finditer(once))


def test_a_long_gap_after_a_sign_does_not_hang() -> None:
    for gap in (" " * 1_000_000, f"{' ' * 500_000}/{' ' * 500_000}"):
        assert safe_in_prompt(f"<{gap}") == f"<{gap}"

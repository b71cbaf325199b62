"""Which keywords a text contains: what the scan skips must not be there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notewell.redact import all_rules, redact_text
from notewell.redact.keywords import Keywords

WORDS = sorted({(keyword, rule.any_case) for rule in all_rules() for keyword in rule.keywords})
KEYWORDS = Keywords(WORDS)
# Keywords cut and glued, in any case, between other characters.
PIECES = st.sampled_from(WORDS).flatmap(
    lambda word: st.sampled_from((word[0], word[0].upper(), word[0].title(), word[0][1:], word[0][:-1]))
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_the_keywords_found_are_those_in_the_text(text: str) -> None:
    lowered = text.lower()
    contained = {(word, any_case) for word, any_case in WORDS if word in (lowered if any_case else text)}
    # Two letters beyond ASCII have a lower case in ASCII; the scan replaces them before it looks for keywords.
    assert set(KEYWORDS.present(text, lowered)) == contained or not {"\u212a", "\u0130"}.isdisjoint(text)


def test_the_sign_of_kelvin_hides_no_keyword() -> None:
    assert redact_text("api_\u212aey = k3f9x0q2m7Zr81")[1]

"""Which characters count as hidden."""

from __future__ import annotations

import pytest

from notewell.files.control_chars import escaped_json, real_path, shown_path, without_hidden


@pytest.mark.parametrize(
    "sign", ["\u2800", "\U0001d159", "\ufffe", "\uffff", "\ufdd0", "\U0001fffe", "\U0010ffff", "\u202e", "\u200b"]
)
def test_what_nobody_sees_is_removed_or_escaped(sign: str) -> None:
    assert without_hidden(f"r{sign}ye {sign}") == "rye "
    assert sign not in shown_path(f"a{sign}.md")
    assert real_path(shown_path(f"a{sign}.md")) == f"a{sign}.md"
    assert sign not in escaped_json(f'"{sign}"')


@pytest.mark.parametrize(
    "text", ["\u2817\u283d\u2811\u2800\u2803\u2817\u2811\u2801\u2819", "\ufffc \ufffd \u2764\ufe0f"]
)
def test_what_is_spelling_stays(text: str) -> None:
    assert without_hidden(text) == text

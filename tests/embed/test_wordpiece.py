from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from notewell.embed import DEFAULT_MODEL
from notewell.embed.wordpiece import MOST_WORDS, WordTokens, goes_by_words

TOKENIZER = Tokenizer.from_file(str(DEFAULT_MODEL / "tokenizer.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()
WORDS = WordTokens(TOKENIZER)


def whole(text: str) -> list[int]:
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Salt slows the yeast down, doesn't it?",
        "getTenantId() == get_tenant_id; v1.2.3 §3 5€ 20°C C++",
        "Größe naïve Łódź e\u0301cole",
        "京都で猪を見た。 Tokyo東京",
        "a\u200bb zero\x00width\x1funit\x0bline\x85next\u2028line\u3000wide\u00a0space",
        "\U0001f41d bees🐝hum",
        "x" * 300,
    ],
)
def test_the_tokens_of_a_text_are_those_of_its_words(text: str) -> None:
    assert WORDS([text]) == [whole(text)]


@given(st.text(max_size=60))
def test_the_tokens_of_any_text_are_those_of_its_words(text: str) -> None:
    assert WORDS([text]) == [whole(text)]


def test_words_are_forgotten_before_they_fill_the_memory() -> None:
    words = WordTokens(TOKENIZER)
    for first in range(0, MOST_WORDS + 3_000, 1_000):
        words([" ".join(f"w{number}" for number in range(first, first + 1_000))])
    assert len(words._known) <= MOST_WORDS + 1_000
    assert words(["w1 w2"]) == [whole("w1 w2")]


def test_another_kind_of_tokenizer_is_left_to_itself() -> None:
    other = Tokenizer(WordLevel({"a": 0}, unk_token="a"))
    other.pre_tokenizer = Whitespace()
    assert goes_by_words(TOKENIZER)
    assert not goes_by_words(other)
    without = json.loads(TOKENIZER.to_str()) | {"normalizer": None}
    assert not goes_by_words(Tokenizer.from_str(json.dumps(without)))

from __future__ import annotations

import string
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from notewell.embed import DEFAULT_MODEL
from notewell.embed.spelled import SpelledVocabulary
from notewell.embed.static import StaticEmbedder

FILE = DEFAULT_MODEL / "tokenizer.json"
TOKENIZER = Tokenizer.from_file(str(FILE))
SPELLED = SpelledVocabulary(FILE)


def by_tokenizer(text: str) -> list[int]:
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize(
    "text",
    [
        "How do I rotate a certificate?",
        "getTenantId returns 404B",
        'a "quoted" back\\slash, {braces} and #tags',
        "xqzvwkjh kubernetes ESP32",
        "under_scores and-dashes\tand tabs\n",
        "",
        "[UNK] ##s",
    ],
)
def test_plain_words_are_looked_up_as_the_tokenizer_takes_them_apart(text: str) -> None:
    assert SPELLED.tokens(text) == by_tokenizer(text)


@pytest.mark.parametrize("word", ["model", "type", "version", "prefix", "decoder", "vocab", "padding", "lowercase"])
def test_a_word_that_names_a_part_of_the_file_is_a_word(word: str) -> None:
    assert SPELLED.tokens(word) == by_tokenizer(word)


@given(st.text(alphabet=string.printable, max_size=60))
def test_whatever_is_looked_up_is_what_the_tokenizer_says(text: str) -> None:
    assert SPELLED.tokens(text) in (None, by_tokenizer(text))


@pytest.mark.parametrize("text", ["Käse", "日本語", "a\x00b", "a\x7fb", "x" * 30, "word " * 50])
def test_what_is_not_short_and_plain_is_left_to_the_tokenizer(text: str) -> None:
    assert SPELLED.tokens(text) is None


def test_the_first_query_has_the_vector_of_every_later_one() -> None:
    embedder = StaticEmbedder(DEFAULT_MODEL)
    first, later = (
        embedder.embed_query("why did the bread collapse"),
        embedder.embed_query("why did the bread collapse"),
    )
    assert np.array_equal(first, later)


def test_one_plain_query_loads_no_tokenizer() -> None:
    program = (
        "import sys; from notewell.embed import EmbedRules, load_embedder;"
        "load_embedder(EmbedRules()).embed_query('bread'); print('tokenizers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

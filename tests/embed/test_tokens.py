"""Tokens of the static model: by searching its file, and word by word, both as the tokenizer makes them."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from notewell.embed import DEFAULT_MODEL
from notewell.embed.static import MOST_WORDS, StaticEmbedder, VocabularyFile, WordTokens, splits_by_words
from notewell.embed.word_pieces import FAMILIAR, WordPieces

FILE = DEFAULT_MODEL / "tokenizer.json"
TOKENIZER = Tokenizer.from_file(str(FILE))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()


def vocabulary(room: int = 10**9, searched: int = 10**12) -> VocabularyFile:
    """Return the vocabulary with room for so much text, to be read at once after so many bytes of searching."""
    found = VocabularyFile(FILE)
    found._room, found.SEARCHED = room, searched
    return found


VOCABULARY, AT_ONCE = vocabulary(), vocabulary(searched=-1)
PIECES = WordPieces(FILE)


def by_tokenizer(text: str) -> list[int]:
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


def all_by_tokenizer(texts: Sequence[str]) -> list[list[int]]:
    return [by_tokenizer(text) for text in texts]


WORDS = WordTokens(all_by_tokenizer)


PLAIN = [
    "How do I rotate a certificate?",
    "getTenantId returns 404B",
    'a "quoted" back\\slash, {braces} and #tags',
    "xqzvwkjh kubernetes ESP32",
    "under_scores and-dashes\tand tabs\n",
    "",
    "[UNK] ##s",
    # Words that are also keys of the file.
    *("model", "type", "version", "prefix", "decoder", "vocab", "padding", "lowercase"),
]


def test_the_vocabulary_file_gives_the_tokens_of_plain_words() -> None:
    assert [text for text in PLAIN if VOCABULARY.tokens(text) != by_tokenizer(text)] == []


@given(st.text(alphabet=string.printable, max_size=60))
def test_the_vocabulary_file_gives_the_right_tokens_or_none(text: str) -> None:
    assert VOCABULARY.tokens(text) in (None, by_tokenizer(text))


@given(st.text(alphabet=string.printable, max_size=60))
def test_the_vocabulary_read_at_once_gives_the_right_tokens_or_none(text: str) -> None:
    assert AT_ONCE.tokens(text) in (None, by_tokenizer(text))


def test_after_much_searching_the_vocabulary_is_read_at_once() -> None:
    searched, text = vocabulary(searched=10**6), " ".join(PLAIN)
    assert searched.tokens(text) == by_tokenizer(text) and "_vocabulary" in vars(searched)
    assert "_vocabulary" not in vars(vocabulary())


def test_texts_that_are_not_plain_are_left_to_the_tokenizer() -> None:
    others = ["Käse", "日本語", "a\x00b", "a\x7fb", "x" * 60]
    assert [text for text in others if VOCABULARY.tokens(text) is not None] == []


def test_the_first_query_has_the_vector_of_every_later_one() -> None:
    embedder = StaticEmbedder(DEFAULT_MODEL)
    first, later = (embedder.embed_query("why did the bread collapse") for _ in range(2))
    assert np.array_equal(first, later)


def test_a_word_has_as_many_pieces_before_the_tokenizer_is_loaded_as_after() -> None:
    embedder = StaticEmbedder(DEFAULT_MODEL)
    words = ("bread", "Kubernetes", "xqzvwkjh", "Bienenhaltung", "naïve", "x" * 60)
    before = [embedder.pieces(word) for word in words]
    embedder.embed_query("rye")
    assert before == [embedder.pieces(word) for word in words] == [len(by_tokenizer(word)) for word in words]


def test_one_plain_query_and_the_sentences_of_its_hits_load_no_tokenizer() -> None:
    program = (
        "import sys; from notewell.embed import EmbedRules, load_embedder; model = load_embedder(EmbedRules());"
        "model.embed_query('bread'); model.embed(['The crumb is dense.', 'Salt slows the yeast down.']);"
        "model.pieces('crumb'); print('tokenizers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_sentences_have_the_same_vectors_before_the_tokenizer_is_loaded_as_after() -> None:
    embedder, sentences = StaticEmbedder(DEFAULT_MODEL), ["The crumb is dense.", "getTenantId returns 404B"]
    embedder.embed_query("rye")
    before = embedder.embed(sentences)
    embedder.embed_query("spelt")
    assert np.array_equal(before, embedder.embed(sentences))


def test_much_text_is_left_to_the_tokenizer() -> None:
    sentence = "the crumb is dense"
    assert vocabulary(room=40).tokens_of([sentence] * 2) == [by_tokenizer(sentence)] * 2
    assert vocabulary(room=40).tokens_of([sentence] * 3) is None
    assert vocabulary().tokens_of([sentence, "Käse"]) is None


TEXTS = [
    "",
    "Salt slows the yeast down, doesn't it?",
    "getTenantId() == get_tenant_id; v1.2.3 §3 5€ 20°C C++",
    "Größe naïve Łódź e\u0301cole",
    "京都で猪を見た。 Tokyo東京",
    "a\u200bb zero\x00width\x1funit\x0bline\x85next\u2028line\u3000wide\u00a0space",
    "\U0001f41d bees🐝hum",
    "x" * 300,
]


def test_the_tokens_of_a_text_are_those_of_its_words() -> None:
    assert WORDS(TEXTS) == [by_tokenizer(text) for text in TEXTS]


@given(st.text(max_size=60))
def test_the_tokens_of_any_text_are_those_of_its_words(text: str) -> None:
    assert WORDS([text]) == [by_tokenizer(text)]


def test_words_are_forgotten_before_they_fill_the_memory() -> None:
    words = WordTokens(all_by_tokenizer)
    for first in range(0, MOST_WORDS + 3_000, 1_000):
        words([" ".join(f"w{number}" for number in range(first, first + 1_000))])
    assert len(words._known) <= MOST_WORDS + 1_000
    assert words(["w1 w2"]) == [by_tokenizer("w1 w2")]


def test_every_familiar_sign_gives_the_tokens_that_the_library_gives() -> None:
    signs = [sign for sign in map(chr, range(0x1F800)) if FAMILIAR.fullmatch(sign)]
    texts = [text for sign in signs for text in (sign, f"a{sign}B", f"Sq{sign} x")]
    encoded = TOKENIZER.encode_batch_fast(texts, add_special_tokens=False)
    assert [text for text, one in zip(texts, encoded, strict=True) if PIECES.tokens(text) != one.ids] == []


familiar = st.text(
    st.characters(min_codepoint=0, max_codepoint=0x52F) | st.sampled_from("’–…→✅🎉\u200d\ufe0f"), max_size=60
)


@given(st.one_of(familiar, st.text(max_size=60)))
def test_pieces_of_any_text_are_those_of_the_library_or_none(text: str) -> None:
    assert PIECES.tokens(text) in (None, by_tokenizer(text))
    assert PIECES.tokens(text) is not None or not FAMILIAR.fullmatch(text)


def test_long_words_and_parts_that_are_no_tokens_are_unknown() -> None:
    texts = ["x" * 100, "x" * 101, "a\u0301" * 101, "[UNK] ##s", "\u0378\u0378", "supercalifragilistic"]
    assert [PIECES.tokens(text) for text in texts] == all_by_tokenizer(texts)


def test_no_library_is_loaded_for_texts_of_familiar_signs() -> None:
    program = (
        "import sys; from notewell.embed import EmbedRules, load_embedder; embedder = load_embedder(EmbedRules());"
        "embedder.embed(['Größe – “rye” → ✅', 'a' * 300, 'tab\\x00s']);"
        "loaded = 'tokenizers' in sys.modules; embedder.embed(['日本語']); print(loaded, 'tokenizers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True"


def test_only_a_tokenizer_with_berts_rules_splits_by_words() -> None:
    other = Tokenizer(WordLevel({"a": 0}, unk_token="a"))
    other.pre_tokenizer = Whitespace()
    without = json.loads(TOKENIZER.to_str()) | {"normalizer": None}
    assert splits_by_words(TOKENIZER)
    assert not splits_by_words(other)
    assert not splits_by_words(Tokenizer.from_str(json.dumps(without)))

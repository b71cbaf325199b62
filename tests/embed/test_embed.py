from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cases import cases

from notewell.embed import EmbedRules, load_embedder
from notewell.embed.static import StaticEmbedder
from notewell.embed.vectors import unit
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError


def test_the_model_setting_chooses_the_embedder() -> None:
    assert isinstance(load_embedder(EmbedRules("words")), WordsEmbedder)
    assert isinstance(load_embedder(EmbedRules("static")), StaticEmbedder)


@cases("name", ["nowhere", "", "ollama:", "openai", "sentence-transformers:", "~no-such-user-here/model", "a\0b"])
def test_an_embedder_that_does_not_exist_is_an_error_with_a_hint(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmbedError) as caught:
        load_embedder(EmbedRules(name))
    assert caught.value.hint


def test_rows_are_scaled_to_length_1_and_zeros_stay() -> None:
    rows = unit(np.array([[3, 4], [0, 0]], dtype=np.float32))
    assert np.allclose(rows, np.array([[0.6, 0.8], [0, 0]]))


def test_words_are_counted_by_their_first_letter(embedder: WordsEmbedder) -> None:
    (row,) = embedder.embed(["Bees buzz, dogs bark"])
    # Three words begin with b and one with d: (3, 1) scaled to length 1.
    assert np.flatnonzero(row).tolist() == [1, 3]
    assert np.allclose(row[[1, 3]], [3 / 10**0.5, 1 / 10**0.5])


def test_a_query_has_the_vector_of_a_passage_with_the_same_words(embedder: WordsEmbedder) -> None:
    assert embedder.embed_query("bees buzz").tolist() == embedder.embed(["bees buzz"])[0].tolist()


def test_other_characters_are_counted_in_the_last_place(embedder: WordsEmbedder) -> None:
    assert np.flatnonzero(embedder.embed(["4 日本 éclair"])[0]).tolist() == [26]


def test_one_row_for_each_text_and_zero_for_an_empty_one(embedder: WordsEmbedder) -> None:
    rows = embedder.embed(["bees", "", "dogs"])
    assert rows.shape == (3, embedder.dimensions)
    assert np.linalg.norm(rows, axis=1).tolist() == [1, 0, 1]
    assert embedder.embed([]).shape == (0, embedder.dimensions)

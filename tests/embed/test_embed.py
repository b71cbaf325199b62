from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notewell.embed import EmbedRules, load_embedder
from notewell.embed.static import StaticEmbedder
from notewell.embed.unit import unit
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError


def test_a_name_stands_for_an_embedder() -> None:
    assert isinstance(load_embedder(EmbedRules("words")), WordsEmbedder)
    assert isinstance(load_embedder(EmbedRules("static")), StaticEmbedder)


@pytest.mark.parametrize(
    "name", ["nowhere", "", "ollama:", "openai", "sentence-transformers:", "~no-such-user-here/model", "a\0b"]
)
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

"""Models of sentence-transformers, with a small module in its place that has the methods which are used."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell import Vault
from notewell.embed import EmbedRules, load_embedder
from notewell.embed.sentence import SentenceEmbedder
from notewell.errors import EmbedError
from notewell.types.notices import Notice

# Its vectors are those of the words embedder, three times as long unless they are to be normalised.
STAND_IN = """
from notewell.embed.words import WordsEmbedder

class SentenceTransformer:
    texts, places = [], []

    def __init__(self, place, local_files_only=False):
        if not local_files_only or "missing" in place:
            raise OSError(f"{place} is not on this machine\\nand this line is too much")
        self.places.append(place)

    def encode(self, texts, batch_size=32, normalize_embeddings=False, show_progress_bar=True):
        assert not show_progress_bar and batch_size == 64
        self.texts.append(list(texts))
        return WordsEmbedder().embed(texts) * (1 if normalize_embeddings else 3)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "sentence_transformers.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    import sentence_transformers  # noqa: PLC0415

    yield sentence_transformers.SentenceTransformer
    monkeypatch.delitem(sys.modules, "sentence_transformers")


def test_a_model_is_loaded_with_the_first_text_and_once(module: Any) -> None:
    embedder = load_embedder(EmbedRules("sentence-transformers:~/models/mine"))
    assert isinstance(embedder, SentenceEmbedder) and module.places == []
    rows = embedder.embed(["bees buzz", "", "dogs"])
    assert rows.shape == (3, 27) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1).round(6).tolist() == [1, 0, 1]
    assert (embedder.dimensions, embedder.embed([]).shape, embedder.embed_query("bees").shape) == (27, (0, 27), (27,))
    assert module.places == [str(Path("~/models/mine").expanduser())]


def test_bge_has_its_prefix_before_queries_and_none_before_passages(module: Any) -> None:
    embedder = load_embedder(EmbedRules("sentence-transformers:BAAI/bge-large-en-v1.5"))
    embedder.embed(["bees"])
    embedder.embed_query("bees")
    assert module.texts == [["bees"], ["Represent this sentence for searching relevant passages: bees"]]
    assert embedder.fingerprint == "sentence-transformers:BAAI/bge-large-en-v1.5"


def test_a_model_that_is_not_here_is_not_fetched_but_an_error_with_a_hint(module: Any) -> None:
    with pytest.raises(EmbedError) as caught:
        load_embedder(EmbedRules("sentence-transformers:org/missing")).embed(["bees"])
    assert caught.value.fact == "The model org/missing cannot be loaded: org/missing is not on this machine"
    assert "`hf download NAME`" in caught.value.hint


@pytest.mark.parametrize("path", ["model.py", "0_Custom/code.py"])
def test_a_folder_that_brings_code_along_is_refused_before_it_is_loaded(module: Any, tmp_path: Path, path: str) -> None:
    (file := tmp_path / "model" / path).parent.mkdir(parents=True)
    file.write_text("raise SystemExit\n", encoding="utf-8")
    embedder = load_embedder(EmbedRules(f"sentence-transformers:{tmp_path / 'model'}"))
    with pytest.raises(EmbedError, match="contains Python code") as caught:
        embedder.embed(["bees"])
    assert caught.value.hint
    assert module.places == []
    file.unlink()
    assert embedder.embed(["bees"]).any()


def test_a_folder_that_has_code_behind_a_link_is_refused(module: Any, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "custom.py").write_text("raise SystemExit\n", encoding="utf-8")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "0_Custom").symlink_to(tmp_path / "code")
    with pytest.raises(EmbedError, match="contains Python code"):
        load_embedder(EmbedRules(f"sentence-transformers:{tmp_path / 'model'}")).embed(["bees"])
    assert module.places == []


def test_without_the_package_the_error_has_an_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    # What Python itself does for a package that is not there.
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedError, match="is not installed") as caught:
        load_embedder(EmbedRules("sentence-transformers:some-model")).embed(["bees"])
    assert caught.value.hint == "Run `pip install 'sentence-transformers>=6'`"


def test_a_vault_is_searched_by_words_when_the_package_is_gone(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bees.md").write_text("# Bees\n\nThe hive hums in the warm evening.\n", encoding="utf-8")
    settings = {"embed.model": "sentence-transformers:some-model"}
    with Vault.open(tmp_path / "notes", settings) as vault:
        vault.index()
        assert vault.search("hive")[0].retrievers == {"lexical": 1, "vector": 1}
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with Vault.open(tmp_path / "notes", settings) as vault:
        assert vault.index().added == 0
        results = vault.search("hive")
    assert results[0].retrievers == {"lexical": 1, "vector": None}
    assert results.notices == (Notice("words_only", {"reason": "The package sentence-transformers is not installed"}),)

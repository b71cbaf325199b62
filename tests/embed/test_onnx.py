from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cases import cases

from notewell import Vault
from notewell.config import load_settings
from notewell.embed import EmbedRules, load_embedder, load_encoder
from notewell.embed.onnx import MINILM, OnnxEmbedder, load_folder, load_minilm
from notewell.embed.words import WordsEmbedder
from notewell.errors import EmbedError
from notewell.types.note import Vectors

TEXTS = [
    "The loaf collapsed because the oven was too cold.",
    "My bread fell flat in the heat that was too low.",
    "The tenant's lawyer wrote a letter about the lease.",
    "Der Teig ist nicht aufgegangen, und das Brot auch nicht.",
    " \n",
    "getTenantId",
]
GARBAGE = b"\x08\xff garbage" * 50
LONG = "The hive hums in the warm evening of a summer day. " * 200


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return load_minilm()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's own folder with an encoder: MiniLM's files, without what Notewell says about them."""
    (folder := tmp_path / "mine").mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(MINILM / name)
    return folder


# MiniLM


def test_the_model_and_its_words_are_the_ones_that_the_config_names() -> None:
    config = json.loads((MINILM / "config.json").read_text())
    for name, key in (("model.onnx", "sha256"), ("tokenizer.json", "tokenizer_sha256")):
        assert hashlib.sha256((MINILM / name).read_bytes()).hexdigest() == config[key]


def test_minilm_is_as_its_config_says(minilm: OnnxEmbedder) -> None:
    config = json.loads((MINILM / "config.json").read_text())
    assert minilm.dimensions == config["dimensions"] == 384
    weights, words = config["sha256"][:12], config["tokenizer_sha256"][:8]
    assert minilm.fingerprint == f"all-MiniLM-L6-v2/256/mean/{weights}-{words}"


def test_every_text_that_is_read_has_a_vector_of_length_1(minilm: OnnxEmbedder) -> None:
    vectors = minilm.embed(TEXTS)
    assert (vectors.shape, vectors.dtype.name) == ((6, 384), "float32")
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0, 0, 1], atol=1e-5)


def test_texts_of_one_subject_are_nearer_than_others(minilm: OnnxEmbedder) -> None:
    bread, also_bread, lease = minilm.embed(TEXTS[:3])
    assert bread @ also_bread > 0.4 > 0.2 > bread @ lease
    query = minilm.embed_query("why did my loaf collapse?")
    assert query @ bread > 0.5 > 0.2 > query @ lease


def test_a_text_in_german_and_a_blank_one_have_the_zero_vector_as_queries_too(minilm: OnnxEmbedder) -> None:
    for text in TEXTS[3:5]:
        assert not minilm.embed_query(text).any()
        assert not minilm.embed([text]).any()


def test_many_texts_have_the_same_vectors_as_each_alone(minilm: OnnxEmbedder) -> None:
    together = minilm.embed(TEXTS)
    alone = np.concatenate([minilm.embed([text]) for text in TEXTS])
    assert np.array_equal(together, alone)
    assert np.allclose(together, [minilm.embed_query(text) for text in TEXTS], atol=0.02)


def test_no_texts_have_no_vectors(minilm: OnnxEmbedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_a_long_text_is_cut_where_the_model_ends(minilm: OnnxEmbedder) -> None:
    whole, longer = minilm.embed([LONG, LONG + "The lease of the tenant's flat was cancelled by letter."])
    assert np.array_equal(whole, longer)
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)


def test_it_is_loaded_by_its_first_query_or_before_and_a_query_is_embedded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder, runs = load_minilm(), list[str]()

    def state(text: str, session: object) -> Vectors:
        runs.append(text)
        return np.ones(384, np.float32)

    monkeypatch.setattr(encoder, "_state", state)
    assert (encoder.dimensions, encoder.is_loaded) == (384, False)
    first = encoder.embed_query("why did my loaf collapse?")
    assert encoder.is_loaded
    assert encoder.embed_query("why did my loaf collapse?") is first
    assert not first.flags.writeable
    assert runs == ["why did my loaf collapse?"]
    (early := load_minilm()).load()
    assert early.is_loaded


# A folder of the user's


def test_a_folder_with_an_encoder_is_loaded_by_its_path_and_reads_every_language(folder: Path) -> None:
    encoder = load_embedder(EmbedRules(str(folder)))
    assert isinstance(encoder, OnnxEmbedder)
    assert encoder.dimensions == 384
    assert encoder.fingerprint.startswith("mine/512/mean/")
    assert encoder.embed([TEXTS[3]]).any()


def test_a_model_whose_settings_say_so_takes_the_first_state(folder: Path, minilm: OnnxEmbedder) -> None:
    mean = load_folder(folder, EmbedRules()).embed([TEXTS[0]])[0]
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    first = load_folder(folder, EmbedRules()).embed([TEXTS[0]])[0]
    assert np.allclose(mean, minilm.embed([TEXTS[0]])[0], atol=1e-6)
    assert abs(float(first @ mean)) < 0.95


def test_prefixes_are_put_before_texts_and_the_passages_one_is_in_the_fingerprint(folder: Path) -> None:
    plain = load_folder(folder, EmbedRules())
    rules = EmbedRules(query_prefix="query: ", passage_prefix="passage: ")
    prefixed = load_folder(folder, rules)
    assert np.array_equal(prefixed.embed(["rye"]), plain.embed(["passage: rye"]))
    assert np.array_equal(prefixed.embed_query("rye"), plain.embed_query("query: rye"))
    assert prefixed.fingerprint != plain.fingerprint
    assert load_folder(folder, EmbedRules(query_prefix="query: ")).fingerprint == plain.fingerprint


def test_the_fingerprint_changes_with_weights_and_vocabulary(folder: Path) -> None:
    first = load_folder(folder, EmbedRules()).fingerprint
    words = (folder / "tokenizer.json").read_text()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text(words + "\n")
    assert load_folder(folder, EmbedRules()).fingerprint != first


def test_a_folder_without_a_tokenizer_is_an_error_with_a_hint(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EmbedError) as caught:
        load_embedder(EmbedRules(str(folder)))
    assert str(folder) in caught.value.fact
    assert "model.onnx and tokenizer.json" in caught.value.hint


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_model_file_is_an_error_with_a_hint_on_first_use(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).write_bytes(GARBAGE)
    encoder = load_embedder(EmbedRules(str(folder)))
    with pytest.raises(EmbedError) as caught:
        encoder.embed(TEXTS)
    with pytest.raises(EmbedError, match="cannot be used"):
        assert encoder.dimensions
    assert "cannot be used" in caught.value.fact
    assert len(caught.value.fact) <= 300
    assert caught.value.hint


def test_without_onnxruntime_the_error_has_the_line_to_install_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "notewell.embed.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    for name in ("minilm", str(folder)):
        with pytest.raises(EmbedError) as caught:
            load_embedder(EmbedRules(name))
        assert caught.value.hint == "Run `pip install 'notewell[minilm]'`"


def test_a_broken_onnxruntime_is_an_error_with_its_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_minilm()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedError) as caught:
        encoder.load()
    assert caught.value.fact.startswith("onnxruntime cannot be loaded: ")
    # Whoever asks next has the error, too, rather than never.
    assert encoder.is_loaded
    with pytest.raises(EmbedError, match="cannot be loaded"):
        encoder.embed_query("rye")


# Which encoder a vault has


def test_auto_is_minilm_behind_the_static_model_and_nothing_behind_another() -> None:
    encoder = load_encoder(EmbedRules())
    assert isinstance(encoder, OnnxEmbedder)
    assert encoder.fingerprint.startswith("all-MiniLM-L6-v2/")
    assert load_encoder(EmbedRules("words")) is None


def test_auto_is_nothing_where_onnxruntime_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell.embed.find_spec", lambda name: None)
    assert load_encoder(EmbedRules()) is None
    assert isinstance(load_encoder(EmbedRules(encoder="words")), WordsEmbedder)


def test_off_means_no_encoder_and_a_name_loads_it(folder: Path) -> None:
    assert load_encoder(EmbedRules(encoder="off")) is None
    assert isinstance(load_encoder(EmbedRules(encoder="words")), WordsEmbedder)
    assert isinstance(load_encoder(EmbedRules("words", encoder="minilm")), OnnxEmbedder)
    own = load_encoder(EmbedRules(encoder=str(folder)))
    assert own is not None
    assert own.fingerprint.startswith("mine/512/mean/")


@cases("name", ["ollama:x", "openai:text-embedding-3-small"])
def test_a_server_cannot_be_the_encoder(name: str) -> None:
    with pytest.raises(EmbedError) as caught:
        load_encoder(EmbedRules(encoder=name))
    assert caught.value.fact == "embed.encoder names a server"
    assert "minilm, a folder, or off" in caught.value.hint


def test_a_folder_in_the_vaults_settings_is_relative_to_the_vault(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root := folder.parent / "vault").mkdir()
    folder.rename(root / "mine")
    (root / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "mine"\n')
    (elsewhere := folder.parent / "elsewhere" / "mine").mkdir(parents=True)
    monkeypatch.chdir(elsewhere.parent)
    assert load_settings(root, {}, {}).embed.encoder == str(root / "mine")
    with Vault.open(root) as vault:
        assert vault.models.encoder is not None
        assert vault.models.encoder.fingerprint.startswith("mine/512/mean/")
    # What the user types is taken from where it is typed.
    assert load_settings(root, {"NOTEWELL_EMBED_ENCODER": "mine"}, {}).embed.encoder == "mine"
    assert load_settings(root, {}, {"embed.encoder": "minilm"}).embed.encoder == "minilm"


def test_an_encoder_that_does_not_exist_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(EmbedError) as caught:
        load_encoder(EmbedRules(encoder=str(tmp_path / "nowhere")))
    assert caught.value.hint


def test_a_copy_of_the_shipped_folder_is_the_same_encoder_read_further(tmp_path: Path, minilm: OnnxEmbedder) -> None:
    copy = load_folder(shutil.copytree(MINILM, tmp_path / "copy"), EmbedRules())
    assert copy.fingerprint.partition("/mean/")[2] == minilm.fingerprint.partition("/mean/")[2]
    assert np.array_equal(copy.embed(TEXTS[:3]), minilm.embed(TEXTS[:3]))

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Split, Whitespace

from notewell.embed import DEFAULT_MODEL
from notewell.embed.static import StaticEmbedder
from notewell.errors import EmbedError

# A text of 60 letters takes longer than the library allows.
ENDLESS = "(x|xx|x+)*(x+x+)+y"
WORDS = ["[UNK]", "bees", "buzz", "bread"]
TABLE = [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [-1.0, 0.0]]


def save_table(folder: Path, rows: list[list[float]], dtype: str = "F32") -> None:
    """Write the safetensors format by hand: the header's size, the header, the numbers."""
    data = np.array(rows, dtype={"F32": np.float32, "F16": np.float16, "I8": np.int8}[dtype])
    tensor = {"dtype": dtype, "shape": list(data.shape), "data_offsets": [0, data.nbytes]}
    header = json.dumps({"embeddings": tensor}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data.tobytes())


def save_words(folder: Path, words: list[str]) -> None:
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of four words in two dimensions, whose vectors one can work out in the head."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    save_table(folder, TABLE)
    save_words(folder, WORDS)
    (folder / "config.json").write_text('{"model_type": "model2vec"}', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shipped() -> StaticEmbedder:
    return StaticEmbedder(DEFAULT_MODEL)


def test_a_text_is_the_mean_of_its_words(model: Path) -> None:
    rows = StaticEmbedder(model).embed(["bees", "bees buzz", "Bread", "bees bread bees"])
    assert np.allclose(rows, np.array([[1, 0], [0.6, 0.8], [-1, 0], [1, 0]]))


@pytest.mark.parametrize("dtype", ["F32", "F16", "I8"])
def test_weights_of_every_width_give_the_same_directions(model: Path, dtype: str) -> None:
    save_table(model, TABLE, dtype)
    assert np.allclose(StaticEmbedder(model).embed(["bees buzz"]), [[0.6, 0.8]])


def test_a_query_has_the_vector_of_a_passage_with_the_same_words(model: Path) -> None:
    assert np.allclose(StaticEmbedder(model).embed_query("bees buzz"), [0.6, 0.8])


def test_a_text_of_nothing_or_of_unknown_words_is_the_zero_vector(model: Path) -> None:
    assert StaticEmbedder(model).embed(["", "   ", "quokka"]).tolist() == [[0, 0], [0, 0], [0, 0]]
    assert StaticEmbedder(model).embed([]).shape == (0, 2)


def test_the_shipped_model_gives_unit_vectors_and_zero_for_empty_text(shipped: StaticEmbedder) -> None:
    rows = shipped.embed(["The hive hums.", "", "日本語のノート", "bees " * 5_000])
    assert rows.shape == (4, shipped.dimensions) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 1])


def test_the_shipped_model_gives_a_text_the_same_vector_in_any_batch(shipped: StaticEmbedder) -> None:
    texts = [f"note {number} about bees and bread" for number in range(70)]
    together = shipped.embed(texts)
    alone = np.concatenate([StaticEmbedder(DEFAULT_MODEL).embed([text]) for text in texts[::23]])
    assert together[::23].tobytes() == alone.tobytes()


def test_case_does_not_matter_to_the_shipped_model(shipped: StaticEmbedder) -> None:
    lower, upper = shipped.embed(["why did the bread collapse", "WHY DID THE BREAD COLLAPSE"])
    assert lower.tobytes() == upper.tobytes()


def test_the_shipped_model_knows_that_words_are_near(shipped: StaticEmbedder) -> None:
    bread, loaf, router = shipped.embed(["baking bread", "a loaf of sourdough", "network router settings"])
    assert bread @ loaf > bread @ router + 0.1


def test_the_shipped_fingerprint_is_that_of_its_weights(shipped: StaticEmbedder) -> None:
    digest = hashlib.sha256((DEFAULT_MODEL / "model.safetensors").read_bytes()).hexdigest()
    assert digest[:12] in shipped.fingerprint


def test_the_fingerprint_is_the_same_for_the_same_model_and_not_for_other_weights(model: Path) -> None:
    before = StaticEmbedder(model).fingerprint
    assert StaticEmbedder(model).fingerprint == before
    save_table(model, [[0.0, 0.0], [3.0, 0.5], [0.0, 4.0], [-1.0, 0.0]])
    assert StaticEmbedder(model).fingerprint != before


def test_the_fingerprint_is_not_the_same_for_another_vocabulary(model: Path) -> None:
    before = StaticEmbedder(model).fingerprint
    save_words(model, ["[UNK]", "buzz", "bees", "bread"])
    assert StaticEmbedder(model).fingerprint != before


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def replace(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def cut_short(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-5])


def one_dimension(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes().replace(b"[4, 2]", b"[8]   "))


def wrong_header(header: object) -> bytes:
    data = json.dumps(header).encode()
    return len(data).to_bytes(8, "little") + data


DAMAGES = {
    "no weights": remove("model.safetensors"),
    "no tokenizer": remove("tokenizer.json"),
    "no config": remove("config.json"),
    "empty weights": replace("model.safetensors", b""),
    "weights that are text": replace("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n"),
    "weights cut short": cut_short,
    "a header without embeddings": replace("model.safetensors", wrong_header({})),
    "a header that is a list": replace("model.safetensors", wrong_header([1])),
    "a tensor without a shape": replace("model.safetensors", wrong_header({"embeddings": {"dtype": "F32"}})),
    "an unknown width": replace(
        "model.safetensors", wrong_header({"embeddings": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [0, 2]}})
    ),
    "a tensor of one dimension": one_dimension,
    "fewer rows than words": lambda folder: save_table(folder, TABLE[:2]),
    "a tokenizer that is no JSON": replace("tokenizer.json", b"{"),
    "a tokenizer of another kind": replace("tokenizer.json", b'{"model": {"type": "Nonsense"}}'),
    "a config that is no JSON": replace("config.json", b"{"),
    "a config that is a list": replace("config.json", b"[]"),
    "a config that is not UTF-8": replace("config.json", b'{"name": "\xff"}'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damaged_model_is_an_error_with_a_hint(model: Path, damage: Callable[[Path], None]) -> None:
    damage(model)
    with pytest.raises(EmbedError, match="cannot be loaded") as caught:
        StaticEmbedder(model)
    assert str(model) in caught.value.fact and "tokenizer.json" in caught.value.hint


def split_by(folder: Path, pattern: str) -> None:
    """Let the tokenizer of a model split texts by a regular expression."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.pre_tokenizer = Split(Regex(pattern), "isolated")
    tokenizer.save(str(folder / "tokenizer.json"))


def test_a_tokenizer_that_panics_is_an_error_like_any_other(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    split_by(model, ENDLESS)
    embedder = StaticEmbedder(model)
    with pytest.raises(EmbedError, match="tokenizer in"):
        embedder.embed(["bees", "x" * 60])
    with pytest.raises(EmbedError, match="tokenizer in"):
        embedder.embed_query("x" * 60)
    assert "retry-limit" in capfd.readouterr().err


@pytest.mark.parametrize("pattern", [ENDLESS, "x*x*x*y", r"(x+)\1", "(?#[)(x+)+y(?#])", r"\p{L}+"])
def test_a_model_in_a_vault_has_only_simple_patterns(model: Path, pattern: str) -> None:
    (model.parent / "notewell.toml").touch()
    split_by(model, " {2,}")
    assert StaticEmbedder(model).embed(["bees"]).any()
    split_by(model, pattern)
    with pytest.raises(EmbedError, match="may come from a stranger"):
        StaticEmbedder(model)


def test_another_thread_gives_the_same_vectors() -> None:
    embedder = StaticEmbedder(DEFAULT_MODEL)
    texts = ["The loaf collapsed.", "getTenantId(42) – Größe ☕", "東京都\x00 \x0b x", "", "a" * 9_000]
    with ThreadPoolExecutor(1) as thread:
        beside = thread.submit(embedder.embed, texts).result()
    assert np.array_equal(beside, embedder.embed(texts))


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("abejas", "bees", "taxes"),
        ("impuestos", "taxes", "bees"),
        ("abeilles", "bees", "taxes"),
        ("cavalli", "horses", "bread"),
        ("saúde", "health", "music"),
        ("gezondheid", "health", "music"),
        ("Gesundheit", "health", "music"),
    ],
)
def test_a_word_of_another_language_is_near_its_english_meaning(word: str, near: str, far: str) -> None:
    asked, one, other = StaticEmbedder(DEFAULT_MODEL).embed([word, near, far])
    assert asked @ one > asked @ other + 0.2

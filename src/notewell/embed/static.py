"""Static vectors in model2vec format: each token has one, a text is their mean."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.embed.spelled import SpelledVocabulary
from notewell.embed.unit import unit
from notewell.errors import EmbedError
from notewell.types.note import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from notewell.embed.wordpiece import WordTokens

# Whole chunks fit; a hostile text of a million words costs no more than this.
MAX_CHARS = 8_000
# Texts taken apart at once: their new words go to the tokenizer together.
BATCH = 32


class StaticEmbedder:
    """Embeds by looking tokens up: no network, no GPU, thousands of chunks a second."""

    instant = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._explained():
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._table = _load_table(folder / "model.safetensors")
            self.fingerprint = _fingerprint(folder, config, self._table.shape)
            self._first = SpelledVocabulary(folder / "tokenizer.json") if "tokenizer_sha256" in config else None
        self.dimensions = int(self._table.shape[1])
        if self._first is None:
            # Our own model is known to be whole; a stranger's is looked at before anything goes by it.
            _ = self._tokenizer

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with self._explained():
            return _load_tokenizer(self._folder / "tokenizer.json", rows=self._table.shape[0])

    @cached_property
    def _words(self) -> WordTokens | None:
        from notewell.embed.wordpiece import WordTokens, goes_by_words  # noqa: PLC0415

        return WordTokens(self._tokenizer) if goes_by_words(self._tokenizer) else None

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise EmbedError(
                f"The embedding model in {self._folder} cannot be loaded: {error}",
                "A model2vec folder holds model.safetensors, tokenizer.json and config.json",
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's token vectors, scaled to length 1."""
        return self._means(self._tokens(texts), len(texts))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query: a passage with the same words has the same."""
        # Who asks once is answered before the tokenizer would be loaded; who goes on is quicker with it.
        vocabulary, self._first = self._first, None
        tokens = vocabulary.tokens(text) if vocabulary else None
        row: Vectors = (self._means([tokens], 1) if tokens is not None else self.embed([text]))[0]
        return row

    def _means(self, tokens: Iterable[list[int]], texts: int) -> Vectors:
        vectors = np.zeros((texts, self.dimensions), dtype=np.float32)
        for row, ids in enumerate(tokens):
            if ids:
                # A product adds the rows up several times quicker than a sum does.
                vectors[row] = np.ones(len(ids), dtype=np.float32) @ self._table.take(ids, axis=0).astype(np.float32)
        return unit(vectors)

    def pieces(self, word: str) -> int:
        """Return how many pieces the tokenizer makes of a word: several of a technical one."""
        return len(self._tokenizer.encode(word, add_special_tokens=False).ids)

    def _tokens(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the numbers of each text's tokens."""
        # By words is half as quick again, but holds Python's lock: beside another thread, as while indexing, the
        # tokenizer by itself is better. A vault of 104 MB takes 58 to 62 s so, and 65 s by words.
        alone = threading.current_thread() is threading.main_thread()
        for first in range(0, len(texts), BATCH):
            batch = [text[:MAX_CHARS] for text in texts[first : first + BATCH]]
            if self._words is not None and alone:
                yield from self._words(batch)
            else:
                encoded = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
                yield from (encoding.ids for encoding in encoded)


def _load_table(file: Path) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the tensor `embeddings` of a safetensors file, mapped and not copied."""
    with file.open("rb") as stream:
        header_size = int.from_bytes(stream.read(8), "little")
        if header_size > 1_000_000:
            raise ValueError(f"{file.name} is not a safetensors file")
        tensor = json.loads(stream.read(header_size))["embeddings"]
    dtype = {"F32": np.float32, "F16": np.float16, "I8": np.int8}[tensor["dtype"]]
    rows, columns = tensor["shape"]
    start = 8 + header_size + tensor["data_offsets"][0]
    return np.memmap(file, dtype=dtype, mode="r", offset=start, shape=(rows, columns))


def _load_tokenizer(file: Path, rows: int) -> Tokenizer:
    # The library and its vocabulary take 40 ms to load, which the first query does without.
    from tokenizers import Tokenizer  # noqa: PLC0415

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises nothing narrower
        raise ValueError(f"{file.name}: {error}") from error
    if tokenizer.get_vocab_size() > rows:
        raise ValueError(f"{file.name} knows {tokenizer.get_vocab_size()} tokens, the weights {rows}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _fingerprint(folder: Path, config: Mapping[str, Any], shape: tuple[int, ...]) -> str:
    # The hashes of our own model stand in its config; a stranger's files are hashed here.
    weights = config.get("sha256") or _hash(folder / "model.safetensors")
    words = config.get("tokenizer_sha256") or _hash(folder / "tokenizer.json")
    return f"{config.get('name') or folder.name}/{shape[0]}x{shape[1]}/mean/{weights[:12]}-{words[:8]}"


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()

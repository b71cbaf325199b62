"""Static vectors in model2vec format: each token has one, a text is their mean."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from notewell.embed.unit import unit
from notewell.embed.wordpiece import WordTokens, goes_by_words
from notewell.errors import EmbedError
from notewell.types import Vectors

# Whole chunks fit; a hostile text of a million words costs no more than this.
MAX_CHARS = 8_000
# Texts taken apart at once: their new words go to the tokenizer together.
BATCH = 32


class StaticEmbedder:
    """Embeds by looking tokens up: no network, no GPU, thousands of chunks a second."""

    def __init__(self, folder: Path) -> None:
        try:
            self._table = _load_table(folder / "model.safetensors")
            self._tokenizer = _load_tokenizer(folder / "tokenizer.json", rows=self._table.shape[0])
            self.fingerprint = _fingerprint(folder, self._table.shape)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise EmbedError(
                f"The embedding model in {folder} cannot be loaded: {error}",
                "A model2vec folder holds model.safetensors, tokenizer.json and config.json",
            ) from error
        self._words = WordTokens(self._tokenizer) if goes_by_words(self._tokenizer) else None
        self.dimensions = int(self._table.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's token vectors, scaled to length 1."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, ids in enumerate(self._tokens(texts)):
            if ids:
                # A product adds the rows up several times quicker than a sum does.
                vectors[row] = np.ones(len(ids), dtype=np.float32) @ self._table.take(ids, axis=0).astype(np.float32)
        return unit(vectors)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query: a passage with the same words has the same."""
        row: Vectors = self.embed([text])[0]
        return row

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
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises nothing narrower
        raise ValueError(f"{file.name}: {error}") from error
    if tokenizer.get_vocab_size() > rows:
        raise ValueError(f"{file.name} knows {tokenizer.get_vocab_size()} tokens, the weights {rows}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _fingerprint(folder: Path, shape: tuple[int, ...]) -> str:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    # The weights' own hash stands in the config of our models; a stranger's are hashed here.
    weights = config.get("sha256") or hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    words = hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    return f"{config.get('name') or folder.name}/{shape[0]}x{shape[1]}/mean/{weights[:12]}-{words[:8]}"

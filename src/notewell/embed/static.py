"""Static vectors in model2vec format: each token has one, and a text's vector is their mean."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.embed.model_files import digest_of, open_weights, read_text
from notewell.embed.tokens import load_tokenizer, panics_explained
from notewell.embed.vectors import unit
from notewell.embed.word_pieces import WordPieces
from notewell.errors import EmbedError
from notewell.types.note import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Whole chunks fit; a hostile text of a million words costs no more than this.
MAX_CHARS = 8_000
# Texts tokenized at once: the tokenizer gets their new words together.
BATCH = 32
# Words that `WordTokens` remembers: some megabytes. A vault of 100 MB has 250,000, most of them once.
MOST_WORDS = 50_000


class StaticEmbedder:
    """Embeds by table lookup: no network, no GPU, thousands of chunks a second."""

    instant = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._explained():
            config = json.loads(read_text(folder / "config.json"))
            self._table = _load_table(folder / "model.safetensors")
            self.fingerprint = _fingerprint(folder, config, self._table.shape)
            self._is_ours = "tokenizer_sha256" in config
            self._vocabulary = VocabularyFile(folder / "tokenizer.json") if self._is_ours else None
        self.dimensions = int(self._table.shape[1])
        # A search embeds its query to compare chunks, and again to compare their sentences.
        self._latest: tuple[str | None, Vectors] = None, np.zeros(0, dtype=np.float32)
        if self._vocabulary is None:
            # Our own model is known to be intact; another one is checked before it is used.
            _ = self._tokenizer

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with self._explained():
            return _load_tokenizer(self._folder, rows=self._table.shape[0])

    @cached_property
    def _words(self) -> WordTokens | None:
        return WordTokens(self._encode) if self._is_ours or splits_by_words(self._tokenizer) else None

    @cached_property
    def _pieces(self) -> WordPieces | None:
        return WordPieces(self._folder / "tokenizer.json") if self._is_ours else None

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token numbers of each text; the library is only loaded for signs that few vaults have."""
        found = [self._pieces.tokens(text) if self._pieces else None for text in texts]
        left = [text for text, tokens in zip(texts, found, strict=True) if tokens is None]
        if not left:
            return [tokens for tokens in found if tokens is not None]
        encoded = iter(self._tokenizer.encode_batch_fast(left, add_special_tokens=False))
        return [next(encoded).ids if tokens is None else tokens for tokens in found]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise EmbedError(
                f"The embedding model in {self._folder} cannot be loaded: {error}",
                "A model2vec folder contains model.safetensors, tokenizer.json and config.json",
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's token vectors, scaled to length 1."""
        with panics_explained(self._folder):
            return self._means(self._tokens(texts), len(texts))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query: that of a passage with the same words."""
        asked, row = self._latest
        if asked != text:
            if asked is not None:
                # A command answers one query before all tokens would be read; later ones are quicker with them.
                self._vocabulary = None
            row = self.embed([text])[0]
            self._latest = text, row
        return row

    def _means(self, tokens: Iterable[list[int]], texts: int) -> Vectors:
        vectors = np.zeros((texts, self.dimensions), dtype=np.float32)
        for row, ids in enumerate(tokens):
            if ids:
                # A matrix product adds the rows up several times faster than a sum does.
                vectors[row] = np.ones(len(ids), dtype=np.float32) @ self._table.take(ids, axis=0).astype(np.float32)
        return unit(vectors)

    def pieces(self, word: str) -> int:
        """Return how many tokens a word has: technical terms have several."""
        vocabulary = self._vocabulary
        if vocabulary and (tokens := vocabulary.tokens(word)) is not None:
            return len(tokens)
        with panics_explained(self._folder):
            return len(self._encode([word])[0])

    def _tokens(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the token numbers of each text."""
        # Another thread may drop it meanwhile.
        if vocabulary := self._vocabulary:
            if (tokens := vocabulary.tokens_of(texts)) is not None:
                yield from tokens
                return
            self._vocabulary = None
        for first in range(0, len(texts), BATCH):
            batch = [text[:MAX_CHARS] for text in texts[first : first + BATCH]]
            if self._words is not None:
                yield from self._words(batch)
            else:
                yield from self._encode(batch)


class VocabularyFile:
    """Tokens of plain texts, found by searching tokenizer.json as bytes, or in its vocabulary alone.

    Reading all tokens takes 40 ms, too long for a command that embeds one query and the sentences of a few hits. They
    have BERT's WordPiece rules.
    """

    # Plain text splits into these under BERT's rules; anything else needs more.
    PLAIN = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
    PRINTABLE = re.compile(r"[\x20-\x7e\t\n\r]*")
    # For a longer word, or more text than this in all, reading all tokens is better.
    LONG_WORD = re.compile(r"[A-Za-z0-9]{50}")
    MOST_TEXT = 10_000
    # Reading the vocabulary takes 15 ms, as long as searching this many bytes does.
    SEARCHED = 40_000_000
    UNKNOWN = "[UNK]"
    START = b'"vocab":{'

    def __init__(self, file: Path) -> None:
        self._text = read_text(file)
        # Before the vocabulary, words such as `model` and `type` are keys of the file.
        self._start = self._text.index(self.START) + len(self.START)
        self._room, self._searched = self.MOST_TEXT, 0
        self._known: dict[str, list[int]] = {}

    def tokens_of(self, texts: Sequence[str]) -> list[list[int]] | None:
        """Return the token numbers of each text; None if one is not plain, or if there was too much text."""
        # Before any of them is looked up: what is indexed is more.
        if sum(map(len, texts)) > self._room or not all(map(self.PRINTABLE.fullmatch, texts)):
            return None
        found = [tokens for text in texts if (tokens := self.tokens(text)) is not None]
        return found if len(found) == len(texts) else None

    def tokens(self, text: str) -> list[int] | None:
        """Return the token numbers of a text; None if it is not plain, or if there was too much text."""
        self._room -= len(text)
        if self._room < 0 or self.LONG_WORD.search(text) or not self.PRINTABLE.fullmatch(text):
            return None
        words = self.PLAIN.findall(text.lower())
        for word in words:
            if word not in self._known:
                self._known[word] = self._of_word(word)
        return [number for word in words for number in self._known[word]]

    def _of_word(self, word: str) -> list[int]:
        """Return the longest prefix that is a token, then the same for the rest; or the unknown token."""
        numbers: list[int] = []
        while word:
            length, number = self._longest("##" if numbers else "", word)
            if not length:
                return [self._number(self.UNKNOWN)]
            numbers.append(number)
            word = word[length:]
        return numbers

    def _longest(self, begun: str, word: str) -> tuple[int, int]:
        for length in range(len(word), 0, -1):
            if (number := self._number(begun + word[:length])) >= 0:
                return length, number
        return 0, -1

    def _number(self, token: str) -> int:
        """Return the number of a token, or -1."""
        if self._searched > self.SEARCHED:
            return self._vocabulary.get(token, -1)
        written = b'"' + token.replace("\\", "\\\\").replace('"', '\\"').encode() + b'":'
        at = self._text.find(written, self._start)
        self._searched += (at if at >= 0 else len(self._text)) - self._start
        if at < 0:
            return -1
        start = at + len(written)
        return int(self._text[start : self._text.find(b",", start)].rstrip(b"}"))

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        vocabulary: dict[str, int] = json.JSONDecoder().raw_decode(self._text[self._start - 1 :].decode())[0]
        return vocabulary


def splits_by_words(tokenizer: Tokenizer) -> bool:
    """Tell whether a tokenizer has BERT's rules, under which a text's tokens are those of its words."""
    # Loaded already: it made the tokenizer.
    from tokenizers.models import WordPiece  # noqa: PLC0415
    from tokenizers.normalizers import BertNormalizer  # noqa: PLC0415
    from tokenizers.pre_tokenizers import BertPreTokenizer  # noqa: PLC0415

    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    rules = (BertNormalizer, BertPreTokenizer, WordPiece)
    return all(isinstance(part, rule) for part, rule in zip(parts, rules, strict=True))


class WordTokens:
    """Tokenizes texts word by word, and remembers the words: most of them occur again and again."""

    # BERT's rules never join these: runs of plain letters and digits, single signs, anything beyond ASCII.
    PLAIN = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")
    MIXED = re.compile(r"(?=\S*[^\x00-\x7f])\S+|[A-Za-z0-9]+|[^\sA-Za-z0-9]")
    # BERT's rules drop these characters and join their neighbours.
    DROPPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

    def __init__(self, encode: Callable[[Sequence[str]], list[list[int]]]) -> None:
        self._encode = encode
        self._known: dict[str, list[int]] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token numbers of each text."""
        words = [(self.PLAIN if text.isascii() else self.MIXED).findall(text) for text in texts]
        known = self._learned({word for run in words for word in run})
        return [
            self._encode([text])[0]
            if self.DROPPED.search(text)
            else list(chain.from_iterable([known[word] for word in run]))
            for text, run in zip(texts, words, strict=True)
        ]

    def _learned(self, words: set[str]) -> dict[str, list[int]]:
        """Return the tokens of all words seen so far; new words are tokenized together."""
        known = self._known
        new = [word for word in words if word not in known]
        if not new:
            return known
        if len(known) > MOST_WORDS:
            # Another thread may still be reading the old dictionary.
            known, new = {}, list(words)
        known.update(zip(new, self._encode(new), strict=True))
        self._known = known
        return known


def _load_table(file: Path) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the tensor `embeddings` of a safetensors file, memory-mapped."""
    with open_weights(file) as stream:
        header_size = int.from_bytes(stream.read(8), "little")
        if header_size > 1_000_000:
            raise ValueError(f"{file.name} is not a safetensors file")
        tensor = json.loads(stream.read(header_size))["embeddings"]
    dtype = {"F32": np.float32, "F16": np.float16, "I8": np.int8}[tensor["dtype"]]
    rows, columns = tensor["shape"]
    start = 8 + header_size + tensor["data_offsets"][0]
    # As a plain array: each part of a memmap that is taken would be one, too.
    return np.asarray(np.memmap(file, dtype=dtype, mode="r", offset=start, shape=(rows, columns)))


def _load_tokenizer(folder: Path, rows: int) -> Tokenizer:
    # The library and its vocabulary take 40 ms to load, which the first query avoids.
    tokenizer = load_tokenizer(folder)
    if tokenizer.get_vocab_size() > rows:
        raise ValueError(f"tokenizer.json has {tokenizer.get_vocab_size()} tokens, the weights {rows}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _fingerprint(folder: Path, config: Mapping[str, Any], shape: tuple[int, ...]) -> str:
    # The config of our own model contains its hashes; other files are hashed here.
    weights = config.get("sha256") or digest_of(folder / "model.safetensors")
    words = config.get("tokenizer_sha256") or digest_of(folder / "tokenizer.json")
    return f"{config.get('name') or folder.name}/{shape[0]}x{shape[1]}/mean/{weights[:12]}-{words[:8]}"

"""Tokens of a text by way of its words: the same words come again and again, and are taken apart once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

# What BERT's rules never join: runs of plain letters and digits, single signs, and whatever has other letters in it.
PLAIN = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")
MIXED = re.compile(r"(?=\S*[^\x00-\x7f])\S+|[A-Za-z0-9]+|[^\sA-Za-z0-9]")
# BERT's rules drop these and join what stands around them.
DROPPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Words remembered: some megabytes. A vault of 100 MB has a quarter of a million, most of them once.
MOST_WORDS = 50_000


def goes_by_words(tokenizer: Tokenizer) -> bool:
    """Tell whether a tokenizer has BERT's rules, by which a text's tokens are those of its words."""
    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    rules = (BertNormalizer, BertPreTokenizer, WordPiece)
    return all(isinstance(part, rule) for part, rule in zip(parts, rules, strict=True))


class WordTokens:
    """The tokens of texts, for a tokenizer that goes by words."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of each text's tokens."""
        words = [(PLAIN if text.isascii() else MIXED).findall(text) for text in texts]
        known = self._learned({word for run in words for word in run})
        return [
            self._taken_apart(text)
            if DROPPED.search(text)
            else list(chain.from_iterable([known[word] for word in run]))
            for text, run in zip(texts, words, strict=True)
        ]

    def _learned(self, words: set[str]) -> dict[str, list[int]]:
        """Return the tokens of words, these among them; those that are new are taken apart together."""
        known = self._known
        new = [word for word in words if word not in known]
        if not new:
            return known
        if len(known) > MOST_WORDS:
            # Another thread may be reading the old ones.
            known, new = {}, list(words)
        taken_apart = self._tokenizer.encode_batch_fast(new, add_special_tokens=False)
        known.update(zip(new, [encoding.ids for encoding in taken_apart], strict=True))
        self._known = known
        return known

    def _taken_apart(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

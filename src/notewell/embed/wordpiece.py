"""Tokens of a text by way of its words: the same words come again and again, and are taken apart once."""

from __future__ import annotations

import re
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

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the text's tokens."""
        if DROPPED.search(text):
            return self._taken_apart(text)
        words = (PLAIN if text.isascii() else MIXED).findall(text)
        known = self._known
        try:
            return list(chain.from_iterable([known[word] for word in words]))
        except KeyError:
            if len(known) > MOST_WORDS:
                # Another thread may be reading the old ones.
                known = self._known = {}
            for word in words:
                if word not in known:
                    known[word] = self._taken_apart(word)
            return list(chain.from_iterable([known[word] for word in words]))

    def _taken_apart(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

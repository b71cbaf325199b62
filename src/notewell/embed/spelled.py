"""The tokens of a few plain words, looked up in the tokenizer's file as it lies there."""

from __future__ import annotations

import re
from pathlib import Path

# BERT's rules take plain text apart so; anything else is for the tokenizer itself.
PLAIN = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
PRINTED = re.compile(r"[\x20-\x7e\t\n\r]*")
# A longer text, or word, is quicker to read once the tokenizer is loaded.
LONGEST_TEXT = 200
LONG_WORD = re.compile(r"\w{25}")
UNKNOWN = "[UNK]"
VOCABULARY = b'"vocab":{'


class SpelledVocabulary:
    """The vocabulary of a WordPiece tokenizer with BERT's rules, in a file that is searched and not parsed.

    A command that asks once would spend 30 ms on loading the tokenizer, and needs a handful of its words.
    """

    def __init__(self, file: Path) -> None:
        self._text = file.read_bytes()
        # Before it, words such as `model` and `type` name parts of the file.
        self._begins = self._text.index(VOCABULARY)

    def tokens(self, text: str) -> list[int] | None:
        """Return the numbers of a text's tokens; None, if it is not short and plain."""
        if len(text) > LONGEST_TEXT or LONG_WORD.search(text) or not PRINTED.fullmatch(text):
            return None
        return [number for word in PLAIN.findall(text.lower()) for number in self._of_word(word)]

    def _of_word(self, word: str) -> list[int]:
        """Return the longest beginning that is a token, then that of the rest, and so on; or the unknown word."""
        numbers: list[int] = []
        while word:
            length, number = self._longest("##" if numbers else "", word)
            if not length:
                return [self._number(UNKNOWN)]
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
        written = b'"' + token.replace("\\", "\\\\").replace('"', '\\"').encode() + b'":'
        at = self._text.find(written, self._begins + len(VOCABULARY))
        if at < 0:
            return -1
        start = at + len(written)
        return int(self._text[start : self._text.find(b",", start)].rstrip(b"}"))

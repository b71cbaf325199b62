"""Which of many keywords a text holds, found in one pass over it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

# Texts are looked through in parts, so that a large one needs no more memory than a small one.
_PART = 1 << 20
# A word, and whether its case is of no matter.
Keyword = tuple[str, bool]
# From the most to the least frequent in English; all else is rarer still.
_FREQUENT = "etaoinshrdlcumwfgypbvkjxqz"


class Keywords:
    """Finds keywords by the rarest letters of each: a table says of any three in a row whether a keyword has them."""

    def __init__(self, as_written: Iterable[str], any_case: Iterable[str]) -> None:
        """Enter each keyword under the two rarest three letters in a row that it has."""
        self._known = np.zeros(1 << 21, dtype=np.bool_)
        self._by_code: dict[int, list[tuple[Keyword, int]]] = {}
        self._foreign: list[Keyword] = []
        for keyword in (*((word, False) for word in as_written), *((word, True) for word in any_case)):
            self._enter(keyword)

    def _enter(self, keyword: Keyword) -> None:
        word, any_case = keyword
        rarest = _rarest(word)
        if not rarest:
            self._foreign.append(keyword)
        for number, letters in enumerate(rarest):
            forms = product(*({letter, letter.upper()} for letter in letters)) if any_case else (tuple(letters),)
            for form in forms:
                code = (ord(form[0]) << 14) | (ord(form[1]) << 7) | ord(form[2])
                self._known[code] = True
                self._by_code.setdefault(code, []).append((keyword, number + 1 if len(rarest) > 1 else 3))

    def present(self, text: str) -> list[Keyword]:
        """Return the keywords that the text may hold; all that it does hold are among them."""
        data = text.encode("utf-8", "replace")
        # The first of its letters adds 1, the second 2: what has 3 has both.
        seen: dict[Keyword, int] = {}
        for start in range(0, max(len(data) - 2, 0), _PART):
            codes = _codes(data[start : start + _PART + 2])
            for code in set(codes[self._known[codes]].tolist()):
                for keyword, bit in self._by_code[code]:
                    seen[keyword] = seen.get(keyword, 0) | bit
        found = [keyword for keyword, bits in seen.items() if bits == 3]
        return found if text.isascii() else [*found, *self._foreign]


def _rarest(keyword: str) -> list[str]:
    """Return the letters by which a keyword is best told from common words; none, if it has no three in a row."""
    threes = {keyword[at : at + 3] for at in range(len(keyword) - 2)}
    plain = sorted(three for three in threes if three.isascii())
    return sorted(plain, key=lambda three: -sum(map(_rarity, three)))[:2]


def _rarity(letter: str) -> int:
    return _FREQUENT.index(letter) if letter in _FREQUENT else len(_FREQUENT)


def _codes(data: bytes) -> NDArray[np.int32]:
    """Return a number for every three bytes in a row; letters that are not ASCII may pass for others."""
    letters = np.frombuffer(data, dtype=np.uint8).astype(np.int32) & 127
    return (letters[:-2] << 14) | (letters[1:-1] << 7) | letters[2:]

"""Which of many keywords a text contains: nearly all are ruled out in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

# A word, and whether its case is ignored.
Keyword = tuple[str, bool]

# Texts are read in parts, so that a large one needs no more memory than a small one.
_PART = 1 << 20
# The letters from the most to the least frequent in English; other characters are rarer still.
_FREQUENT = "etaoinshrdlcumwfgypbvkjxqz"
# Trigrams that a fifth of all notes contain, although their letters are rare; so do most with a space.
_FREQUENT_TRIGRAMS = """
    --- -ap -pr -se -to /ap _ke acc ack add adm als alu ass aut bas cau cce ces con cou cre cur den dmi equ era ets
    exe fac glo har her htt ial ic: ica ifi ili imp key loa log lue mas min mon nt- nti ope ord our par pas pen pi-
    pi/ qui red rep req ret riv rol rt- sec sen sql sse tex the thr to- tor ttp use uth val ver wil win wit wor xec
    you
"""


class Keywords:
    """Finds which of many keywords a text contains, by the two rarest trigrams of each keyword."""

    def __init__(self, keywords: Iterable[Keyword]) -> None:
        """Register each keyword under its rarest trigram."""
        # Those that ignore case first, short ones before long ones.
        self._keywords = sorted(keywords, key=lambda keyword: (not keyword[1], len(keyword[0])))
        self._known = np.zeros(1 << 21, dtype=np.bool_)
        # For each form of a rarest trigram: the numbers of the keywords, and the forms of their second trigram.
        self._by_code: dict[int, list[tuple[int, frozenset[int]]]] = {}
        self._without_trigram: list[int] = []
        self._beyond_ascii = {number for number, (word, _) in enumerate(self._keywords) if not word.isascii()}
        # Another keyword that is part of this one, or -1: where it is missing, so is this.
        self._parts = [self._part_of(number) for number in range(len(self._keywords))]
        for number, keyword in enumerate(self._keywords):
            self._register(number, keyword)

    def _part_of(self, number: int) -> int:
        word, any_case = self._keywords[number]
        shorter = range(number - 1, -1, -1) if any_case else ()
        return next((other for other in shorter if self._keywords[other][0] in word), -1)

    def _register(self, number: int, keyword: Keyword) -> None:
        word, any_case = keyword
        forms = [frozenset(_forms(three, any_case=any_case)) for three in _rarest_trigrams(word)]
        self._known[[code for codes in forms for code in codes]] = True
        if not forms:
            self._without_trigram.append(number)
        for code in forms[0] if forms else ():
            self._by_code.setdefault(code, []).append((number, forms[-1]))

    def present(self, text: str, lowered: str) -> list[Keyword]:
        """Return the keywords that a text contains; those that ignore case are looked for in its lower case."""
        contained: set[int] = {-1}
        found: list[Keyword] = []
        # In order, so that a keyword comes after its part.
        for number in sorted(self._likely(text)):
            word, any_case = keyword = self._keywords[number]
            if self._parts[number] in contained and word in (lowered if any_case else text):
                contained.add(number)
                found.append(keyword)
        return found

    def _likely(self, text: str) -> set[int]:
        """Return the numbers of the keywords whose trigrams the text contains."""
        data = text.encode("utf-8", "replace")
        seen: set[int] = set()
        for start in range(0, max(len(data) - 2, 0), _PART):
            codes = _trigram_codes(data[start : start + _PART + 2])
            seen.update(codes.compress(self._known.take(codes)).tolist())
        listed = (self._by_code[code] for code in seen & self._by_code.keys())
        likely = {number for pairs in listed for number, second in pairs if not seen.isdisjoint(second)}
        return likely - self._beyond_ascii if text.isascii() else likely.union(self._without_trigram)


def _rarest_trigrams(keyword: str) -> list[str]:
    """Return the two trigrams of a keyword that are rarest in notes, of ASCII or of bytes; none if it has none."""
    # In scripts without capitals, bytes have one form only: they are compared as `_trigram_codes` reads them.
    uncased = not keyword.isascii() and keyword.upper() == keyword.lower()
    letters = "".join(chr(byte & 127) for byte in keyword.encode()) if uncased else keyword
    threes = {letters[at : at + 3] for at in range(len(letters) - 2)}
    plain = sorted(three for three in threes if three.isascii())
    return sorted(plain, key=lambda three: (three in _FREQUENT_TRIGRAMS or " " in three, -sum(map(_rarity, three))))[:2]


def _rarity(letter: str) -> int:
    return _FREQUENT.find(letter) if letter in _FREQUENT else len(_FREQUENT)


def _forms(trigram: str, *, any_case: bool) -> Iterator[int]:
    """Yield the number of a trigram, or those of its forms in capitals and small letters."""
    for first, second, third in product(*((letter, letter.upper()) if any_case else letter for letter in trigram)):
        yield (ord(first) << 14) | (ord(second) << 7) | ord(third)


def _trigram_codes(data: bytes) -> NDArray[np.int32]:
    """Return a number for every three bytes in a row; characters beyond ASCII may collide with others."""
    letters = np.frombuffer(data, dtype=np.uint8) & 127
    # In place: another copy of the text for each step takes longer than the step.
    codes = letters[:-2].astype(np.int32)
    codes <<= 7
    codes |= letters[1:-1]
    codes <<= 7
    codes |= letters[2:]
    return codes

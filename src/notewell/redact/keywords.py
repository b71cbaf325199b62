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
# A group of bytes becomes a number of 21 bits; so few of these are in use that groups rarely collide.
_BITS = 21
_FACTOR = np.uint32(2654435761)
_SHIFT, _THREE, _FOUR = np.uint32(32 - _BITS), np.uint32(0xFFFFFF), np.uint32(1 << _BITS)
# The letters from the most to the least frequent in English; other characters are rarer still.
_FREQUENT = b"etaoinshrdlcumwfgypbvkjxqz"
# Trigrams that a fifth of all notes contain, although their letters are rare; so do most of letters and a space.
_FREQUENT_TRIGRAMS = b"""
    --- -ap -pr -se -to /ap _ke acc ack add adm als alu ass aut bas cau cce ces con cou cre cur den dmi equ era ets
    exe fac fie glo har her htt ial ic: ica ide ied ifi ili imp ith key loa log lue mas min mon nt- nti ope ord our
    par pas pen pi- pi/ qui red rep req ret riv rol rt- sec sen sql sse tex the thr to- tor ttp use uth val ver wil
    win wit wor xec you
"""


class Keywords:
    """Finds which of many keywords a text contains, by the two rarest groups of bytes of each keyword.

    A group is four bytes of the lower case, or three of the text for a keyword that is short or has a case.
    """

    def __init__(self, keywords: Iterable[Keyword]) -> None:
        """Register each keyword under its rarest group."""
        # Those that ignore case first, short ones before long ones.
        self._keywords = sorted(keywords, key=lambda keyword: (not keyword[1], len(keyword[0])))
        self._known = np.zeros(2 << _BITS, dtype=np.bool_)
        # For each code of a rarest group: the numbers of the keywords, and the codes of their second group.
        self._by_code: dict[int, list[tuple[int, frozenset[int]]]] = {}
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
        data = word.encode()
        if any_case and len(data) > 3:
            groups = [frozenset(_codes_of_four(group).tolist()) for group in _rarest_groups(data, 4)]
        else:
            forms = _forms if any_case else _as_it_is
            groups = [
                frozenset(code for form in forms(group) for code in _codes_of_three(form + b"\0").tolist())
                for group in _rarest_groups(data, 3)
            ]
        self._known[[code for codes in groups for code in codes]] = True
        for code in groups[0]:
            self._by_code.setdefault(code, []).append((number, groups[-1]))

    def present(self, text: str, lowered: str) -> list[Keyword]:
        """Return the keywords that a text contains; those that ignore case are looked for in its lower case."""
        contained: set[int] = {-1}
        found: list[Keyword] = []
        # In order, so that a keyword comes after its part.
        for number in sorted(self._likely(text, lowered)):
            word, any_case = keyword = self._keywords[number]
            if self._parts[number] in contained and word in (lowered if any_case else text):
                contained.add(number)
                found.append(keyword)
        return found

    def _likely(self, text: str, lowered: str) -> set[int]:
        """Return the numbers of the keywords whose groups the text contains."""
        seen: set[int] = set()
        for read, codes_of in ((text, _codes_of_three), (lowered, _codes_of_four)):
            # One byte more, as three are read out of four.
            data = read.encode("utf-8", "replace") + b"\0"
            for start in range(0, len(data) - 3, _PART):
                codes = codes_of(data[start : start + _PART + 3])
                seen.update(codes.compress(self._known.take(codes)).tolist())
        listed = (self._by_code[code] for code in seen & self._by_code.keys())
        return {number for pairs in listed for number, second in pairs if not seen.isdisjoint(second)}


def _rarest_groups(word: bytes, size: int) -> list[bytes]:
    """Return the two groups of so many bytes of a keyword that are rarest in notes."""
    groups = sorted({word[at : at + size] for at in range(len(word) - size + 1)})
    return sorted(groups, key=lambda group: (_frequent_trigrams(group.lower()), -sum(map(_rarity, group))))[:2]


def _frequent_trigrams(group: bytes) -> int:
    threes = (group[at : at + 3] for at in range(len(group) - 2))
    return sum(
        three in _FREQUENT_TRIGRAMS or (b" " in three and three.replace(b" ", b"").isalpha()) for three in threes
    )


def _rarity(letter: int) -> int:
    return _FREQUENT.find(letter) if letter in _FREQUENT else len(_FREQUENT)


def _forms(group: bytes) -> Iterator[bytes]:
    """Yield a group in all mixtures of capitals and small letters."""
    for letters in product(*({letter, letter.upper()} for letter in group.decode())):
        yield "".join(letters).encode()


def _as_it_is(group: bytes) -> Iterator[bytes]:
    yield group


def _codes_of_three(data: bytes) -> NDArray[np.uint32]:
    """Return a number for every three bytes that a fourth follows; two groups may share one."""
    codes = _fours(data) & _THREE
    # In place: another copy of the text for each step takes longer than the step.
    codes *= _FACTOR
    codes >>= _SHIFT
    return codes


def _codes_of_four(data: bytes) -> NDArray[np.uint32]:
    """Return a number for every four bytes in a row, none of which stands for three."""
    codes = _fours(data) * _FACTOR
    codes >>= _SHIFT
    codes |= _FOUR
    return codes


def _fours(data: bytes) -> NDArray[np.uint32]:
    return np.ndarray((max(len(data) - 3, 0),), dtype="<u4", buffer=data, strides=(1,))

"""Names like a name that nothing has: by the groups of three letters they share, short ones also by their letters."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.names.paths import fold, last_name

# As many as one reads, and how much of two names must be the same to name one for the other.
SHOWN = 3
ALIKE = 0.6
# One typo spoils half of the groups of a short name, but few of its letters: up to this length, and for this many names
# that share the most groups, letters are compared as well. To compare them takes long.
SHORT = 12
SAME_LETTERS = 0.82
COMPARED = 20


class Near:
    """Paths, to be found by what is nearly their name."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self._names = [_bare(path) for path in self._paths]
        self._known: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _having(self) -> dict[str, npt.NDArray[np.int64]]:
        having: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self._names):
            for three in _threes(name):
                having[three].append(number)
        return {three: np.array(numbers) for three, numbers in having.items()}

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.array([len(_threes(name)) for name in self._names])

    def to(self, name: str) -> tuple[str, ...]:
        """Return the paths whose last name is most like this one, the most like first."""
        wanted = _bare(name)
        if wanted not in self._known:
            self._known[wanted] = self._most_like(wanted)
        return self._known[wanted]

    def _most_like(self, wanted: str) -> tuple[str, ...]:
        threes = _threes(wanted)
        held = [self._having[three] for three in threes if three in self._having]
        if not held:
            return ()
        # Twice what they share over all they have: 1 for the same name.
        shares = 2 * np.bincount(np.concatenate(held), minlength=self._sizes.size) / (self._sizes + len(threes))
        likeness = {number: float(shares[number]) for number in np.flatnonzero(shares >= ALIKE).tolist()}
        if len(wanted) <= SHORT:
            likeness |= self._same_letters(wanted, np.argsort(-shares, kind="stable")[:COMPARED].tolist())
        best = sorted((-score, self._paths[number]) for number, score in likeness.items())
        return tuple(path for _, path in best[:SHOWN])

    def _same_letters(self, wanted: str, numbers: Iterable[int]) -> dict[int, float]:
        letters = SequenceMatcher(None, "", wanted, autojunk=False)
        alike: dict[int, float] = {}
        for number in numbers:
            letters.set_seq1(self._names[number])
            if letters.real_quick_ratio() >= SAME_LETTERS and (ratio := letters.ratio()) >= SAME_LETTERS:
                alike[number] = ratio
        return alike


def _bare(path: str) -> str:
    """Return the last name of a path as it is compared here: without accents, too.

    >>> _bare("garden/Café.md")
    'cafe'
    """
    name = last_name(fold(path))
    if name.isascii():
        return name
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))


def _threes(name: str) -> frozenset[str]:
    """Return the groups of three letters in a name, with a blank before and behind it.

    >>> sorted(_threes("bee"))
    [' be', 'bee', 'ee ']
    """
    padded = f" {name} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))

"""Suggestions for many unknown names among all notes: by shared trigrams, short names also by their letters."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.names.paths import last_name
from notewell.names.suggest import SHOWN
from notewell.terms import fold_case

# The share of trigrams that two names must have in common.
ALIKE = 0.6
# One typo changes half of the trigrams of a short name, but few of its letters: up to this length, and for this many
# names that share the most trigrams, letters are compared as well. Comparing them takes long.
SHORT = 12
SAME_LETTERS = 0.82
COMPARED = 20


class SimilarNames:
    """Finds the paths whose last name is most like an unknown one."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self._names = [_bare(path) for path in self._paths]
        self._known: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _numbers(self) -> dict[str, npt.NDArray[np.int64]]:
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self._names):
            for trigram in _trigrams(name):
                numbers[trigram].append(number)
        return {trigram: np.array(having) for trigram, having in numbers.items()}

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.array([len(_trigrams(name)) for name in self._names])

    def like(self, name: str) -> tuple[str, ...]:
        """Return the paths whose last name is most like this one, the best first."""
        wanted = _bare(name)
        if wanted not in self._known:
            self._known[wanted] = self._most_like(wanted)
        return self._known[wanted]

    def _most_like(self, wanted: str) -> tuple[str, ...]:
        trigrams = _trigrams(wanted)
        held = [self._numbers[trigram] for trigram in trigrams if trigram in self._numbers]
        if not held:
            return ()
        # Dice's coefficient: 1 for the same name.
        shares = 2 * np.bincount(np.concatenate(held), minlength=self._sizes.size) / (self._sizes + len(trigrams))
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
    """Return the last name of a path as it is compared here: without case and accents.

    >>> _bare("garden/Café.md")
    'cafe'
    """
    name = last_name(fold_case(path))
    if name.isascii():
        return name
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))


def _trigrams(name: str) -> frozenset[str]:
    """Return the groups of three letters in a name, with a space before and after it.

    >>> sorted(_trigrams("bee"))
    [' be', 'bee', 'ee ']
    """
    padded = f" {name} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))

"""Names like a name that nothing has: by the groups of three letters they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from notewell.graph.places import fold, name_of

# As many as one reads, and how much of two names must be the same to name one for the other.
SHOWN = 3
ALIKE = 0.6
# Names are looked for by this many of their groups, the rarest: one that is like has some of them.
RAREST = 6


class Near:
    """Paths, to be found by what is nearly their name."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self._threes = [_threes(name_of(fold(path))) for path in self._paths]
        self._having: dict[str, list[int]] = defaultdict(list)
        self._known: dict[str, tuple[str, ...]] = {}
        for number, threes in enumerate(self._threes):
            for three in threes:
                self._having[three].append(number)

    def to(self, name: str) -> tuple[str, ...]:
        """Return the paths whose last name is most like this one, the most like first."""
        wanted = name_of(fold(name))
        if wanted not in self._known:
            self._known[wanted] = self._most_like(_threes(wanted))
        return self._known[wanted]

    def _most_like(self, threes: frozenset[str]) -> tuple[str, ...]:
        held = sorted((self._having[three] for three in threes if three in self._having), key=len)
        likely = {number for having in held[:RAREST] for number in having}
        # Twice what they share over all they have: 1 for the same name.
        scores = (
            (2 * len(threes & self._threes[number]) / (len(threes) + len(self._threes[number])), number)
            for number in likely
        )
        best = sorted((-score, self._paths[number]) for score, number in scores if score >= ALIKE)
        return tuple(path for _, path in best[:SHOWN])


def _threes(name: str) -> frozenset[str]:
    """Return the groups of three letters in a name, with a blank before and behind it.

    >>> sorted(_threes("bee"))
    [' be', 'bee', 'ee ']
    """
    padded = f" {name} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))

"""The links of a vault as two arrays: who links to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.graph.algorithms import Pairs, Places
from notewell.store import Linked


@dataclass(frozen=True, slots=True)
class Net:
    """Who links to whom: the notes by number, and for every link that leads to one its source and target."""

    paths: tuple[str, ...]
    # Places in `paths`; a note that links to another twice is there twice.
    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, snapshot: Linked) -> Net:
        """Return the links between different notes of one state of the store; the notes in the order of their paths."""
        ids, edges = snapshot.ids(), snapshot.edges().to_notes
        numbers = np.fromiter(ids.values(), np.uint32, len(ids))
        highest = max(int(ends.max(initial=0)) for ends in (numbers, edges.targets))
        places = np.full(highest + 1, len(ids), dtype=np.uint32)
        places[numbers] = np.arange(len(ids))
        sources, targets = places[edges.sources], places[edges.targets]
        # A link within a note says nothing of it; one that was not resolved anew yet may lead to a note that is gone.
        kept = (sources != targets) & (targets < len(ids))
        return cls(tuple(ids), sources[kept], targets[kept])

    def distinct(self) -> Pairs:
        """Return the links between different notes, each once, as places in `paths`, in order."""
        different = self.sources != self.targets
        sources, targets = (ends[different].astype(np.int64) for ends in (self.sources, self.targets))
        return once(sources, targets, len(self.paths))


def once(sources: Places, targets: Places, size: int) -> Pairs:
    """Return pairs of numbers below `size`, each once, in order.

    >>> once(np.array([2, 0, 2]), np.array([1, 2, 1]), 3)
    (array([0, 2]), array([2, 1]))
    """
    # As `np.unique`, which takes four times as long: it hashes first.
    both = np.sort(sources * size + targets)
    both = both[np.diff(both, prepend=-1) > 0]
    return both // max(size, 1), both % max(size, 1)

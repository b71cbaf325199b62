"""The links of a vault as two arrays: sources and targets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from notewell.frozen import frozen
from notewell.graph.algorithms import Pairs, Places
from notewell.store import Linked


@frozen
class Net:
    """The notes by number, and the source and target of every link between them."""

    paths: tuple[str, ...]
    # Indexes into `paths`; a repeated link is there repeatedly.
    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, snapshot: Linked) -> Net:
        """Return the links between different notes of one state of the store; notes are ordered by path."""
        ids, edges = snapshot.ids(), snapshot.edges().to_notes
        numbers = np.fromiter(ids.values(), np.uint32, len(ids))
        highest = max(int(ends.max(initial=0)) for ends in (numbers, edges.sources, edges.targets))
        places = np.full(highest + 1, len(ids), dtype=np.uint32)
        places[numbers] = np.arange(len(ids))
        sources, targets = places[edges.sources], places[edges.targets]
        # Links within a note do not count. One that still has to be resolved may begin or end at a deleted note.
        kept = (sources != targets) & (np.maximum(sources, targets) < len(ids))
        return cls(tuple(ids), sources[kept], targets[kept])

    def distinct(self) -> Pairs:
        """Return the links between different notes, each once, as indexes into `paths`, in order."""
        different = self.sources != self.targets
        sources, targets = (ends[different].astype(np.int64) for ends in (self.sources, self.targets))
        return once(sources, targets, len(self.paths))


def once(sources: Places, targets: Places, size: int) -> Pairs:
    """Return pairs of numbers below `size`, each once, in order.

    >>> once(np.array([2, 0, 2]), np.array([1, 2, 1]), 3)
    (array([0, 2]), array([2, 1]))
    """
    # Like `np.unique`, which hashes first and takes four times as long.
    both = np.sort(sources * size + targets)
    both = both[np.diff(both, prepend=-1) > 0]
    return both // max(size, 1), both % max(size, 1)

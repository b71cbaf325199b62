"""The links of a vault as two arrays: who links to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.store import Snapshot


@dataclass(frozen=True, slots=True)
class Net:
    """Who links to whom: the notes by number, and for every link that leads to one its source and target."""

    paths: tuple[str, ...]
    # Places in `paths`; a note that links to another twice is there twice.
    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, snapshot: Snapshot) -> Net:
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

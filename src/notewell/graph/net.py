"""The links of a vault as two arrays: who links to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Net:
    """Who links to whom: the notes by number, and for every link that leads to one its source and target."""

    paths: tuple[str, ...]
    # Places in `paths`; a note that links to another twice is there twice.
    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]

"""Vectors of length 1."""

from __future__ import annotations

import numpy as np

from notewell.types import Vectors


def unit(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length 1; a row of zeros stays.

    >>> unit(np.array([[3, 4], [0, 0]], dtype=np.float32)).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled

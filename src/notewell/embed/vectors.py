"""Vectors scaled to length 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from notewell.types.note import Vectors


def unit(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length 1; a row of zeros stays.

    >>> unit(np.array([[3, 4], [0, 0]], dtype=np.float32)).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def zero_where_blank(texts: Sequence[str], embed: Callable[[list[str]], Vectors]) -> Vectors:
    """Return the vectors of the texts; the row of a blank text is zero.

    Models give an empty text a vector that is near others by chance, and some servers refuse it.
    """
    nonblank = [number for number, text in enumerate(texts) if text.strip()]
    found = embed([texts[number] for number in nonblank])
    vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    vectors[nonblank] = found
    return vectors

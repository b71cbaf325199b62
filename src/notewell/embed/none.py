"""No embedder: the stand-in for one that does not answer, so that a vault can be searched by words at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from notewell.types.note import Vectors

# The fingerprint of a store without vectors.
NO_EMBEDDER = ""


class NoEmbedder:
    """An embedder whose vectors are all zero, so that nothing is found by meaning."""

    fingerprint = NO_EMBEDDER
    dimensions = 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row of zeros for each text."""
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return a vector of zeros."""
        return np.zeros(self.dimensions, dtype=np.float32)

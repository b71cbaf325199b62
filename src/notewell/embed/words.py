"""A tiny embedder for tests, with vectors one can check by eye: how many words begin with each letter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from notewell.embed.vectors import unit
from notewell.types.note import Vectors

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WordsEmbedder:
    """Counts words by their first letter; the last number is for all other characters."""

    instant = True
    fingerprint = "words/27"
    dimensions = len(LETTERS) + 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the counts, scaled to length 1.

        >>> WordsEmbedder().embed(["bees buzz", "4 dogs"])[:, :4].round(1).tolist()[0]
        [0.0, 1.0, 0.0, 0.0]
        """
        counts = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                counts[row, LETTERS.find(word[0])] += 1
        return unit(counts)

    def embed_query(self, text: str) -> Vectors:
        """Return the counts of a query."""
        row: Vectors = self.embed([text])[0]
        return row

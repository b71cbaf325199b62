"""Metrics of a ranking against judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Judgements = Mapping[str, int]


def ndcg(ranked: Sequence[str], judged: Judgements, depth: int = 10) -> float:
    """Return nDCG: the discounted gain of the first `depth`, as a share of the best possible.

    >>> round(ndcg(["b", "a"], {"a": 1}), 3)
    0.631
    """
    gains = [_gain(judged.get(name, 0), place) for place, name in enumerate(ranked[:depth])]
    ideal = [_gain(grade, place) for place, grade in enumerate(sorted(judged.values(), reverse=True)[:depth])]
    return sum(gains) / sum(ideal) if sum(ideal) else 0.0


def recall(ranked: Sequence[str], judged: Judgements, depth: int) -> float:
    """Return the share of relevant documents that are among the first `depth`.

    >>> recall(["b", "a"], {"a": 1, "c": 2}, 10)
    0.5
    """
    relevant = {name for name, grade in judged.items() if grade > 0}
    return len(relevant.intersection(ranked[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], judged: Judgements, depth: int = 10) -> float:
    """Return 1 / the rank of the first relevant document, or 0.

    >>> reciprocal_rank(["b", "a"], {"a": 1})
    0.5
    """
    places = (place for place, name in enumerate(ranked[:depth], start=1) if judged.get(name, 0) > 0)
    return 1 / next(places, math.inf)


def interval(values: Sequence[float], *, seed: int = 0, draws: int = 1000) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean, by bootstrap.

    >>> interval([0.5] * 20)
    (0.5, 0.5)
    """
    sample = np.asarray(values)
    means = np.random.default_rng(seed).choice(sample, (draws, sample.size)).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def _gain(grade: int, place: int) -> float:
    return float(2**grade - 1) / math.log2(place + 2)

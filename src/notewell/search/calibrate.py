"""Cosines of several embedders on one scale: by how far each lies above what the query has with any chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from notewell.embed import Embedder
from notewell.search.embedding import plan_vector
from notewell.store import Snapshot
from notewell.store.vectors import unit_rows
from notewell.types.candidates import Ranking
from notewell.types.note import Vectors
from notewell.types.query import EVERYTHING, Plan

# Chunks whose cosines with a query show its scale: their mean varies by a twentieth of their spread.
SAMPLED = 400


class Scale(NamedTuple):
    """The cosines that a query has with chunks of a store: their mean, and how far they spread."""

    mean: float
    spread: float

    @classmethod
    def of(cls, vector: Vectors, store: Snapshot) -> Scale | None:
        """Return the scale of a query; None if the store has too little to tell."""
        ids = store.within(EVERYTHING)
        rows = store.vectors(ids[:: max(len(ids) // SAMPLED, 1)])
        known = unit_rows([row for row in rows.values() if row is not None and row.any()])
        cosines = known @ vector if len(known) else np.zeros(0)
        return cls(float(cosines.mean()), float(cosines.std())) if cosines.size > 1 and cosines.std() > 0 else None


def nearest(
    plan: Plan, store: Snapshot, embedder: Embedder | None, others: Mapping[str, Embedder], depth: int
) -> Ranking:
    """Return the chunks nearest in meaning over all stores; those of other embedders on the scale of the first."""
    vector = plan_vector(plan, embedder, store)
    ranking = store.nearest(vector, plan.scope, depth)
    apart = store.apart() if others else {}
    scale = Scale.of(vector, store) if apart else None
    for name, (part, first) in apart.items():
        if name in others and (plan.text or plan.passage):
            found = _found(plan._replace(like=()), part, others[name], depth, scale)
            ranking = _merged(ranking, [(first + chunk, score) for chunk, score in found], depth)
    return ranking


def _found(
    plan: Plan, part: Snapshot, embedder: Embedder, depth: int, scale: Scale | None
) -> Sequence[tuple[int, float]]:
    """Return the nearest chunks of one store, their cosines on a scale."""
    vector = plan_vector(plan, embedder, part)
    found, own = part.nearest(vector, plan.scope, depth).found, Scale.of(vector, part)
    if own is None or scale is None:
        return found
    return [(chunk, scale.mean + (cosine - own.mean) / own.spread * scale.spread) for chunk, cosine in found]


def _merged(ranking: Ranking, more: Sequence[tuple[int, float]], depth: int) -> Ranking:
    found = sorted((*ranking.found, *more), key=lambda pair: -pair[1])[:depth]
    return ranking._replace(found=tuple(found), floor=found[-1][1] if found else 0.0)

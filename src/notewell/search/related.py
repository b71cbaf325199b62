"""Notes like others: the plan made of their chunks, and the vectors that draw a query towards them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from notewell.embed import Embedder
from notewell.embed.vectors import unit
from notewell.names.find import find_chunks
from notewell.store import Snapshot
from notewell.store.vectors import rounded, unit_rows
from notewell.terms import count_terms, stop_terms
from notewell.types.note import Chunk, Vectors
from notewell.types.query import Filter, Plan

# This many of the notes' terms are matched: those that are frequent in them and rare elsewhere.
DISTINCTIVE = 16
# The terms of a longer note are taken from its first chunks.
READ = 200
# The encoder embeds at most this many of the liked chunks, those nearest to their mean.
ENCODED = 8


def prefer_like(plan: Plan, places: Sequence[str], store: Snapshot) -> Plan:
    """Return the plan drawn towards what is like these places too; a place that is not in the store is an error."""
    found = [find_chunks(place, store) for place in places]
    chunks = {chunk for each in found for chunk in each.chunks}
    read_as = (*(f"like {each.place}" for each in found), *plan.read_as)
    return plan._replace(like=tuple(sorted(chunks.union(plan.like))), read_as=tuple(dict.fromkeys(read_as)))


def plan_related(plan: Plan, store: Snapshot) -> Plan:
    """Return the plan of a query that only names notes: match their distinctive terms, and leave the notes out."""
    chunks = [*store.chunks(plan.like[:READ]).values()]
    paths = tuple(dict.fromkeys(chunk.path for chunk in store.chunks(plan.like).values()))
    own = Filter("note", paths, negated=True)
    scope = plan.scope._replace(filters=(*plan.scope.filters, own))
    return plan._replace(terms=distinctive_terms(chunks, store), scope=scope, by_words=True, related=True)


def distinctive_terms(chunks: Sequence[Chunk], store: Snapshot) -> tuple[str, ...]:
    """Return the terms that are frequent in chunks and rare elsewhere, the most distinctive first."""
    counts: Counter[str] = Counter()
    for text in (*(chunk.text for chunk in chunks), *{chunk.title for chunk in chunks}):
        counts.update(count_terms(text))
    terms = [term for term in counts if term not in stop_terms()]
    rarities = store.counts(terms).rarities(terms)
    return tuple(sorted(terms, key=lambda term: (-counts[term] * rarities[term], term))[:DISTINCTIVE])


def liked(plan: Plan, store: Snapshot) -> Vectors | None:
    """Return the mean of the stored vectors of the liked chunks."""
    return mean(unit_rows(store.vectors(plan.like).values())) if plan.like else None


class Encoded(NamedTuple):
    """Vectors that the encoder made of chunks during a search, for the caller to store."""

    chunks: Sequence[Chunk]
    vectors: Vectors


class Liked(NamedTuple):
    """The encoder's stored vectors of the liked chunks, and the chunks that lack one, by id."""

    stored: Vectors
    lacking: Mapping[int, Chunk]

    def mean(self, encoder: Embedder | None = None) -> tuple[Vectors | None, tuple[Encoded, ...]]:
        """Return the mean of the vectors, None if there are none; with an encoder, make missing ones, in any thread."""
        stored = self.stored
        made: list[Encoded] = []
        if self.lacking and encoder:
            chunks = [*self.lacking.values()]
            made.append(Encoded(chunks, encoder.embed([chunk.meaning for chunk in chunks])))
            fresh = unit_rows(rounded(made[0].vectors))
            stored = np.concatenate((stored, fresh)) if len(stored) else fresh
        return (mean(stored) if len(stored) else None), tuple(made)


def liked_by_encoder(plan: Plan, store: Snapshot, encoder: Embedder) -> Liked:
    """Return what the encoder knows of the liked chunks that are nearest to their mean."""
    if not plan.like:
        return Liked(np.zeros((0, 0), dtype=np.float32), {})
    vectors = unit_rows(store.vectors(plan.like).values())
    nearest = np.argsort(-(vectors @ mean(vectors)), kind="stable")[:ENCODED]
    ids = [sorted(plan.like)[place] for place in nearest.tolist()]
    found = store.vectors(ids, encoder.fingerprint)
    # A damaged one is as good as none.
    stored = {chunk: row for chunk, row in found.items() if row is None or row.size == encoder.dimensions}
    return Liked(unit_rows(stored.values()), store.chunks([chunk_id for chunk_id in ids if chunk_id not in stored]))


def mean(vectors: Vectors) -> Vectors:
    """Return the mean direction of vectors, of unit length."""
    middle: Vectors = unit(vectors.mean(axis=0, keepdims=True))[0]
    return middle

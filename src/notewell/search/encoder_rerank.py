"""A closer look at the best candidates: the encoder's vectors, stored, made on demand, or guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from notewell.embed import Embedder
from notewell.search.fuse import Fused, SearchRules, best_of, fuse
from notewell.search.related import Encoded, liked_by_encoder
from notewell.search.retrieve import embed_plan
from notewell.store import Snapshot
from notewell.store.vectors import cosines, cosines_by_id, rounded
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Vectors
from notewell.types.query import Plan

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# So many of the best are looked at closely. 50 loses hits on most collections, 150 finds no more.
LOOKED_AT = 100
# Fewer chunks with a vector than these say nothing about the rest.
ENOUGH = 3
# The encoder's voice counts in full when so many of the best have its vector, and less with fewer.
HEARD = 10
# What is embedded during a search is among so many of the best; of each, an encoder reads about so many characters.
ON_DEMAND = 24
READ = 1_200
# Searches of several threads do not wait for each other's query.
READERS = 4


@dataclass(frozen=True, slots=True)
class Embedders:
    """What turns texts into vectors for a search: the quick embedder, and the encoder behind it.

    Unless the first is known to be on this machine, it is `remote`, and a query goes to it without its secrets.
    """

    quick: Embedder | None = None
    encoder: Embedder | None = None
    remote: bool = True


class QueryVector(NamedTuple):
    """The encoder's vector of a query, and the vectors it made of liked chunks on the way."""

    vector: Vectors
    made: tuple[Encoded, ...] = ()


def encode_ahead(plan: Plan, store: Snapshot, embedders: Embedders, rules: SearchRules) -> Future[QueryVector] | None:
    """Let the encoder read the query while the retrievers work, which hides half of what it costs."""
    encoder = embedders.encoder
    if encoder is None or not rules.fine_weight or not (plan.text or plan.passage or plan.like):
        return None
    like = liked_by_encoder(plan, store, encoder)

    def encode() -> QueryVector:
        liked, made = like()
        return QueryVector(embed_plan(plan, encoder, liked), made)

    return _readers().submit(encode)


@cache
def _readers() -> ThreadPoolExecutor:
    # Only an encoder needs it, and it takes 5 ms to load.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(READERS, "notewell-query")


def encoder_rerank(
    ahead: Future[QueryVector], rankings: Sequence[Ranking], store: Snapshot, embedders: Embedders, rules: SearchRules
) -> tuple[list[Ranking], tuple[Encoded, ...]]:
    """Return the encoder's ranking of the best of what was found, and the vectors made for it.

    If too few of the chunks have a vector, there is no ranking.
    """
    (vector, made), encoder = ahead.result(), embedders.encoder
    fused = fuse([replace(ranking, reach=LOOKED_AT) for ranking in rankings], rules)
    best = best_of(fused, LOOKED_AT)
    if encoder is None or not best or not vector.any():
        return [], made
    seen = cosines_by_id(vector, store.vectors(best, encoder.fingerprint))
    wanted = _wanted(best, seen, store, rules)
    if wanted:
        encoded = Encoded(list(wanted.values()), encoder.embed([chunk.meaning for chunk in wanted.values()]))
        seen |= _cosines(list(wanted), vector, encoded.vectors)
        made = (*made, encoded)
    known = {chunk_id: cosine for chunk_id, cosine in seen.items() if cosine is not None}
    if len(known) < min(ENOUGH, len(best)):
        return [], made
    guessed = _guessed(best, known, fused)
    found = tuple(sorted({**guessed, **known}.items(), key=lambda item: -item[1]))
    heard = sum(chunk_id in known for chunk_id in best[:HEARD]) / len(best[:HEARD])
    trust, floor = heard**0.5, found[-1][1]
    ranking = Ranking("fine", found, floor=floor, reach=len(found), trust=trust, guessed=frozenset(guessed))
    return [ranking], made


def _wanted(best: Sequence[int], seen: Collection[int], store: Snapshot, rules: SearchRules) -> dict[int, Chunk]:
    """Return the chunks to embed now: those without a vector among the first that together are not too long.

    What has a vector is counted with them, so that the same search finds nothing more to do the next time.
    """
    first = best[:ON_DEMAND]
    if not rules.on_demand or all(chunk_id in seen for chunk_id in first):
        return {}
    chunks = store.chunks(first)
    lengths = accumulate(min(len(chunk.meaning), READ) for chunk in chunks.values())
    within = [chunk_id for chunk_id, length in zip(first, lengths, strict=True) if length <= rules.on_demand]
    return {chunk_id: chunks[chunk_id] for chunk_id in within if chunk_id not in seen}


def _cosines(ids: Sequence[int], vector: Vectors, vectors: Vectors) -> dict[int, float | None]:
    """Return the cosines of vectors that were made just now; None where the encoder does not read the chunk."""
    found = cosines(vector, rounded(vectors)).tolist()
    return {
        chunk_id: near if read else None for chunk_id, near, read in zip(ids, found, map(np.any, vectors), strict=True)
    }


def _guessed(best: Sequence[int], known: Mapping[int, float], fused: Fused) -> dict[int, float]:
    """Return what the chunks without a vector would have, going by the line through those that have one.

    Without it a chunk would rise or fall for having a vector, and not for what the vector says.
    """
    with_vector = [chunk_id for chunk_id in best if chunk_id in known]
    x = np.array([fused[chunk_id].score for chunk_id in with_vector])
    y = np.array([known[chunk_id] for chunk_id in with_vector])
    # A little weight for a flat line: a few points that happen to lie steep should not carry far.
    slope = max(0.0, float(((x - x.mean()) * (y - y.mean())).mean() / (x.var() + 1e-3)))
    middle, level = float(x.mean()), float(y.mean())
    return {chunk_id: level + slope * (fused[chunk_id].score - middle) for chunk_id in best if chunk_id not in known}

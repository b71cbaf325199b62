"""Encoder rerank: the best of what was retrieved, ranked by the encoder's vectors; those without one are named."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from notewell.embed import is_loaded
from notewell.search.embedding import Embedders, embed_plan
from notewell.search.fuse import best_of, fused_scores
from notewell.search.related import Encoded, Liked, liked_by_encoder
from notewell.search.rules import SearchRules
from notewell.store import Snapshot
from notewell.store.vectors import cosines, cosines_by_id, rounded
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Vectors
from notewell.types.query import Plan

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# This many of the best are reranked. 50 loses hits on most collections, 150 finds no more.
RERANKED = 100
# Fewer chunks with a vector than these say nothing about the rest.
ENOUGH = 3
# The encoder counts in full if this many of the best have its vector, and less with fewer.
FULL_TRUST = 10
# A cosine this far above the lowest of the reranked counts 1, whatever the best has: where the encoder sees little
# difference, it decides little. .35 to .5 are alike.
SPREAD = 0.4
# The share of a cosine that is that of the note's first chunk: a note says at its beginning what it is about. .5 to .7
# are alike on titles; .7 finds fewer passages. Not for a question, which asks for a passage.
OF_FIRST_CHUNK = 0.5
# Only among this many of the best are chunks embedded during a search; an encoder reads about this much of each.
ON_DEMAND = 24
READ = 1_200
# Searches in several threads do not wait for each other's query.
THREADS = 4
# Why a search does without the encoder, as `--explain` says it.
NOTHING_ENCODED = "without the encoder: it has no vectors yet"
NOT_LOADED = "without the encoder: it is not loaded in this process"


class QueryVector(NamedTuple):
    """The encoder's vector of a query, and the vectors it made of liked chunks on the way."""

    vector: Vectors
    made: tuple[Encoded, ...] = ()


class Ahead(NamedTuple):
    """A query that the encoder embeds meanwhile, or why it does not; and what it knows of the liked chunks."""

    vector: Future[QueryVector] | None
    liked: Liked
    without: str = ""


class Reranked(NamedTuple):
    """The rankings with the encoder's, if it has one; the vectors made for it, and the chunks that lack one."""

    rankings: list[Ranking]
    made: tuple[Encoded, ...] = ()
    lacking: tuple[int, ...] = ()


def encode_ahead(plan: Plan, store: Snapshot, embedders: Embedders, rules: SearchRules) -> Ahead | None:
    """Start to embed the query while the retrievers work, which hides half of its cost; None if no encoder counts.

    Nothing is embedded if there are no vectors to compare with, nor if the search would wait for the encoder to load.
    """
    encoder = embedders.encoder
    if encoder is None or not rules.fine_weight or not (plan.text or plan.passage or plan.like):
        return None
    liked = liked_by_encoder(plan, store, encoder)
    if not rules.on_demand:
        if store.state.encoder != encoder.fingerprint:
            return Ahead(None, liked, NOTHING_ENCODED)
        if not (plan.text or plan.passage) and not len(liked.stored):
            return Ahead(None, liked)
        if (plan.text or plan.passage) and not embedders.waits and not is_loaded(encoder):
            return Ahead(None, liked, NOT_LOADED)

    def encode() -> QueryVector:
        like, made = liked.mean(encoder if rules.on_demand else None)
        return QueryVector(embed_plan(plan, encoder, like), made)

    return Ahead(_threads().submit(encode), liked)


@cache
def _threads() -> ThreadPoolExecutor:
    # Only an encoder needs it, and it takes 5 ms to load.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(THREADS, "notewell-query")


def encoder_rerank(
    ahead: Ahead | None, rankings: list[Ranking], store: Snapshot, embedders: Embedders, rules: SearchRules
) -> Reranked:
    """Return the rankings with the encoder's ranking of the best of them, as far as it has their vectors.

    If too few of the chunks have a vector, the encoder adds no ranking.
    """
    if ahead is None or embedders.encoder is None:
        return Reranked(rankings)
    encoder = embedders.encoder
    firsts = {chunk: first for ranking in rankings for chunk, first in ranking.firsts.items()}
    if ahead.vector is None:
        read = _with_firsts(_in_turn(rankings), firsts)
        return Reranked(rankings, (), _lacking(ahead, read, store.vectors(read, encoder.fingerprint)))
    vector, made = ahead.vector.result()
    fused = fused_scores([ranking._replace(reach=RERANKED) for ranking in rankings], rules)
    best = best_of(fused, RERANKED)
    if not best or not vector.any():
        return Reranked(rankings, made)
    read = _with_firsts(best, firsts)
    seen = cosines_by_id(vector, store.vectors(read, encoder.fingerprint))
    wanted = _wanted(_with_firsts(best[:ON_DEMAND], firsts), seen, store, rules)
    if wanted:
        encoded = Encoded(list(wanted.values()), encoder.embed([chunk.meaning for chunk in wanted.values()]))
        seen |= _cosines(list(wanted), vector, encoded.vectors)
        made = (*made, encoded)
    known = _of_chunks_and_notes(best, seen, firsts)
    if len(known) >= min(ENOUGH, len(best)):
        rankings = [*rankings, _ranking(best, known, fused)]
    return Reranked(rankings, made, _lacking(ahead, read, seen))


def _with_firsts(best: Sequence[int], firsts: Mapping[int, int]) -> list[int]:
    """Return the chunks, each followed by the first of its note."""
    return list(dict.fromkeys(chain.from_iterable((chunk_id, firsts.get(chunk_id, chunk_id)) for chunk_id in best)))


def _of_chunks_and_notes(
    best: Sequence[int], seen: Mapping[int, float | None], firsts: Mapping[int, int]
) -> dict[int, float]:
    """Return the cosine of each chunk, mixed with that of its note's first chunk; none unless both have been encoded.

    >>> _of_chunks_and_notes([7, 8, 9], {1: 0.5, 7: 0.5, 8: 1.0, 9: 0.8}, {7: 7, 8: 1, 9: 2})
    {7: 0.5, 8: 0.75}
    """
    known = {}
    for chunk_id in best:
        own, first_id = seen.get(chunk_id), firsts.get(chunk_id, chunk_id)
        if own is not None and first_id in seen:
            first = seen[first_id]
            known[chunk_id] = own if first is None else (1 - OF_FIRST_CHUNK) * own + OF_FIRST_CHUNK * first
    return known


def _in_turn(rankings: Sequence[Ranking]) -> list[int]:
    """Return the candidates of all rankings, in turn: about the best, without the cost of fusing."""
    in_turn = chain.from_iterable(zip_longest(*(ranking.candidates for ranking in rankings)))
    return list(dict.fromkeys(found[0] for found in in_turn if found))


def _lacking(ahead: Ahead, read: Sequence[int], seen: Collection[int]) -> tuple[int, ...]:
    """Return the chunks that the encoder should have encoded for this search, the most important first."""
    return (*ahead.liked.lacking, *(chunk_id for chunk_id in read if chunk_id not in seen))


def _ranking(best: Sequence[int], known: Mapping[int, float], fused: Mapping[int, float]) -> Ranking:
    """Return the encoder's ranking of the best chunks; it counts less if few of the first have its vector."""
    estimated = _estimated(best, known, fused)
    found = tuple(sorted({**estimated, **known}.items(), key=lambda item: -item[1]))
    known_best = sum(chunk_id in known for chunk_id in best[:FULL_TRUST]) / len(best[:FULL_TRUST])
    trust, floor = known_best**0.5, found[-1][1]
    guessed = frozenset(estimated)
    return Ranking("fine", found, floor=floor, spread=SPREAD, reach=len(found), trust=trust, guessed=guessed)


def _wanted(first: Sequence[int], seen: Collection[int], store: Snapshot, rules: SearchRules) -> dict[int, Chunk]:
    """Return the chunks to embed now: those without a vector among the first that fit into the budget of characters.

    Chunks with a vector use up the budget too, so that the same search finds nothing more to do the next time.
    """
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


def _estimated(best: Sequence[int], known: Mapping[int, float], fused: Mapping[int, float]) -> dict[int, float]:
    """Return estimated cosines of the chunks without a vector, on a line through those that have one.

    Otherwise a chunk would rise or fall for having a vector, and not for what the vector says.
    """
    with_vector = [chunk_id for chunk_id in best if chunk_id in known]
    if len(with_vector) == len(best):
        return {}
    x = np.array([fused[chunk_id] for chunk_id in with_vector])
    y = np.array([known[chunk_id] for chunk_id in with_vector])
    # Slightly flattened: a few points on a steep line should not carry far.
    slope = max(0.0, float(((x - x.mean()) * (y - y.mean())).mean() / (x.var() + 1e-3)))
    middle, level = float(x.mean()), float(y.mean())
    return {chunk_id: level + slope * (fused[chunk_id] - middle) for chunk_id in best if chunk_id not in known}

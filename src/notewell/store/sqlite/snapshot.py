"""One state of the store, to search: BM25 over postings, cosine over one-bit codes then eight-bit vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from notewell.store import NO_STAND_INS, Edges, Joint, Named, Said, Standing, StandIns
from notewell.store.sqlite import queries
from notewell.store.sqlite.blocks import Blocks, eight_bit, one_bit, stored_cosines, stored_vectors
from notewell.store.sqlite.edges import load_edges, load_ids, load_links_of, load_names
from notewell.store.sqlite.encoder_vectors import fine_cosines
from notewell.store.sqlite.lexical import length_norms, rarity
from notewell.store.sqlite.links_among import count_touching, load_between
from notewell.store.sqlite.masks import READ_AT_MOST, Masks, Scores
from notewell.store.sqlite.rows import carray, load_chunks, load_said
from notewell.store.sqlite.standings import load_standings
from notewell.store.sqlite.vector_cache import SeenVectors
from notewell.store.sqlite.vocabulary import (
    OCCURRENCES,
    Flags,
    Words,
    count_chunks,
    count_holding,
    holding,
    load_any,
    load_postings,
)
from notewell.types.note import Chunk, Link, Vectors
from notewell.types.query import EVERYTHING, Filter, Scope
from notewell.types.results import Ranking

# The one-bit codes choose this many chunks, whose true cosines then decide. Fewer loses hits, more costs time.
RESCORED = 800

# One score in this many is looked at to guess where the best begin.
SAMPLED = 16

Ids = npt.NDArray[np.int64]
NOTHING: Ids = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Arrays:
    """What every search of one state of the chunks shares; `made` is the generation they are of."""

    made: int
    dimensions: int
    norms: npt.NDArray[np.float32]
    codes: npt.NDArray[np.uint64]
    dead: Ids
    live: int
    masks: Masks
    vectors: SeenVectors
    words: Words

    @classmethod
    def load(cls, db: apsw.Connection, made: int, dimensions: int) -> Arrays:
        """Return the arrays of the state that `db` sees now."""
        blocks = Blocks.load(db, dimensions)
        size, dead = blocks.lengths.size, np.flatnonzero(blocks.lengths == 0)
        norms, masks, vectors = length_norms(blocks.lengths), Masks(size), SeenVectors(size, dimensions)
        return cls(made, dimensions, norms, blocks.codes, dead, size - dead.size, masks, vectors, Words())


class SqliteSnapshot:
    """One state of the store, inside a read transaction."""

    def __init__(self, db: apsw.Connection, arrays: Arrays, generation: int, encoder: str) -> None:
        self._db = db
        self._arrays = arrays
        # A mask that depends on the order in which chunks were read is this search's own.
        self._inside: dict[Scope, Flags] = {}
        self.generation = generation
        self.encoder = encoder

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""
        return self._arrays.dimensions

    def matching(
        self, terms: Sequence[str], scope: Scope, limit: int, *, stand_ins: StandIns = NO_STAND_INS
    ) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25.

        A term that ends in `*` is all that begin so, as one; one that has stand-ins is any of them too, for less.
        """
        return self._best(self._scores(terms, stand_ins), scope, limit)

    def matching_all(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold every one of the terms, by BM25."""
        scores = self._scores(terms, NO_STAND_INS)
        scores[~holding(self._db, terms, scores.size)] = 0
        return self._best(scores, scope, limit)

    def known(self, terms: Collection[str]) -> dict[str, int]:
        """Return those of the terms that chunks hold, and how many do."""
        return count_holding(self._db, terms)

    def containing(self, part: str, limit: int) -> list[str]:
        """Return the terms with this part in them, the most frequent first."""
        often = count_holding(self._db, self._arrays.words.containing(self._db, part))
        return sorted(often, key=lambda term: (-often[term], term))[:limit]

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose vectors point the same way, by cosine."""
        near = self._nearest_codes(vector, scope) if vector.any() else NOTHING
        if not near.size:
            return Ranking("vector", ())
        cosines = stored_cosines(vector, self._arrays.vectors.rows(self._db, near))
        best = np.argsort(-cosines, kind="stable")[:limit]
        found = tuple(zip(near[best].tolist(), cosines[best].tolist(), strict=True))
        return Ranking("vector", found, floor=found[-1][1])

    def newest(self, scope: Scope, limit: int) -> list[tuple[int, str]]:
        """Return the first chunk that is in the scope of each of the newest notes, and the note's day."""
        inside = self._within(scope)
        notes = self._arrays.masks.notes(self._db, inside)
        if not notes.size:
            return []
        rows: Any = self._db.execute(queries.NEWEST, {"notes": carray(notes), "limit": limit}).fetchall()
        return [(self._first_chunk(note, inside), day) for note, day in rows]

    def said(self, paths: Collection[str]) -> dict[str, Said]:
        """Return what these notes say of themselves, by path."""
        return dict(load_said(self._db, paths))

    def holds(self, scope: Scope) -> bool:
        """Tell whether anything is in the scope."""
        return bool(self._within(scope).any())

    def within(self, scope: Scope) -> list[int]:
        """Return the ids of the chunks in the scope."""
        found: list[int] = np.flatnonzero(self._within(scope)).tolist()
        return found

    def keys(self) -> Collection[str]:
        """Return the keys that notes have in their front matter, folded."""
        return self._arrays.masks.columns.keys(self._db)

    def values(self, asked: Filter, most: int) -> list[str]:
        """Return what notes have where the filter looks, each once; nothing if it is more than `most`, or of chunks."""
        if asked.of in ("term", "phrase", "heading") or self._arrays.masks.columns.count(self._db, asked) > most:
            return []
        return list(dict.fromkeys(str(value) for _, value in self._arrays.masks.columns.rows(self._db, asked)))

    def closeness(self, vector: Vectors, ids: Sequence[int]) -> dict[int, float | None]:
        """Return the cosine of each of these chunks that has the encoder's vector; none where it does not read them."""
        return fine_cosines(self._db, vector, ids)

    def closeness_once_stored(self, vector: Vectors, vectors: Vectors) -> Vectors:
        """Return the cosines that these vectors of the encoder's will have when they are read again."""
        return stored_cosines(vector, eight_bit(vectors))

    def chunks_of(self, path: str) -> list[int]:
        """Return the ids of a note's chunks, in order."""
        rows: Any = self._db.execute(queries.CHUNKS_OF, {"path": path})
        return [slot for slot, _ in rows]

    def names(self) -> list[tuple[str, str]]:
        """Return the path and the title of every note, by path."""
        rows: Any = self._db.execute(queries.NOTE_NAMES).fetchall()
        return list(rows)

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """Return the vectors of these chunks, of unit length, in the order of their ids."""
        rows: Any = self._db.execute(queries.VECTORS, {"ids": carray(ids)}).fetchall()
        return stored_vectors([data for (data,) in rows])

    def fine_vectors(self, ids: Sequence[int]) -> dict[int, Vectors | None]:
        """Return the encoder's vector of each of these chunks that has one; none where it does not read them."""
        rows: Any = self._db.execute(queries.FINE, {"ids": carray(ids)}).fetchall()
        return {slot: stored_vectors([data])[0] if data else None for slot, data in rows}

    def once_stored(self, vectors: Vectors) -> Vectors:
        """Return vectors as they will be when they are read again."""
        return stored_vectors([row.tobytes() for row in eight_bit(vectors)])

    def rarities(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each of these terms is: BM25's weight of it."""
        counts = {term: count_chunks(self._db, term) for term in terms}
        return {term: rarity(count, self._arrays.live) for term, count in counts.items()}

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks with these ids, in this order."""
        found = dict(load_chunks(self._db, ids))
        return [found[wanted] for wanted in ids]

    def present(self, ids: Sequence[int]) -> list[tuple[int, Chunk]]:
        """Return those of the chunks that are there."""
        return list(load_chunks(self._db, ids))

    def ids(self) -> dict[str, int]:
        """Return the id of every note, in the order of their paths."""
        return load_ids(self._db)

    def named(self) -> list[Named]:
        """Return every note by what links can call it, the lowest id first."""
        return load_names(self._db)

    def edges(self) -> Edges:
        """Return where every link leads that was resolved."""
        return load_edges(self._db)

    def links_of(self, notes: Sequence[int]) -> dict[int, tuple[Link, ...]]:
        """Return the links of those of these notes that have any, by id."""
        return dict(load_links_of(self._db, notes))

    def standings(self, paths: Collection[str] | None = None) -> dict[str, Standing]:
        """Return how those of these notes stand that have links, by path; of all notes, without paths."""
        return load_standings(self._db, paths)

    def between(self, paths: Collection[str]) -> list[Joint]:
        """Return the links from one of these notes to another of them."""
        return load_between(self._db, paths)

    def touching(self, paths: Collection[str], enough: int) -> int:
        """Return how many links between notes begin or end at one of these; past `enough`, about how many."""
        return count_touching(self._db, paths, enough)

    def _first_chunk(self, note: int, inside: Flags) -> int:
        rows = self._db.execute(queries.CHUNKS_IN, {"note": note})
        return next(int(slot) for (slot,) in rows if inside[slot])

    def _scores(self, terms: Sequence[str], stand_ins: StandIns) -> Scores:
        scores = np.zeros(self._arrays.norms.size, dtype=np.float32)
        for term, times in Counter(terms).items():
            self._add_term(scores, term, times, stand_ins.get(term, ()))
        return scores

    def _best(self, scores: Scores, scope: Scope, limit: int) -> Ranking:
        if scope != EVERYTHING:
            scores[~self._within(scope, scores, limit)] = 0
        best = highest(scores, limit)
        return Ranking("lexical", tuple(zip(best.tolist(), scores[best].tolist(), strict=True)))

    def _add_term(self, scores: Scores, term: str, times: int, stand_ins: Sequence[str]) -> None:
        if term.endswith("*") or stand_ins:
            every = load_any(self._db, term, stand_ins, scores.size)
            slots = np.flatnonzero(every)
            found = [(slots, every[slots])]
        else:
            found = [(slots, OCCURRENCES[counts]) for slots, counts in load_postings(self._db, term)]
        weight = np.float32(times * rarity(sum(len(slots) for slots, _ in found), self._arrays.live))
        for slots, often in found:
            scores[slots] += weight * often / (often + self._arrays.norms[slots])

    def _nearest_codes(self, vector: Vectors, scope: Scope) -> Ids:
        """Return the slots whose codes differ least from the vector's, lowest slot first."""
        code = one_bit(vector[np.newaxis])[0]
        distances = np.zeros(self._arrays.norms.size, dtype=np.uint16)
        for column, word in zip(self._arrays.codes, code, strict=True):
            distances += np.bitwise_count(column ^ word)
        # Farther than any code can be: free slots, and chunks outside the scope.
        never = 64 * len(code) + 1
        distances[self._arrays.dead] = never
        if scope != EVERYTHING:
            distances[~self._within(scope, -distances.astype(np.float32), RESCORED)] = never
        within = np.cumsum(np.bincount(distances, minlength=never + 1)[:never])
        farthest = int(np.searchsorted(within, RESCORED))
        near = np.flatnonzero(distances <= min(farthest, never - 1))
        # The last ring often holds thousands at the same distance: the first of them fill up the rest.
        ring = np.flatnonzero(distances[near] == farthest)
        return np.delete(near, ring[max(0, RESCORED - (near.size - ring.size)) :])

    def _within(self, scope: Scope, order: Scores | None = None, enough: int = READ_AT_MOST) -> Flags:
        if scope not in self._inside:
            self._inside[scope] = self._arrays.masks.inside(self._db, scope, order, enough)
        return self._inside[scope]


def highest(scores: npt.NDArray[np.float32], limit: int) -> Ids:
    """Return where the highest scores above 0 stand, best first, equal ones in order of place.

    >>> highest(np.array([0, 0.9, 0.9, 0.5], dtype=np.float32), 2).tolist()
    [1, 2]
    """
    places = np.flatnonzero(scores >= _likely_bar(scores, limit))
    if places.size < limit:
        places = np.flatnonzero(scores > 0)
    order = np.argsort(-scores[places], kind="stable")
    return places[order[:limit]]


def _likely_bar(scores: npt.NDArray[np.float32], limit: int) -> float:
    """Return a score that, by a sample, a few times `limit` of all reach: sorting those beats sorting all."""
    sample = scores[::SAMPLED]
    # Most are 0, and a row of equal numbers is what partitioning is slowest at.
    sample = sample[sample > 0]
    below = sample.size - 1 - 4 * limit // SAMPLED
    return float(np.partition(sample, below)[below]) if below >= 0 else float(np.finfo(np.float32).tiny)

"""One state of the store: BM25 over postings, cosines over one-bit codes and then eight-bit vectors, and links."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.store import EMBEDDER, NO_STAND_INS, NoteFacts, Snapshot, StandIns, State, TermCounts
from notewell.store.filters import TASKS
from notewell.store.tables.arrays import Arrays, code_distances, one_bit
from notewell.store.tables.by_words import ByWords, WordScores
from notewell.store.tables.checked import damaged, decodes, read_json
from notewell.store.tables.links import TableLinked
from notewell.store.tables.masks import READ_AT_MOST, Scores
from notewell.store.tables.reader import Reader
from notewell.store.tables.rows import load_holding
from notewell.store.tables.seal import Seals
from notewell.store.tables.vectors import load_vectors
from notewell.store.tables.vocabulary import Flags, count_holding, terms_from
from notewell.store.vectors import cosines
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Vectors
from notewell.types.query import EVERYTHING, Filter, Scope

# One-bit codes choose this many chunks, whose cosines then decide. Fewer lose hits, more take time.
RESCORED = 800

# Filters that compare with chunks, which have no list of values.
OF_CHUNKS = ("term", "phrase", "heading", *TASKS)

# Chunks that are read together and remembered until the search ends, and how many are remembered in all: more are for a
# walk over the vault, which reads each once.
FEW, REMEMBERED = 300, 2_000

# One score in this many is sampled to estimate where the best begin.
SAMPLED = 16
FAR = np.iinfo(np.uint16).max

Ids = npt.NDArray[np.int64]
Ties = tuple[npt.NDArray[np.intp], npt.NDArray[np.uint64]]
NOTHING: Ids = np.zeros(0, dtype=np.int64)


class TableSnapshot(TableLinked):
    """One state of the store, inside a read transaction."""

    def __init__(self, db: Reader, state: State, load_arrays: Callable[[], Arrays], seals: Seals) -> None:
        """Read the state that `db` sees; the arrays are only loaded for a search."""
        super().__init__(db, seals, state.generation)
        self._load_arrays = load_arrays
        # A mask that depends on the order in which chunks were read belongs to this search alone.
        self._inside: dict[Scope, Flags] = {}
        # Retrievers read chunks that often become candidates.
        self._chunks: dict[int, Chunk] = {}
        self.state = state

    @property
    def reader(self) -> Reader:
        """Return what reads its tables."""
        return self._db

    @property
    def seals(self) -> Seals:
        """Return the seals of its rows."""
        return self._seals

    @cached_property
    def _arrays(self) -> Arrays:
        return self._load_arrays()

    @cached_property
    def _words(self) -> ByWords:
        return ByWords(self._db, self._arrays)

    @decodes
    def match(self, terms: Sequence[str], scope: Scope, limit: int, *, stand_ins: StandIns = NO_STAND_INS) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25."""
        return self._best(self._words.match(terms, stand_ins), scope, limit)

    @decodes
    def match_all(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold every one of the terms, by BM25."""
        return self._best(self._words.match_all(terms), scope, limit)

    @decodes
    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose embedder vectors are nearest, by cosine."""
        near = self._nearest_codes(vector, scope) if vector.any() else NOTHING
        if not near.size:
            return Ranking("vector", ())
        scores = cosines(vector, *self._arrays.vectors.rows(self._db, near))
        best = _order(scores, self._ties(near), limit)
        found = tuple(zip(near[best].tolist(), scores[best].tolist(), strict=True))
        return Ranking("vector", found, floor=found[-1][1], firsts=self._firsts(near[best]))

    @decodes
    def newest(self, scope: Scope, limit: int) -> list[tuple[int, str]]:
        """Return the newest notes in a scope: the first chunk of each that is in it, and the note's day."""
        inside = self._within(scope)
        notes = self._arrays.masks.notes(inside)
        if not notes.size:
            return []
        rows = self._db.fetch("NEWEST", {"notes": notes, "limit": limit})
        return [(self._first_chunk(note, inside), day) for note, day in rows]

    @decodes
    def within(self, scope: Scope, limit: int | None = None) -> list[int]:
        """Return the ids of the chunks in a scope, in ascending order."""
        found: list[int] = np.flatnonzero(self._within(scope))[:limit].tolist()
        return found

    @decodes
    def chunks(self, ids: Sequence[int], *, words: Sequence[str] = ()) -> dict[int, Chunk]:
        """Return the chunks with these ids, in this order, without those that are gone, or that lack a folded word."""
        unread = [wanted for wanted in ids if wanted not in self._chunks]
        read = dict(load_holding(self._db, unread, words, self._seals))
        if len(read) < len(unread) and len(self._db.fetch("EXISTING", {"ids": unread})) > len(read):
            raise damaged("a chunk has no note or no lines")
        found = {slot: chunk for slot, chunk in read.items() if chunk}
        if len(found) <= FEW and len(self._chunks) < REMEMBERED:
            self._chunks.update(found)
        return {wanted: chunk for wanted in ids if (chunk := found.get(wanted) or self._chunks.get(wanted))}

    @decodes
    def notes(self, paths: Collection[str]) -> dict[str, NoteFacts]:
        """Return the day and front matter of notes, by path."""
        self._check_notes(paths)
        rows = self._db.fetch("NOTE_FACTS", {"paths": list(paths)})
        if len(rows) < len({*paths}):
            raise damaged("a note that has chunks is not in the list of notes")
        return {path: NoteFacts(day, read_json(fields, dict), by) for path, day, by, fields in rows}

    @decodes
    def values(self, of: str, key: str = "", *, most: int | None = None) -> list[str]:
        """Return the distinct values that filters of this kind compare with; none if there are more than `most`."""
        self._check_notes()
        columns, asked = self._arrays.masks.columns, Filter(of, (), key)
        if of == "key":
            return list(columns.keys(self._db))
        if of in OF_CHUNKS or (most is not None and columns.count(self._db, asked) > most):
            return []
        return list(dict.fromkeys(str(value) for _, value in columns.rows(self._db, asked)))

    @decodes
    def vectors(self, ids: Sequence[int], kind: str = EMBEDDER) -> dict[int, Vectors | None]:
        """Return the vectors of this kind that these chunks have, by id in ascending order."""
        if kind == EMBEDDER:
            found = load_vectors(self._db, ids, "VECTORS", self.state.made_for.dimensions)
            if len(found) < len({*ids}):
                raise damaged("a chunk has no vector")
            return found
        return load_vectors(self._db, ids, "ENCODER_VECTORS") if kind == self.state.encoder else {}

    @decodes
    def lacking(self, kind: str) -> list[int]:
        """Return the chunks without a vector of this kind, one for each text, the newest and most linked first."""
        return [slot for slot, *_ in self._db.fetch("LACKING", {"encoder": kind})]

    @decodes
    def counts(self, terms: Collection[str]) -> TermCounts:
        """Return how many chunks hold each of the terms."""
        return TermCounts(self._words.count(terms), self._arrays.live)

    def domain_of(self, chunk: int) -> str:
        """Return nothing: this is one store."""
        return ""

    def apart(self) -> dict[str, tuple[Snapshot, int]]:
        """Return nothing: this is one store."""
        return {}

    @decodes
    def terms_like(self, part: str, limit: int, *, longest: int | None = None) -> list[str]:
        """Return the terms that contain a part; with `longest`, those that begin with it and are at most as long."""
        if longest is not None:
            return terms_from(self._db, part, longest, limit)
        often = count_holding(self._db, self._arrays.terms.containing(self._db, part))
        return sorted(often, key=lambda term: (-often[term], term))[:limit]

    def _first_chunk(self, note: int, inside: Flags) -> int:
        rows = self._db.fetch("CHUNKS_IN", {"note": note})
        return next(int(slot) for (slot,) in rows if inside[slot])

    def _best(self, words: WordScores, scope: Scope, limit: int) -> Ranking:
        if scope != EVERYTHING:
            order = np.zeros(self._arrays.notes.size, dtype=np.float32)
            order[words.slots] = words.scores
            words.keep(self._within(scope, order, limit)[words.slots])
        words.keep(_likely_best(words.scores, limit))
        words.keep(_order(words.scores, self._ties(words.slots), limit))
        best = words.slots.tolist()
        found = tuple(zip(best, words.scores.tolist(), strict=True))
        of_notes = dict(zip(best, words.of_notes.tolist(), strict=True))
        complete = frozenset(words.slots[words.complete()].tolist())
        return Ranking("lexical", found, of_notes=of_notes, firsts=self._firsts(words.slots), complete=complete)

    def _firsts(self, slots: Ids) -> dict[int, int]:
        """Return the first chunk of the note of each of these."""
        firsts = self._arrays.first_slots.take(self._arrays.notes.take(slots))
        return dict(zip(slots.tolist(), firsts.tolist(), strict=True))

    def _nearest_codes(self, vector: Vectors, scope: Scope) -> Ids:
        """Return the slots whose codes differ least from the vector's, in ascending order."""
        distances = code_distances(self._arrays.codes, one_bit(vector[np.newaxis])[0])
        # Farther than any code can be, for free slots and chunks outside the scope.
        never = 64 * len(self._arrays.codes) + 1
        distances[self._arrays.dead] = never
        if scope != EVERYTHING:
            distances[~self._within(scope, -distances.astype(np.float32), RESCORED)] = never
        near = np.flatnonzero(distances <= min(_likely_within(distances, RESCORED), never - 1))
        if near.size < RESCORED:
            near = np.flatnonzero(distances < never)
        far = distances[near]
        farthest = int(np.searchsorted(np.cumsum(np.bincount(far)), RESCORED))
        # Thousands often share the last distance: only as many of them as there is room for.
        inside, ring = near[far < farthest], near[far == farthest]
        room = RESCORED - inside.size
        chosen = ring[np.lexsort(self._ties(ring))[:room]] if ring.size > room else ring
        return np.sort(np.concatenate((inside, chosen)))

    def _ties(self, slots: Ids) -> Ties:
        """Return what decides among chunks that score the same, the last key first: their codes, then the oldest note.

        Slots differ between two stores, and with the number of servers.
        """
        return self._arrays.notes.take(slots), self._arrays.codes[0].take(slots)

    def _within(self, scope: Scope, order: Scores | None = None, enough: int = READ_AT_MOST) -> Flags:
        if scope not in self._inside:
            self._inside[scope] = self._arrays.masks.inside(self._db, scope, order, enough)
        return self._inside[scope]


def _likely_best(scores: npt.NDArray[np.float32], limit: int) -> Ids:
    """Return places among which the highest scores are: a few times `limit`, by a sample, if there are many more."""
    sample = scores[::SAMPLED]
    below = sample.size - 1 - 4 * limit // SAMPLED
    if below > 0:
        places = np.flatnonzero(scores >= np.partition(sample, below)[below])
        if places.size >= limit:
            return places
    return np.arange(scores.size)


def _order(scores: npt.NDArray[np.float32], ties: Ties, limit: int) -> Ids:
    """Return the places of the highest scores in their order; sorting only these is faster than sorting all."""
    if scores.size <= limit:
        return np.lexsort((*ties, -scores))
    bar = np.partition(scores, -limit)[-limit]
    best = np.flatnonzero(scores >= bar)
    return best[np.lexsort((*(tie[best] for tie in ties), -scores[best]))[:limit]]


def _likely_within(distances: npt.NDArray[np.uint16], limit: int) -> int:
    """Return a distance within which, by a sample, there are about twice as many as `limit`."""
    sample = distances[::SAMPLED]
    return int(np.partition(sample, place)[place]) if (place := 2 * limit // SAMPLED) < sample.size else FAR

"""Chunks and vectors at rest: what search reads and what indexing writes, whatever lies beneath."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from notewell.types.note import Chunk, Link, Note, Stamp, Vectors
from notewell.types.query import Filter, Scope
from notewell.types.results import Ranking

# Which terms count, for less, as an occurrence of another.
StandIns = Mapping[str, Sequence[str]]
NO_STAND_INS: StandIns = MappingProxyType({})

NoteIds = npt.NDArray[np.uint32]
# A row for each link of a note: the hash of the name it gives, and the note it leads to.
Ends = npt.NDArray[np.uint32]
# In place of a note: the link leads to none, or to a file of the vault that is no note.
NOWHERE = 0
TO_FILE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class MadeFor:
    """What a store's content depends on; made for anything else, it would be another."""

    embedder: str
    dimensions: int
    recipe: str


@dataclass(frozen=True, slots=True)
class About:
    """What a store says of itself."""

    notes: int = 0
    chunks: int = 0
    links: int = 0
    generation: int = 0
    embedder: str = ""
    indexed_at: str = ""
    skipped: Mapping[str, str] = field(default_factory=dict)
    bytes: int = 0
    encoder: str = ""
    filled: int = 0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What a note says of itself: its day, in ISO format, and its front matter."""

    day: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skip:
    """A file that was not read: its stamp then, and whether to try it again though it did not change."""

    stamp: Stamp
    again: bool


@dataclass(frozen=True, slots=True)
class Filling:
    """How far the encoder's vectors are: those made, those of texts it does not read, and those still missing."""

    encoder: str = ""
    filled: int = 0
    unread: int = 0
    left: int = 0
    under_way: bool = False
    problem: str = ""


class Standing(NamedTuple):
    """How a note stands in the graph: PageRank and centrality as shares of the highest, and its community."""

    pagerank: float
    centrality: float
    community: int


class Joint(NamedTuple):
    """A link from one of a few notes to another of them: what it calls it, and how many notes its source links to."""

    source: str
    target: str
    text: str
    of: int


class Named(NamedTuple):
    """A note by what links can call it, and how many links it has itself."""

    id: int
    path: str
    aliases: tuple[str, ...] = ()
    links: int = 0


@dataclass(frozen=True, slots=True)
class Edges:
    """The notes whose links were resolved; for each link its note, the hash of the name it gives, and its target."""

    notes: NoteIds
    sources: NoteIds
    hashes: npt.NDArray[np.uint32]
    targets: NoteIds

    @property
    def to_notes(self) -> Edges:
        """Return those that lead to notes."""
        kept = (self.targets != NOWHERE) & (self.targets != TO_FILE)
        return Edges(self.notes, self.sources[kept], self.hashes[kept], self.targets[kept])

    def into(self, note: int) -> list[int]:
        """Return the notes that link to a note, each once, the lowest id first."""
        sources: list[int] = np.unique(self.sources[self.targets == note]).tolist()
        return sources


class Snapshot(Protocol):
    """One state of the store, unchanged for as long as it is held."""

    @property
    def generation(self) -> int:
        """Return the number of this state; it grows with every change."""

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""

    @property
    def encoder(self) -> str:
        """Return whose better vectors are stored; nothing, if none are."""

    def matching(
        self, terms: Sequence[str], scope: Scope, limit: int, *, stand_ins: StandIns = NO_STAND_INS
    ) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25.

        A term that ends in `*` is all that begin so, as one; one that has stand-ins is any of them too, for less.
        """

    def matching_all(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold every one of the terms, by BM25."""

    def known(self, terms: Collection[str]) -> Mapping[str, int]:
        """Return those of the terms that chunks hold, and how many do."""

    def containing(self, part: str, limit: int) -> list[str]:
        """Return the terms with this part in them, the most frequent first."""

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose vectors point the same way, by cosine."""

    def newest(self, scope: Scope, limit: int) -> list[tuple[int, str]]:
        """Return the first chunk that is in the scope of each of the newest notes, and the note's day."""

    def said(self, paths: Collection[str]) -> Mapping[str, Said]:
        """Return what these notes say of themselves, by path."""

    def holds(self, scope: Scope) -> bool:
        """Tell whether anything is in the scope."""

    def within(self, scope: Scope) -> Sequence[int]:
        """Return the ids of the chunks in the scope."""

    def keys(self) -> Collection[str]:
        """Return the keys that notes have in their front matter, folded."""

    def values(self, asked: Filter, most: int) -> list[str]:
        """Return what notes have where the filter looks, each once; nothing if it is more than `most`, or of chunks."""

    def closeness(self, vector: Vectors, ids: Sequence[int]) -> Mapping[int, float | None]:
        """Return the cosine of each of these chunks that has the encoder's vector; none where it does not read them."""

    def closeness_once_stored(self, vector: Vectors, vectors: Vectors) -> Vectors:
        """Return the cosines that these vectors of the encoder's will have when they are read again."""

    def chunks_of(self, path: str) -> list[int]:
        """Return the ids of a note's chunks, in order."""

    def names(self) -> list[tuple[str, str]]:
        """Return the path and the title of every note, by path."""

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """Return the vectors of these chunks, of unit length, in the order of their ids."""

    def fine_vectors(self, ids: Sequence[int]) -> Mapping[int, Vectors | None]:
        """Return the encoder's vector of each of these chunks that has one; none where it does not read them."""

    def once_stored(self, vectors: Vectors) -> Vectors:
        """Return vectors as they will be when they are read again."""

    def rarities(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return how rare each of these terms is: BM25's weight of it."""

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks with these ids, in this order."""

    def present(self, ids: Sequence[int]) -> list[tuple[int, Chunk]]:
        """Return those of the chunks that are there, by id."""

    def ids(self) -> Mapping[str, int]:
        """Return the id of every note, in the order of their paths."""

    def named(self) -> list[Named]:
        """Return every note by what links can call it, the lowest id first."""

    def edges(self) -> Edges:
        """Return where every link leads that was resolved."""

    def links_of(self, notes: Sequence[int]) -> Mapping[int, tuple[Link, ...]]:
        """Return the links of those of these notes that have any, by id."""

    def standings(self, paths: Collection[str] | None = None) -> Mapping[str, Standing]:
        """Return how those of these notes stand that have links, by path; of all notes, without paths."""

    def between(self, paths: Collection[str]) -> list[Joint]:
        """Return the links from one of these notes to another of them."""

    def touching(self, paths: Collection[str], enough: int) -> int:
        """Return how many links between notes begin or end at one of these; past `enough`, about how many."""


class Writer(Protocol):
    """A batch of changes, seen by readers all at once when it ends."""

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no chunk with these headings and lines is stored, so that it has to be embedded."""

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before."""

    def remove(self, path: str) -> None:
        """Forget a note and everything that came from it."""

    def touch(self, path: str, stamp: Stamp) -> None:
        """Take new times for a note whose content is the same."""

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Forget a note that cannot be read, and remember why, and whether to try it `again` as it is."""


class Store(Protocol):
    """Where chunks rest. Readers and one writer at a time work beside each other."""

    @property
    def in_place(self) -> bool:
        """Tell whether what is open is still what lies there."""

    @property
    def made_for(self) -> MadeFor:
        """Return what the content depends on."""

    @property
    def indexed_at(self) -> str:
        """Return when the last change was taken in; nothing for a new store."""

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamp of every note, by path."""

    def skipped(self) -> dict[str, Skip]:
        """Return every skipped file, by path."""

    def about(self) -> About:
        """Return counts, generation and what was skipped."""

    def reading(self) -> AbstractContextManager[Snapshot]:
        """Hold one state of the store."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Collect changes; they are kept together, or not at all."""

    @property
    def linked(self) -> bool:
        """Tell whether links were resolved since a note last changed."""

    def keep_edges(self, ends: Mapping[int, Ends]) -> None:
        """Store where the links of these notes lead; with them, all links are resolved."""

    @property
    def measured(self) -> bool:
        """Tell whether standings are of the links as they were resolved last."""

    @property
    def standings_mark(self) -> str:
        """Return which links the standings were computed of; nothing, if none were."""

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how all notes stand that have links, by id; or, without any, that it is as it was."""

    def unfilled(self, encoder: str) -> list[int]:
        """Return one chunk for each of the lines that lack this encoder's vector, the newest notes' first."""

    def filled(self, encoder: str) -> Filling:
        """Return how far this encoder's vectors are, and whether somebody is making them."""

    def keep_fine(self, encoder: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors; another's, that are there, go."""

    def tidy(self) -> None:
        """Do what upkeep is due, if it is worth it."""

    def locked(self, wait: float) -> AbstractContextManager[None]:
        """Be the only writer for a whole run; whoever else tries is told who is."""

    def filling(self) -> AbstractContextManager[None]:
        """Be the only one that fills; indexing and searching go on beside it."""

    def beside(self, made_for: MadeFor) -> Self:
        """Return another store to build beside this one; what an interrupted build left is taken up again."""

    def replace_by(self, other: Self) -> None:
        """Take over a store built beside, in one step; readers see the old state until it is done."""

    def close(self) -> None:
        """Let go of the store."""

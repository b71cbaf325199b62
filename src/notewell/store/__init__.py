"""Chunks and vectors at rest, behind four seams that every store implements: Matching, Linked, Writing, Keeping.

What a member promises is said here; a store's own docstrings only name it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, Self

from notewell.frozen import frozen
from notewell.store.bm25 import rarity
from notewell.store.links import Edges, LinkBetween, LinkEnds, NoteName, Standing
from notewell.types.candidates import Ranking
from notewell.types.note import Chunk, Link, Note, Stamp, Vectors
from notewell.types.query import Scope

# Terms that count as an occurrence of another, for less.
StandIns = Mapping[str, Sequence[str]]
NO_STAND_INS: StandIns = MappingProxyType({})

# Kinds of vectors: every chunk has the embedder's. An encoder's are known by its fingerprint, and may be missing.
EMBEDDER = ""

# Who made a store: this user on this machine; unknown, as it has no mark; or somebody else.
Origin = Literal["own", "unknown", "other"]


class MadeFor(NamedTuple):
    """The settings that a store's content depends on: with others, it has to be built again."""

    embedder: str
    dimensions: int
    recipe: str


@frozen
class State:
    """One state of a store: what it was made for, when it was indexed, and which derived data is up to date."""

    made_for: MadeFor
    generation: int = 0
    """Grows with every change."""
    notes_changed: int = 0
    """The generation in which notes or skipped files last changed."""
    touched: int = 0
    """How often times of files changed whose notes did not."""
    indexed_at: str = ""
    """When notes were last indexed; empty for a new store."""
    encoder: str = ""
    """Fingerprint of the encoder whose vectors are stored; empty if none are."""
    links_resolved: bool = False
    """Whether links were resolved since a note last changed."""
    standings_current: bool = False
    """Whether standings were measured since links were last resolved."""
    site_root: str = ""
    """Identifies the root by which site-absolute links were resolved; empty for the vault's own."""
    standings_mark: str = ""
    """Identifies the links that the standings were measured on; empty if none were."""
    finished: bool = False
    """Whether any run reached its end, which is to measure standings."""
    origin: Origin = "own"
    """Who made it: only an `own` store is read."""
    newest: int = 0
    """The generation of the primary, if this state is of a replica that lacks changes of it."""
    lost: tuple[str, ...] = ()
    """The nodes of the server that cannot be reached, whose part of the vault is missing."""
    missing: int = 0
    """How many notes are on them."""
    id: str = ""
    """A random name, which tells it from one that was made anew in its place; empty if it has none."""


@frozen
class About:
    """The counts of a store and its state, as a report shows them."""

    notes: int = 0
    """How many notes it has."""
    chunks: int = 0
    """How many chunks they have."""
    links: int = 0
    """How many links they have."""
    tags: Mapping[str, int] = field(default_factory=dict)
    """How many notes have each tag, the most used first, if asked for; spellings that differ in case are one."""
    generation: int = 0
    """A number that grows with every change of the store."""
    embedder: str = ""
    """The embedder whose vectors are stored."""
    indexed_at: str = ""
    """When the vault was last indexed; empty if never."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Why files were skipped, by path."""
    bytes: int = 0
    """How large the store is."""
    encoder: str = ""
    """The encoder whose vectors are stored; empty if there are none."""
    encoded: int = 0
    """How many distinct texts have a vector of the encoder."""
    unread: int = 0
    """How many distinct texts the encoder cannot read."""


class Skip(NamedTuple):
    """A file that could not be indexed: its stamp then, and whether to try `again` although it did not change."""

    stamp: Stamp
    again: bool


class Files(NamedTuple):
    """The files that were indexed, by path: notes with their stamps, and those that were skipped."""

    notes: dict[str, Stamp]
    skipped: dict[str, Skip]


# If the files of this many notes, and of more than half of all, have one day, a copy or a clone dated them: that day
# says nothing of the notes. Nobody writes so many on one day.
CLONED_AT_LEAST = 50


class NoteFacts(NamedTuple):
    """A note's day, in ISO format, where that stands, and its properties; a note of a clone may have no day."""

    day: str
    fields: Mapping[str, Any] = MappingProxyType({})
    dated_by: str = "file"
    """`name` of the file, the key of a property, or `file`: the time of its last change."""


class TermCounts(NamedTuple):
    """How many chunks hold each term, without the terms that none holds; and how many chunks there are."""

    by_term: Mapping[str, int]
    chunks: int

    def rarity(self, term: str) -> float:
        """Return BM25's weight of a term.

        >>> counts = TermCounts({"rye": 2}, 3)
        >>> round(counts.rarity("rye"), 3), round(counts.rarity("nowhere"), 3)
        (0.47, 2.079)
        """
        return rarity(self.by_term.get(term, 0), self.chunks)

    def rarities(self, terms: Collection[str]) -> dict[str, float]:
        """Return the weight of each of these terms."""
        return {term: self.rarity(term) for term in terms}


class Matching(Protocol):
    """Search: chunks by terms and by vectors, and the vocabulary."""

    def match(self, terms: Sequence[str], scope: Scope, limit: int, *, stand_ins: StandIns = NO_STAND_INS) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25.

        A term that ends in `*` stands for all terms with that beginning. Stand-ins count as the term, for less.
        """

    def match_all(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold every one of the terms, by BM25."""

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose embedder vectors are nearest, by cosine."""

    def newest(self, scope: Scope, limit: int) -> Sequence[tuple[int, str]]:
        """Return the newest notes in a scope: the first chunk of each that is in it, and the note's day."""

    def within(self, scope: Scope, limit: int | None = None) -> Sequence[int]:
        """Return the ids of the chunks in a scope, in ascending order."""

    def chunks(self, ids: Sequence[int], *, words: Sequence[str] = ()) -> Mapping[int, Chunk]:
        """Return the chunks with these ids, in this order, without those that are gone.

        A chunk may be left out if its lines, headings, path, title and tags lack one of the folded words.
        """

    def notes(self, paths: Collection[str]) -> Mapping[str, NoteFacts]:
        """Return the day and front matter of notes, by path; one that is not there is damage."""

    def values(self, of: str, key: str = "", *, most: int | None = None) -> Sequence[str]:
        """Return the distinct values that filters of this kind compare with; none if there are more than `most`.

        `of` is a kind of filter: `tag` or the like, or `field` with its `key`. With `key`, the keys of front matter are
        returned, folded.
        """

    def vectors(self, ids: Sequence[int], kind: str = EMBEDDER) -> Mapping[int, Vectors | None]:
        """Return the vectors of this kind that these chunks have, by id in ascending order.

        None stands for a text that the encoder cannot read. Only directions are kept: a vector may have any length. A
        chunk without a vector of the embedder is damage.
        """

    def lacking(self, kind: str) -> Sequence[int]:
        """Return the chunks without a vector of this kind, one for each text, the newest and most linked first.

        Those of the newest note, of the most linked, of the second newest, and so on.
        """

    def counts(self, terms: Collection[str]) -> TermCounts:
        """Return how many chunks hold each of the terms."""

    def terms_like(self, part: str, limit: int, *, longest: int | None = None) -> Sequence[str]:
        """Return the terms that contain a part, the most frequent first.

        With `longest`, only those that begin with the part and have at most so many characters.
        """


class Linked(Protocol):
    """The graph: notes by id and name, their links, and how they stand."""

    def ids(self) -> Mapping[str, int]:
        """Return the id of every note, in the order of their paths."""

    def names(self) -> Sequence[NoteName]:
        """Return what every note can be called, by ascending id."""

    def chunks_of(self, path: str) -> Sequence[int]:
        """Return the ids of a note's chunks, in order; none for an unknown path."""

    def edges(self) -> Edges:
        """Return all resolved links."""

    def links_of(self, notes: Sequence[int]) -> Mapping[int, tuple[Link, ...]]:
        """Return the links of notes as written, by the note's id, without notes that have none."""

    def links_among(self, paths: Collection[str]) -> Sequence[LinkBetween]:
        """Return the links from one of these notes to another of them; without texts from notes with very many."""

    def links_touching(self, paths: Collection[str], enough: int) -> int:
        """Return how many links between notes begin or end at one of these; above `enough`, an estimate."""

    def standings(self, paths: Collection[str] | None = None) -> Mapping[str, Standing]:
        """Return how notes stand, by path, without notes that have no links; of all notes by default."""


class Snapshot(Matching, Linked, Protocol):
    """One state of the store, unchanged while it is held."""

    def domain_of(self, chunk: int) -> str:
        """Return the name of the domain whose store holds a chunk, in a state of several stores; else nothing."""

    def apart(self) -> Mapping[str, tuple[Snapshot, int]]:
        """Return the states of domains whose vectors cannot be compared with the others', by name.

        Each comes with what is added to its ids here.
        """

    @property
    def state(self) -> State:
        """Return which state it is."""


class Writing(Protocol):
    """A batch of changes. Readers see all of them at once when it ends, or none if it fails."""

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no stored chunk has these headings and lines, so that it has to be embedded."""

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before.

        Vectors of chunks that the store does not lack are ignored.
        """

    def remove(self, path: str) -> None:
        """Delete a note and everything derived from it."""

    def touch(self, path: str, stamp: Stamp) -> None:
        """Store a new stamp for a note whose content is the same."""

    def skip(self, path: str, stamp: Stamp, reason: str, again: bool) -> None:
        """Delete a note that cannot be indexed; keep the reason, and whether to try it `again` as it is."""

    def keep_edges(self, ends: Mapping[int, LinkEnds], site_root: str = "") -> None:
        """Store where the links of notes lead, by the note's id; all others count as resolved by this root, too."""

    def keep_standings(self, mark: str, standings: Mapping[int, Standing] | None) -> None:
        """Store how notes stand, by id, in place of all standings; None says that they are unchanged."""

    def keep_vectors(self, kind: str, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store an encoder's vectors of chunks that are still there, in place of another encoder's.

        A row of zeros says that the encoder cannot read the text.
        """


class Keeping(Protocol):
    """Upkeep: what is stored, locks, checks, copies and rebuilding."""

    @property
    def state(self) -> State:
        """Return the present state."""

    @property
    def in_place(self) -> bool:
        """Tell whether the open store is still the one that is stored under its name."""

    def about(self, *, tags: bool = False) -> About:
        """Return counts, sizes and why files were skipped; slower than `state`. `tags` only if asked for."""

    def files(self) -> Files:
        """Return every indexed and skipped file with its stamp."""

    def locked(self, purpose: str = "index", *, wait: float = 0) -> AbstractContextManager[None]:
        """Hold the lock for `index` or `encode`; after `wait` seconds, raise an error that names its holder."""

    def tidy(self) -> None:
        """Do the maintenance that is due at the end of a run."""

    def check(self) -> Sequence[str]:
        """Return what is wrong with the store, one sentence each."""

    def copy_to(self, file: Path) -> None:
        """Write the present state to a file while others read and write."""

    def beside(self, content: MadeFor | Path) -> Self:
        """Return another store to take this one's place: empty, or a copy of a file that `copy_to` wrote.

        An empty one continues an interrupted build that was made for the same. A copy that is damaged is an error.
        """

    def replace_by(self, other: Self) -> None:
        """Take over the content of a store built beside this one, in one step; readers keep their state until then."""

    def release_memory(self) -> None:
        """Free the memory that searches have filled; the next search reads it again."""

    def close(self) -> None:
        """Close the store."""


class Store(Keeping, Protocol):
    """A store: all four seams. Many readers and one writer work at a time."""

    def reading(self, *, shown: bool = True) -> AbstractContextManager[Snapshot]:
        """Read one state, which does not change inside the block.

        Without `shown`, nothing read is shown to anybody, and altered text is no error.
        """

    def writing(self, *, wait: bool = True) -> AbstractContextManager[Writing]:
        """Collect changes and commit them together; without `wait`, fail at once while somebody else writes."""

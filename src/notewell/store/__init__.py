"""Chunks and vectors at rest: what search reads and what indexing writes, whatever lies beneath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from notewell.types import Chunk, Link, Note, Ranking, Scope, Stamp, Vectors


@dataclass(frozen=True, slots=True)
class About:
    """What a store says of itself."""

    notes: int
    chunks: int
    links: int
    generation: int
    embedder: str
    indexed_at: str
    skipped: Mapping[str, str]
    bytes: int


class Snapshot(Protocol):
    """One state of the store, unchanged for as long as it is held."""

    @property
    def generation(self) -> int:
        """Return the number of this state; it grows with every change."""

    def matching(self, terms: Sequence[str], scope: Scope, limit: int) -> Ranking:
        """Return the chunks that hold any of the terms, by BM25."""

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> Ranking:
        """Return the chunks whose vectors point the same way, by cosine."""

    def chunks(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks with these ids, in this order."""

    def links(self) -> Mapping[str, tuple[Link, ...]]:
        """Return the links of every note that has any, by path."""


class Writer(Protocol):
    """A batch of changes, seen by readers all at once when it ends."""

    def lacks(self, chunk: Chunk) -> bool:
        """Tell whether no chunk with these headings and lines is stored, so that it has to be embedded."""

    def put(self, note: Note, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Store a note in place of what its path held before."""

    def remove(self, path: str) -> None:
        """Forget a note and everything that came from it."""

    def touch(self, path: str, stamp: Stamp) -> None:
        """Take a new time for a note whose content is the same."""

    def skip(self, path: str, stamp: Stamp, reason: str) -> None:
        """Forget a note that cannot be read, and remember why."""


class Store(Protocol):
    """Where chunks rest."""

    def reading(self) -> AbstractContextManager[Snapshot]:
        """Hold one state of the store."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Collect changes; they are kept together, or not at all."""

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamp of every note, by path."""

    def skipped(self) -> dict[str, Stamp]:
        """Return the stamp of every skipped file, by path."""

    @property
    def indexed_at(self) -> str:
        """Return when the last change was taken in; nothing for a new store."""

    def about(self) -> About:
        """Return counts, generation and what was skipped."""

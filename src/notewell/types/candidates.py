"""What a search ranks before it has hits: rankings of chunks, and candidates with the reasons for their scores."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from notewell.types.note import Chunk
from notewell.types.results import Step

# What stands for a retriever where a whole note votes for its chunks: a part of the score by words.
OF_NOTE = "note"


class Ranking(NamedTuple):
    """The chunks that one retriever found, the best first."""

    retriever: str
    found: tuple[tuple[int, float], ...]
    """Chunk ids with their scores."""
    floor: float = 0.0
    """The score of a chunk that it did not find."""
    spread: float = 0.0
    """How far above the floor a score counts 1 in a fusion by scores; 0 for as far as the best is."""
    reach: int = 30
    """How many of the chunks may become hits."""
    trust: float = 1.0
    """The share of its weight that counts: less where it knows few scores."""
    guessed: frozenset[int] = frozenset()
    """The chunks whose scores are estimates."""
    of_notes: Mapping[int, float] = MappingProxyType({})
    """The part of each chunk's score that is its whole note's, for a ranking that counts it."""
    firsts: Mapping[int, int] = MappingProxyType({})
    """The first chunk of the note of each chunk."""
    complete: frozenset[int] = frozenset()
    """The chunks whose notes have every term that was matched, for a ranking by words."""

    @property
    def candidates(self) -> tuple[tuple[int, float], ...]:
        """Return the chunks that may become hits; the others only give their scores to chunks found elsewhere."""
        return self.found[: self.reach]


class CastVote(NamedTuple):
    """What one ranking gives a chunk: its rank, its score, that score scaled for fusion, and the weight."""

    retriever: str
    rank: int | None
    score: float | None
    scaled: float
    weight: float
    guessed: bool = False


class Candidate(NamedTuple):
    """A chunk on its way to becoming a hit: its score, how that came about, and the places that say the same."""

    chunk: Chunk
    score: float
    trace: tuple[Step, ...] = ()
    also: tuple[str, ...] = ()
    votes: tuple[CastVote, ...] = ()

    @property
    def ranks(self) -> dict[str, int | None]:
        """Return its rank with each retriever; None where one did not find it, or was not asked."""
        asked = (vote for vote in self.votes if vote.retriever != OF_NOTE)
        return {"lexical": None, "vector": None, **{vote.retriever: vote.rank for vote in asked}}

    def rescored(self, score: float, *, by: str, why: str) -> Candidate:
        """Return the candidate with a new score and the reason on its trace."""
        return Candidate(self.chunk, score, (*self.trace, Step(by, why, score)), self.also, self.votes)

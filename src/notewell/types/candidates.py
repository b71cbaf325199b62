"""What a search ranks before it has hits: rankings of chunks, and candidates with the reasons for their scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.types.note import Chunk
from notewell.types.results import Step, Vote


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one retriever found: chunk ids with scores, the best first, and the score of a chunk it did not find.

    `trust` is the share of its weight that it has earned; `guessed` are the chunks whose scores are estimates.
    """

    retriever: str
    found: tuple[tuple[int, float], ...]
    floor: float = 0.0
    reach: int = 30
    trust: float = 1.0
    guessed: frozenset[int] = frozenset()

    @property
    def candidates(self) -> tuple[tuple[int, float], ...]:
        """Return the part that may become hits; the rest only lends its scores."""
        return self.found[: self.reach]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk on its way to becoming a hit: its score, how that came about, and the places that say the same."""

    chunk: Chunk
    score: float
    trace: tuple[Step, ...] = ()
    also: tuple[str, ...] = ()
    votes: tuple[Vote, ...] = ()

    @property
    def ranks(self) -> dict[str, int | None]:
        """Return its rank with each retriever; None where one did not find it, or was not asked."""
        return {"lexical": None, "vector": None, **{vote.retriever: vote.rank for vote in self.votes}}

    def rescored(self, score: float, *, by: str, why: str) -> Candidate:
        """Return the candidate with a new score and the reason on its trace."""
        return replace(self, score=score, trace=(*self.trace, Step(by, why, score)))

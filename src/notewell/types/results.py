"""What a search finds: rankings, hits with the reasons for their scores, excerpts, and a page of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from notewell.types.note import Chunk, place_of


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one retriever found: chunk ids and scores, the best first, and the score of what it did not find.

    `trust` says how much of its weight it has earned, `guessed` which of its scores are not its own.
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


class Vote(NamedTuple):
    """What one ranking says of a chunk: its rank there, its score, that score as it is fused, the ranking's weight."""

    retriever: str
    rank: int | None
    score: float | None
    scaled: float
    weight: float
    guessed: bool = False

    @property
    def part(self) -> float:
        """Return what it adds to the fused score."""
        return self.scaled * self.weight


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a score: who made it, why, and what the score was then."""

    by: str
    why: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers the plan, its score, how that came about, and the places that say the same."""

    chunk: Chunk
    score: float
    trace: tuple[Step, ...] = ()
    also: tuple[str, ...] = ()
    votes: tuple[Vote, ...] = ()

    @property
    def ranks(self) -> dict[str, int | None]:
        """Return the hit's rank with each retriever; none where one did not find it, or was not asked."""
        return {"lexical": None, "vector": None, **{vote.retriever: vote.rank for vote in self.votes}}

    def rescored(self, score: float, *, by: str, why: str) -> Hit:
        """Return the hit with a new score and the reason on its trace."""
        return replace(self, score=score, trace=(*self.trace, Step(by, why, score)))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The sentences of a hit nearest the query, their lines, and where its terms stand in them."""

    hit: Hit
    text: str
    line: int
    end_line: int
    highlights: tuple[tuple[int, int], ...] = ()

    @property
    def path(self) -> str:
        """Return the note's path, from the vault's root."""
        return self.hit.chunk.path

    @property
    def place(self) -> str:
        """Return the page, slide or other part of the note that these lines are in, if it has such."""
        return place_of(self.hit.chunk.parts, self.line, self.end_line)

    @property
    def score(self) -> float:
        """Return the hit's score; higher is better."""
        return self.hit.score


@dataclass(frozen=True, slots=True)
class Results:
    """A page of excerpts: what was asked, of which state of the store, and what the user should know.

    So many hits were `left_out` because they did not fit into `max_tokens`.
    """

    query: str
    excerpts: tuple[Excerpt, ...]
    generation: int
    took_ms: float
    notices: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    left_out: int = 0

    def __iter__(self) -> Iterator[Excerpt]:
        return iter(self.excerpts)

    def __len__(self) -> int:
        return len(self.excerpts)

    def __getitem__(self, place: int) -> Excerpt:
        return self.excerpts[place]

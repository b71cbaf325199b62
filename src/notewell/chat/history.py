"""A conversation: questions and answers within a budget, and the earlier question that a short one continues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from notewell.errors import QueryError
from notewell.search.relevance import telling_terms

# Characters of questions and answers that a conversation keeps, about 12,000 tokens; the oldest pair goes first.
BUDGET = 48_000
# A question with fewer terms of its own than this continues the one before: "and in winter?".
FEW = 2


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer."""

    question: str
    answer: str

    @property
    def size(self) -> int:
        """Return its characters."""
        return len(self.question) + len(self.answer)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of a session; `first` is the number of the oldest one that is kept."""

    turns: tuple[Turn, ...] = ()
    first: int = 1

    @property
    def used(self) -> int:
        """Return the characters of all turns."""
        return sum(turn.size for turn in self.turns)

    def with_turn(self, turn: Turn) -> Conversation:
        """Return the conversation with one more turn, without the oldest turns if they no longer fit.

        >>> long = Turn("why?", "x" * 30_000)
        >>> kept = Conversation((long,)).with_turn(long)
        >>> len(kept.turns), kept.first, kept.used
        (1, 2, 30004)
        """
        turns, first = [*self.turns, turn], self.first
        while len(turns) > 1 and sum(one.size for one in turns) > BUDGET:
            turns.pop(0)
            first += 1
        return Conversation(tuple(turns), first)

    def before(self, number: int) -> Conversation:
        """Return the conversation as it was before a question; one that is not kept is an error.

        >>> Conversation((Turn("a", "1"), Turn("b", "2"))).before(2).turns
        (Turn(question='a', answer='1'),)
        """
        if not self.first <= number < self.first + len(self.turns):
            kept = f"Questions {self.first} to {self.first + len(self.turns) - 1} can" if self.turns else "None can yet"
            raise QueryError(f"There is no question {number} to edit", f"{kept} be edited")
        return replace(self, turns=self.turns[: number - self.first])


def texts_to_search(question: str, history: Sequence[Turn]) -> list[str]:
    """Return the texts to search for, the likeliest first: the question, alone and after the one it may continue.

    >>> texts_to_search("and in winter?", [Turn("when do I feed the bees?", "…"), Turn("why so?", "…")])
    ['when do I feed the bees? and in winter?', 'and in winter?']
    """
    before = next((turn.question for turn in reversed(history) if _stands_alone(turn.question)), "")
    if not before:
        return [question]
    both = [f"{before} {question}", question]
    return both[::-1] if _stands_alone(question) else both


def _stands_alone(question: str) -> bool:
    return len(telling_terms(question)) >= FEW

"""A conversation: questions and answers within a budget, and the earlier question that a short one continues."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from notewell.errors import QueryError
from notewell.frozen import frozen
from notewell.search.relevance import telling_terms
from notewell.types.query import Query

# What stands for an answer that must not be told any more.
LEFT_OUT = "…"
# Characters of questions and answers that a conversation keeps, about 12,000 tokens; the oldest pair goes first.
BUDGET = 48_000
# How a question begins that continues the one before, and words that stand for something in it.
CONTINUES = re.compile(
    r"(?:and|but|or|also|what about|how about|und|aber|oder|auch|wie steht)\b"
    r"|.*\b(?:it|its|they|them|their|that|this|those|these|there|then|he|him|she|her|one|ones|er|sie|es|ihn|ihm|ihr"
    r"|das|dies|dort|davon|damit|dafür)\b",
    re.IGNORECASE | re.DOTALL,
)
# Nor does a question stand alone that has fewer terms of its own than this.
FEW = 2


@frozen
class Turn:
    """A question and its answer, the notes that it may rest on, and which notes were allowed to answer."""

    question: str
    answer: str
    paths: tuple[str, ...] = ()
    scope: str = ""

    @property
    def size(self) -> int:
        """Return its characters."""
        return len(self.question) + len(self.answer)


@frozen
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
        (Turn(question='a', answer='1', paths=(), scope=''),)
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
    return [question] if _stands_alone(question) else [f"{before} {question}", question]


def _stands_alone(question: str) -> bool:
    """Tell whether a question has a meaning without the one before.

    >>> [_stands_alone(text) for text in ("who founded Obsidian?", "and in winter?", "why so?", "is it encrypted?")]
    [True, False, False, False]
    """
    terms = len(telling_terms(question))
    return terms >= FEW or (terms > 1 and not CONTINUES.match(question.strip()))


def usable_turns(turns: Sequence[Turn], scope: str, indexed: Collection[str]) -> tuple[Turn, ...]:
    """Return turns without the answers that may rest on notes which are gone, excluded, or outside of the scope."""
    return tuple(
        turn if turn.scope == scope else replace(turn, answer=LEFT_OUT) for turn in without_gone(turns, indexed)
    )


def without_gone(turns: Sequence[Turn], indexed: Collection[str]) -> tuple[Turn, ...]:
    """Return turns without the answers that may rest on notes which are gone or excluded by now."""
    return tuple(
        turn if all(path in indexed for path in turn.paths) else replace(turn, answer=LEFT_OUT) for turn in turns
    )


def scope_of(query: Query) -> str:
    """Return which notes may answer a query, in a form that can be compared."""
    return repr((query.under, query.filters))

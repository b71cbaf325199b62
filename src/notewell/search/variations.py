"""Other wordings of a query: its technical words alone, and a question as the statement that would answer it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol, runtime_checkable

from notewell.embed import Embedder
from notewell.search.stopwords import stop_terms
from notewell.terms import TOKEN, token_terms
from notewell.types.query import Plan

# What makes a question of a statement: the words that ask, and who does. Compiled when first used: few want it.
ASKING = r"""
    (?:how\ (?:do|does|did|can|could|should|would|to)|what(?:['’]s|\ (?:is|are|was|were|does|do|did))
      |(?:why|when|where|who)\ (?:is|are|was|were|do|does|did|can|should)|which|why|when|where|who|is|are|was|were|do
      |does|did|can|could|should|would|will|has|have|wie|was\ (?:ist|sind|war)|warum|wann|wo|wer|welche[rsnm]?)\ +
    (?:(?:i|we|you|one|it|there|ich|wir|man)\ +)?
    """


@runtime_checkable
class BreaksWords(Protocol):
    """An embedder that can say which words its model does not know as one."""

    def pieces(self, word: str) -> int:
        """Return how many pieces the tokenizer makes of a word."""


def vary(plan: Plan, embedder: Embedder | None) -> Plan:
    """Return the plan with other wordings of its text, which are embedded with it, and told."""
    breaks = embedder if isinstance(embedder, BreaksWords) else None
    wordings = (technical_words(plan.text, breaks) if breaks else "", as_statement(plan.text))
    variations = tuple(text for text in dict.fromkeys(wordings) if text and text != plan.text)
    return replace(plan, variations=variations, read_as=(*plan.read_as, *(f'also as "{text}"' for text in variations)))


def technical_words(text: str, breaks: BreaksWords) -> str:
    """Return the words of a text that say something and that the model's tokenizer breaks up."""
    words = dict.fromkeys(word for word in TOKEN.findall(text) if not stop_terms().issuperset(token_terms(word)))
    return " ".join(word for word in words if breaks.pieces(word) > 1)


def as_statement(text: str) -> str:
    """Return a question without what asks.

    >>> as_statement("How do I reset the hive?"), as_statement("hive scale")
    ('reset the hive', 'hive scale')
    """
    asking = re.match(ASKING, text, re.VERBOSE | re.IGNORECASE)
    return text[asking.end() :].rstrip(" ?？") if asking else text

"""What kind of query it is, and how that moves the weights: a single word is looked for as it is written."""

from __future__ import annotations

from dataclasses import replace

from notewell.search.fuse import SearchRules
from notewell.search.plan import stop_terms
from notewell.terms import TOKEN, token_terms
from notewell.types import Plan

# How much of its weight the encoder keeps for a single word, of which it knows less than the word says.
OF_ONE_WORD = 0.2


def leaning(plan: Plan, rules: SearchRules) -> SearchRules:
    """Return the rules as the kind of query asks for them.

    >>> leaning(Plan("the hive", ("hive",)), SearchRules(fine_weight=1)).fine_weight
    0.2
    """
    return replace(rules, fine_weight=rules.fine_weight * OF_ONE_WORD) if _is_one_word(plan.text) else rules


def _is_one_word(text: str) -> bool:
    """Tell whether a text has one word, or identifier, that says something."""
    return sum(not stop_terms().issuperset(token_terms(token)) for token in set(TOKEN.findall(text))) == 1

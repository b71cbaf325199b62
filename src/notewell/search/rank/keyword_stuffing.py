"""Chunks stuffed with the words of the query: a line of tags, a list of keywords, and nothing that is said of them."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.search.rank.names import is_called
from notewell.search.stopwords import stop_terms
from notewell.terms import split_terms
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

# What is left of such a score: enough for the notes of tests/test_failure_modes.py, on which it was chosen. No
# candidate of the nine collections is stuffed, so that they neither speak for it nor against it.
LEFT = 0.4
# A longer chunk is not looked at, which saves the time: among so many words, BM25 gives little for repeated ones.
SHORT = 300
# What was written by a program is looked for as it is written, and has no grammar either.
INTENTS = ("question", "keywords", "one word")


def lower_stuffed(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Lower short candidates without grammar that mostly repeat the query, unless the note itself is asked for."""
    wanted = frozenset(plan.terms)
    if plan.intent not in INTENTS:
        return list(candidates)
    return [_lowered(candidate, wanted) if len(candidate.chunk.text) < SHORT else candidate for candidate in candidates]


def _lowered(candidate: Candidate, wanted: frozenset[str]) -> Candidate:
    terms = split_terms(candidate.chunk.text)
    shared = [term for term in terms if term in wanted]
    says_something = 2 * len(shared) <= len(terms) or not stop_terms().isdisjoint(terms)
    if says_something or len(shared) == len(set(shared)) or is_called(candidate.chunk, wanted):
        return candidate
    why = f"{len(shared)} of its {len(terms)} words are the query's, and come again"
    return candidate.rescored(candidate.score * LEFT, by="stuffed", why=why)

"""By which rules rankings are fused: the same for all chunks, or the weights that a domain sets for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from notewell.frozen import frozen
from notewell.search.fuse import Fused, cast_votes, fuse
from notewell.search.intent import adapt, weigh
from notewell.search.rules import Rules, SearchRules
from notewell.store import Snapshot
from notewell.types.candidates import CastVote, Ranking
from notewell.types.query import Plan

# What all domains without settings of their own share.
REST = ""


@frozen
class Weighing:
    """The rules by which rankings are fused: of most chunks, and of those in domains with weights of their own."""

    rules: SearchRules
    own: Mapping[str, SearchRules]
    domain_of: Callable[[int], str]

    @classmethod
    def of(cls, rules: Rules, plan: Plan, store: Snapshot) -> Weighing:
        """Return the rules for a plan, adapted to its kind of query."""
        # Their weights alone: how many hits there are is the query's business.
        own = {name: weigh(plan, _weighed_as(rules.settings, each.search)) for name, each in rules.own.items()}
        return cls(adapt(rules, plan), own, store.domain_of)

    @property
    def widest(self) -> SearchRules:
        """Return rules by which every retriever is asked that counts for any chunk."""
        if not self.own:
            return self.rules
        every = (self.rules, *self.own.values())
        by_words, by_meaning = max(one.lexical_weight for one in every), max(one.vector_weight for one in every)
        return replace(self.rules, lexical_weight=by_words, vector_weight=by_meaning)

    def fuse(self, rankings: Sequence[Ranking]) -> Fused:
        """Return the scores of the best chunks, each by the weights of its domain.

        Scores are shares of the best of each retriever over all domains, so that those of two domains compare.
        """
        if not self.own:
            return fuse(rankings, self.rules)
        most = sum(len(ranking.found) for ranking in rankings)
        fused: Fused = {}
        for name, rules in {REST: self.rules, **self.own}.items():
            every = fuse(rankings, replace(rules, candidates=max(most, rules.candidates)))
            fused |= {chunk: steps for chunk, steps in every.items() if self._name(chunk) == name}
        return fused

    def cast_votes(self, rankings: Sequence[Ranking], ids: Sequence[int]) -> dict[int, tuple[CastVote, ...]]:
        """Return what each ranking says about each of these chunks, as `fuse` counts it."""
        votes: dict[int, tuple[CastVote, ...]] = {}
        for name, rules in {REST: self.rules, **self.own}.items():
            own = [chunk for chunk in ids if not self.own or self._name(chunk) == name]
            votes |= cast_votes(rankings, rules, own) if own else {}
        return votes

    def _name(self, chunk: int) -> str:
        name = self.domain_of(chunk)
        return name if name in self.own else REST


def _weighed_as(rules: SearchRules, own: SearchRules) -> SearchRules:
    return replace(rules, lexical_weight=own.lexical_weight, vector_weight=own.vector_weight)

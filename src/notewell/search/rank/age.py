"""Rankers by the age of notes, as the settings of a vault or of each of its domains ask for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from notewell.frozen import frozen
from notewell.search.rank.decay import LEAST, Decay
from notewell.search.rank.recency import Recent
from notewell.search.rules import DecayRules, Ranker, Rules
from notewell.store import NoteFacts
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

# What all domains without settings of their own share.
REST = ""
Facts = Callable[[Collection[str]], Mapping[str, NoteFacts]]


def rank_by_age(rules: Rules, facts: Facts) -> list[Ranker]:
    """Return the rankers by the age of notes, each for the domains whose settings ask for it."""
    shared = _by_age(rules.decaying, rules, facts)
    if not rules.own or not rules.mode.decay:
        return shared
    own = [(name, one) for name, each in rules.own.items() for one in _by_age(each.decay, rules, facts)]
    return [OfDomain(one, name, rules) for name, one in (*((REST, one) for one in shared), *own)]


def decay_of_each(rules: Rules, facts: Facts) -> Ranker:
    """Return the ranker that lowers notes by their age, whatever is left of their score, as their domains have it."""
    rankers: list[Ranker] = []
    if rules.today:
        rankers = [OfDomain(Decay(rules.decay, rules.today, facts), REST, rules)] if rules.own else []
        rankers += [OfDomain(Decay(own.decay, rules.today, facts), name, rules) for name, own in rules.own.items()]
        rankers = rankers or [Decay(rules.decay, rules.today, facts)]

    def rank(plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        for ranker in rankers:
            candidates = ranker(plan, candidates)
        return list(candidates)

    return rank


def _by_age(decay: DecayRules, rules: Rules, facts: Facts) -> list[Ranker]:
    assert rules.today is not None, "without a day, nothing has an age"
    rankers: list[Ranker] = [Decay(decay, rules.today, facts, LEAST)] if decay.on else []
    if decay.recent_gain:
        rankers.append(Recent(decay.recent_days, decay.recent_gain, rules.today, facts))
    return rankers


@frozen
class OfDomain:
    """A ranker that sees the candidates of one domain alone."""

    ranker: Ranker
    name: str
    rules: Rules

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return all candidates, those of the domain as the ranker returns them."""
        own = [place for place, one in enumerate(candidates) if self._name(one) == self.name]
        ranked = dict(zip(own, self.ranker(plan, [candidates[place] for place in own]), strict=True)) if own else {}
        return [ranked.get(place, one) for place, one in enumerate(candidates)]

    def _name(self, one: Candidate) -> str:
        name = self.rules.domain_of(one.chunk.path)
        return name if name in self.rules.own else REST

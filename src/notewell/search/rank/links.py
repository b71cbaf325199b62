"""Rankers by links: which candidates the best ones link to and by what name, or how notes stand in the whole vault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta

from notewell.frozen import frozen
from notewell.search.rank.words import name_share
from notewell.search.rules import SearchRules
from notewell.store import NoteFacts, Snapshot
from notewell.store.links import LinkBetween, Standing
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

GRAPHS = ("links", "s10", "off")

# A link with one of the `BEST` notes adds at most half of this share of the score. 0.6, or ten notes, finds more of
# what takes two steps, and less in the sample vault.
LINK_GAIN = 0.4
BEST = 5
# What a note gains if a link calls it exactly what was asked for, as a share of the best score; with half the words in
# common, a quarter of that. 0.4 finds more by names that links repeat, and less by those that only one link gives.
NAME_GAIN = 0.3

# The weights of requirement S10; for a note without links, similarity has them all.
SIMILARITY, PAGERANK, CENTRALITY = 0.6, 0.25, 0.15
RECENT, RECENT_DAYS = 0.05, 30
# Fewer links than these say nothing about the notes they touch.
ENOUGH_LINKS = 10


def rank_by_links(plan: Plan, store: Snapshot, rules: SearchRules, today: date | None) -> list[ByLinks | ByStanding]:
    """Return the ranker by links that settings choose; none for a query without text, where it was never measured."""
    if plan.only_filters or plan.related:
        return []
    if rules.graph == "s10":
        return [ByStanding(store.standings, store.links_touching, store.notes, today)]
    # Reciprocal ranks lie so close together that any gain swamps them: the sample vault's MRR falls from .787 to .751.
    return [ByLinks(store.links_among, rules.link_weight)] if rules.graph == "links" and rules.fusion != "rrf" else []


@frozen
class ByLinks:
    """Raise notes linked with the best, and those that other candidates link to by what was asked for."""

    links_among: Callable[[Collection[str]], Sequence[LinkBetween]]
    weight: float = 1.0

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with what they gain; none is lowered."""
        best = _best_scores(candidates)
        links = self.links_among(best) if len(best) > 1 else ()
        if not links:
            return list(candidates)
        # First the links, then their names: a note that gains by its name does not raise its neighbours.
        linked = (
            list(candidates)
            if _are_reranked(candidates)
            else _linked(candidates, _activations(best, links), self.weight)
        )
        return _called(plan, linked, links, self.weight)


@frozen
class ByStanding:
    """Mix the scores with how notes stand in the whole vault, and whether they are new: requirement S10."""

    standings: Callable[[Collection[str]], Mapping[str, Standing]]
    touching: Callable[[Collection[str], int], int]
    facts: Callable[[Collection[str]], Mapping[str, NoteFacts]]
    today: date | None = None

    def __call__(self, plan: Plan, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with scores from 0 to 1.05; unchanged if too few links touch them."""
        paths = {candidate.chunk.path for candidate in candidates}
        if not candidates or self.touching(paths, ENOUGH_LINKS) < ENOUGH_LINKS:
            return list(candidates)
        standings, recent = self.standings(paths), self._recent(paths)
        scores = [candidate.score for candidate in candidates]
        low, spread = min(scores), max(scores) - min(scores)
        return [
            _mixed(
                candidate,
                (candidate.score - low) / spread if spread else 1.0,
                standings.get(candidate.chunk.path),
                recent,
            )
            for candidate in candidates
        ]

    def _recent(self, paths: Collection[str]) -> frozenset[str]:
        if self.today is None:
            return frozenset()
        since = (self.today - timedelta(days=RECENT_DAYS)).isoformat()
        return frozenset(path for path, facts in self.facts(paths).items() if facts.day >= since)


def _mixed(candidate: Candidate, similarity: float, standing: Standing | None, recent: Collection[str]) -> Candidate:
    if standing is None:
        score, why = similarity, f"similarity {similarity:.3f}, no links"
    else:
        score = SIMILARITY * similarity + PAGERANK * standing.pagerank + CENTRALITY * standing.centrality
        parts = f"{SIMILARITY} × {similarity:.3f} + pagerank {PAGERANK} × {standing.pagerank:.3f}"
        why = f"similarity {parts} + centrality {CENTRALITY} × {standing.centrality:.3f}"
    if candidate.chunk.path in recent:
        score, why = score + RECENT, f"{why} + recent {RECENT}"
    return candidate.rescored(score, by="graph", why=why)


def _are_reranked(candidates: Iterable[Candidate]) -> bool:
    """Tell whether the encoder ranked them: it sees what belongs together, and links only add mistakes to that.

    With them, the sample vault's questions fall from an MRR of .849 to .842.
    """
    return any(vote.retriever == "fine" for candidate in candidates for vote in candidate.votes)


def _best_scores(candidates: Iterable[Candidate]) -> dict[str, float]:
    """Return the best score of each note."""
    best: dict[str, float] = {}
    for candidate in candidates:
        best[candidate.chunk.path] = max(candidate.score, best.get(candidate.chunk.path, 0.0))
    return best


def _activations(scores: Mapping[str, float], links: Iterable[LinkBetween]) -> dict[str, float]:
    """Return how much each note gains from the best that it is linked with, either way; of many links each counts less.

    Only the best one counts: a sum would raise every note that is linked with everything.
    """
    top = max(scores.values())
    if top <= 0:
        return {}
    best = {path: scores[path] / top for path in sorted(scores, key=lambda path: (-scores[path], path))[:BEST]}
    active: dict[str, float] = {}
    for link in links:
        for one, other in ((link.source, link.target), (link.target, link.source)):
            active[one] = max(active.get(one, 0.0), best.get(other, 0.0) / link.out_degree**0.5)
    return active


def _linked(candidates: Iterable[Candidate], active: Mapping[str, float], weight: float) -> list[Candidate]:
    raised = []
    for candidate in candidates:
        much = active.get(candidate.chunk.path, 0.0)
        gain = weight * LINK_GAIN * much / (1 + much)
        why = "linked with one of the best notes"
        raised.append(candidate.rescored(candidate.score * (1 + gain), by="linked", why=why) if gain else candidate)
    return raised


def _called(
    plan: Plan, candidates: Sequence[Candidate], links: Iterable[LinkBetween], weight: float
) -> list[Candidate]:
    """Return the candidates, with those raised that a link calls what was asked for."""
    share, top = name_share(plan), weight * max(candidate.score for candidate in candidates)
    shares: dict[str, tuple[float, str]] = {}
    for target, text in {(link.target, link.text) for link in links if link.text}:
        shares[target] = max(shares.get(target, (0.0, "")), (share(text), text))
    return [_named(candidate, top, *shares.get(candidate.chunk.path, (0.0, ""))) for candidate in candidates]


def _named(candidate: Candidate, top: float, share: float, text: str) -> Candidate:
    if not share:
        return candidate
    why = f"{share:.2f} of '{text}', as a link calls it, and the query"
    return candidate.rescored(candidate.score + NAME_GAIN * top * share**2, by="called", why=why)

"""What links know of hits: which of them others link to and by what name, or how notes stand in the whole vault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from notewell.search.fuse import SearchRules
from notewell.search.rank.names import sharing
from notewell.store import NoteFacts, Snapshot
from notewell.store.links import LinkBetween, Standing
from notewell.types.query import Plan
from notewell.types.results import Hit

GRAPHS = ("links", "s10", "off")

# Twice what a hit gains at most for a link with one of the best notes, as a share of its own score; and how many notes
# are the best. 0.6, or ten of them, finds more of what takes two steps, and less in the sample vault.
LINK_GAIN = 0.4
BEST = 5
# What a note gains that a link calls exactly what was asked for, as a share of the best score; with half the words in
# common, a quarter of that. 0.4 finds more by names that links repeat, and less by those that only one link gives.
NAME_GAIN = 0.3

# The weights of promise S10; where a note has no standing, similarity has them all.
SIMILARITY, PAGERANK, CENTRALITY = 0.6, 0.25, 0.15
RECENT, RECENT_DAYS = 0.05, 30
# Fewer links than these say nothing of the notes they touch.
ENOUGH_LINKS = 10


def rank_by_links(plan: Plan, store: Snapshot, rules: SearchRules, today: date | None) -> list[ByLinks | ByStanding]:
    """Return what ranks by links: nothing, where no text is asked for, since it was measured with texts alone."""
    if plan.only_filters or plan.related:
        return []
    if rules.graph == "s10":
        return [ByStanding(store.standings, store.links_touching, store.notes, today)]
    # Reciprocal ranks lie so close together that any gain swamps them: the sample vault's MRR falls from .787 to .751.
    return [ByLinks(store.links_among)] if rules.graph == "links" and rules.fusion != "rrf" else []


@dataclass(frozen=True, slots=True)
class ByLinks:
    """Raise notes linked with the best, and those that links of other hits call what was asked for; none is lowered."""

    between: Callable[[Collection[str]], Sequence[LinkBetween]]

    def __call__(self, plan: Plan, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits with what they gain."""
        best = _best_scores(hits)
        joints = self.between(best) if len(best) > 1 else ()
        if not joints:
            return list(hits)
        # First the links, then their names: a note that is only called so does not draw its neighbours along.
        linked = list(hits) if _read_closely(hits) else _linked(hits, _activations(best, joints))
        return _called(plan, linked, joints)


@dataclass(frozen=True, slots=True)
class ByStanding:
    """Mix what hits say with how their notes stand in the vault, and whether they are new: promise S10."""

    standings: Callable[[Collection[str]], Mapping[str, Standing]]
    touching: Callable[[Collection[str], int], int]
    said: Callable[[Collection[str]], Mapping[str, NoteFacts]]
    today: date | None = None

    def __call__(self, plan: Plan, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits with scores from 0 to 1.05; as they are, where too few links touch them."""
        paths = {hit.chunk.path for hit in hits}
        if not hits or self.touching(paths, ENOUGH_LINKS) < ENOUGH_LINKS:
            return list(hits)
        standings, recent = self.standings(paths), self._recent(paths)
        scores = [hit.score for hit in hits]
        low, spread = min(scores), max(scores) - min(scores)
        return [
            _stood(hit, (hit.score - low) / spread if spread else 1.0, standings.get(hit.chunk.path), recent)
            for hit in hits
        ]

    def _recent(self, paths: Collection[str]) -> frozenset[str]:
        if self.today is None:
            return frozenset()
        since = (self.today - timedelta(days=RECENT_DAYS)).isoformat()
        return frozenset(path for path, said in self.said(paths).items() if said.day >= since)


def _stood(hit: Hit, similarity: float, standing: Standing | None, recent: Collection[str]) -> Hit:
    if standing is None:
        score, why = similarity, f"similarity {similarity:.3f}, no links"
    else:
        score = SIMILARITY * similarity + PAGERANK * standing.pagerank + CENTRALITY * standing.centrality
        parts = f"{SIMILARITY} × {similarity:.3f} + pagerank {PAGERANK} × {standing.pagerank:.3f}"
        why = f"similarity {parts} + centrality {CENTRALITY} × {standing.centrality:.3f}"
    if hit.chunk.path in recent:
        score, why = score + RECENT, f"{why} + recent {RECENT}"
    return hit.rescored(score, by="graph", why=why)


def _read_closely(hits: Iterable[Hit]) -> bool:
    """Tell whether the encoder had a say: it sees by itself what belongs together, and links add mistakes to that.

    With them, the sample vault's questions fall from an MRR of .849 to .842.
    """
    return any(vote.retriever == "fine" for hit in hits for vote in hit.votes)


def _best_scores(hits: Iterable[Hit]) -> dict[str, float]:
    """Return the best score of each note."""
    best: dict[str, float] = {}
    for hit in hits:
        best[hit.chunk.path] = max(hit.score, best.get(hit.chunk.path, 0.0))
    return best


def _activations(scores: Mapping[str, float], joints: Iterable[LinkBetween]) -> dict[str, float]:
    """Return what each note has from the best that it is linked with, either way; a link of many counts for less.

    The best one counts, and not all: the sum would raise whatever is linked with everything.
    """
    top = max(scores.values())
    if top <= 0:
        return {}
    best = {path: scores[path] / top for path in sorted(scores, key=lambda path: (-scores[path], path))[:BEST]}
    active: dict[str, float] = {}
    for joint in joints:
        for one, other in ((joint.source, joint.target), (joint.target, joint.source)):
            active[one] = max(active.get(one, 0.0), best.get(other, 0.0) / joint.out_degree**0.5)
    return active


def _linked(hits: Iterable[Hit], active: Mapping[str, float]) -> list[Hit]:
    raised = []
    for hit in hits:
        much = active.get(hit.chunk.path, 0.0)
        gain = LINK_GAIN * much / (1 + much)
        why = "linked with one of the best notes"
        raised.append(hit.rescored(hit.score * (1 + gain), by="linked", why=why) if gain else hit)
    return raised


def _called(plan: Plan, hits: Sequence[Hit], joints: Iterable[LinkBetween]) -> list[Hit]:
    """Return the hits, those raised that a link calls what was asked for."""
    share, top = sharing(plan), max(hit.score for hit in hits)
    shares: dict[str, tuple[float, str]] = {}
    for target, text in {(joint.target, joint.text) for joint in joints if joint.text}:
        shares[target] = max(shares.get(target, (0.0, "")), (share(text), text))
    return [_named(hit, top, *shares.get(hit.chunk.path, (0.0, ""))) for hit in hits]


def _named(hit: Hit, top: float, share: float, text: str) -> Hit:
    if not share:
        return hit
    why = f"{share:.2f} of '{text}', as a link calls it, and the query"
    return hit.rescored(hit.score + NAME_GAIN * top * share**2, by="called", why=why)

"""Several rankings into one score for each chunk, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from notewell.errors import SettingsError
from notewell.types import Ranking, Step

# The paper's constant (Cormack et al., 2009). Larger values flatten first against tenth.
K = 60

Fused = dict[int, Step]
Fusion = Callable[["Sequence[Ranking]", "Weights"], Fused]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each retriever counts."""

    lexical: float = 1.0
    vector: float = 1.0

    def of(self, retriever: str) -> float:
        """Return the weight of a retriever by name."""
        return {"lexical": self.lexical, "vector": self.vector}[retriever]


def fuse_ranks(rankings: Sequence[Ranking], weights: Weights) -> Fused:
    """Reciprocal rank fusion: the sum of weight / (60 + rank), ranks from 1.

    >>> fused = fuse_ranks([Ranking("lexical", ((7, 9.1),)), Ranking("vector", ((5, 0.8), (7, 0.7)))], Weights())
    >>> round(fused[7].score, 4), fused[7].why
    (0.0325, 'lexical 1/61 + vector 1/62')
    """
    totals: dict[int, float] = {}
    reasons: dict[int, list[str]] = {}
    for ranking in rankings:
        weight = weights.of(ranking.retriever)
        for rank, (chunk, _) in enumerate(ranking.candidates, start=1):
            totals[chunk] = totals.get(chunk, 0.0) + weight / (K + rank)
            reasons.setdefault(chunk, []).append(f"{ranking.retriever} {weight:g}/{K + rank}")
    return {chunk: Step("rrf", " + ".join(reasons[chunk]), total) for chunk, total in totals.items()}


def fuse_scores(rankings: Sequence[Ranking], weights: Weights) -> Fused:
    """The weighted mean of each ranking's scores, stretched to run from 0 (not found) to 1 (its best).

    >>> rankings = Ranking("lexical", ((7, 9.0), (5, 3.0))), Ranking("vector", ((5, 0.8), (7, 0.4)), floor=0.4)
    >>> fused = fuse_scores(rankings, Weights())
    >>> fused[7].score, fused[7].why
    (0.5, 'lexical 0.5 × 1.000 + vector 0.5 × 0.000')
    """
    rankings = [ranking for ranking in rankings if ranking.found]
    total = sum(weights.of(ranking.retriever) for ranking in rankings)
    if not total:
        # What should count found nothing; what was found counts instead.
        weights, total = Weights(), len(rankings)
    parts = [(ranking.retriever, weights.of(ranking.retriever) / total, _stretched(ranking)) for ranking in rankings]
    fused = {}
    for chunk in {chunk: None for ranking in rankings for chunk, _ in ranking.candidates}:
        score = sum(share * scores.get(chunk, 0.0) for _, share, scores in parts)
        why = " + ".join(f"{name} {share:.2g} × {scores.get(chunk, 0.0):.3f}" for name, share, scores in parts)
        fused[chunk] = Step("scores", why, score)
    return fused


def _stretched(ranking: Ranking) -> Mapping[int, float]:
    spread = ranking.found[0][1] - ranking.floor
    return {chunk: (score - ranking.floor) / spread if spread > 0 else 1.0 for chunk, score in ranking.found}


FUSIONS: dict[str, Fusion] = {"scores": fuse_scores, "rrf": fuse_ranks}


def fusion(name: str) -> Fusion:
    """Return the fusion of that name.

    >>> fusion("rrf") is fuse_ranks
    True
    """
    if name not in FUSIONS:
        raise SettingsError(f"There is no fusion '{name}'", f"Set search.fusion to one of {', '.join(FUSIONS)}")
    return FUSIONS[name]

"""Fusion: several rankings into one score for each chunk, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from notewell.search.rules import SearchRules
from notewell.types.candidates import OF_NOTE, CastVote, Ranking
from notewell.types.results import Step

# The paper's constant (Cormack et al., 2009). Larger values flatten first against tenth.
K = 60

# The retrievers that look at words and not at meaning.
BY_WORDS = ("lexical", "exact")

# How the scores of the best chunks came about: the fused score with the reason, and what changed it.
Fused = dict[int, tuple[Step, ...]]


class Stretched(NamedTuple):
    """A ranking whose scores run from 0, for its floor or not found, to 1, for its best or at its spread."""

    ranking: Ranking
    weight: float
    found: dict[int, float]
    spread: float

    @classmethod
    def of(cls, ranking: Ranking, weight: float = 1.0) -> Stretched:
        """Return a ranking stretched; a fusion asks it several times."""
        found = dict(ranking.found)
        return cls(ranking, weight, found, ranking.spread or max(found.values(), default=0.0) - ranking.floor)

    def column(self, wanted: Iterable[int]) -> list[float]:
        """Return the stretched scores of these chunks."""
        found, floor, spread = self.found, self.ranking.floor, self.spread
        if spread <= 0:
            return [float(chunk_id in found) for chunk_id in wanted]
        return [(found.get(chunk_id, floor) - floor) / spread for chunk_id in wanted]


def _columns(rankings: Sequence[Ranking], rules: SearchRules) -> list[Stretched]:
    return [Stretched.of(ranking, rules.weight(ranking)) for ranking in rankings]


def cast_votes(rankings: Sequence[Ranking], rules: SearchRules, ids: Sequence[int]) -> dict[int, tuple[CastVote, ...]]:
    """Return what each ranking says about each of these chunks, as the fusion counts it.

    >>> rankings = Ranking("lexical", ((7, 9.0), (5, 3.0))), Ranking("vector", ((5, 0.8),))
    >>> cast_votes(rankings, SearchRules(), [7])[7][0]
    CastVote(retriever='lexical', rank=1, score=9.0, scaled=1.0, weight=0.75, guessed=False)
    """
    rules = _counting(rankings, rules)
    by_rank = rules.fusion == "rrf"
    total = 1.0 if by_rank else sum(rules.weight(ranking) for ranking in rankings)
    votes: dict[int, tuple[CastVote, ...]] = dict.fromkeys(ids, ())
    for ranking in rankings:
        ranks = {chunk_id: rank for rank, (chunk_id, _) in enumerate(ranking.found, start=1) if chunk_id in votes}
        column = _reciprocal(ranking, ranks, ids) if by_rank else Stretched.of(ranking).column(ids)
        weight = rules.weight(ranking) / total
        for chunk_id, scaled in zip(ids, column, strict=True):
            rank, guessed = ranks.get(chunk_id), chunk_id in ranking.guessed
            score = ranking.found[rank - 1][1] if rank else None
            # A guess has a score, but no rank of its own.
            own = None if guessed else rank
            vote = CastVote(ranking.retriever, own, score, scaled, weight, guessed)
            votes[chunk_id] += (vote,) if by_rank else _by_chunk_and_note(vote, ranking.of_notes.get(chunk_id))
    return votes


def _by_chunk_and_note(vote: CastVote, of_note: float | None) -> tuple[CastVote, ...]:
    """Return a vote as two: what the chunk gives, and what its whole note does.

    >>> [(vote.retriever, vote.scaled) for vote in _by_chunk_and_note(CastVote("lexical", 1, 8.0, 0.8, 0.75), 2.0)]
    [('lexical', 0.6000000000000001), ('note', 0.2)]
    """
    retriever, rank, score, both, weight, guessed = vote
    if not of_note or not score:
        return (vote,)
    scaled = both * of_note / score
    # `_replace` takes three times as long.
    chunk = CastVote(retriever, rank, score - of_note, both - scaled, weight, guessed)
    return chunk, CastVote(OF_NOTE, None, of_note, scaled, weight, guessed)


def fuse(rankings: Sequence[Ranking], rules: SearchRules) -> Fused:
    """Return the scores of the best chunks, by the fusion that the rules name."""
    return FUSIONS[rules.fusion](rankings, _counting(rankings, rules))


def fused_scores(rankings: Sequence[Ranking], rules: SearchRules) -> dict[int, float]:
    """Return the score of every chunk that was found as `fuse` does, without how it came about."""
    rules = _counting(rankings, rules)
    if rules.fusion == "rrf":
        return {chunk_id: steps[-1].score for chunk_id, steps in fuse_ranks(rankings, rules).items()}
    columns = _columns(rankings, rules)
    means = _weighted_mean(columns, _wanted(rankings))
    return means | _raised_by_words(columns, means)


def best_of(scores: Mapping[int, float], number: int) -> list[int]:
    """Return the chunks with the highest scores, the best first."""
    return sorted(scores, key=lambda chunk_id: -scores[chunk_id])[:number]


def _counting(rankings: Sequence[Ranking], rules: SearchRules) -> SearchRules:
    """Return the rules; if every ranking present has the weight 0, each counts 1."""
    if any(rules.weight(ranking) for ranking in rankings):
        return rules
    return replace(rules, lexical_weight=1.0, vector_weight=1.0)


def fuse_ranks(rankings: Sequence[Ranking], rules: SearchRules) -> Fused:
    """Return scores by reciprocal rank fusion: the sum of weight / (60 + rank), with ranks from 1.

    >>> rankings = Ranking("lexical", ((7, 9.1),)), Ranking("vector", ((5, 0.8), (7, 0.7)))
    >>> fused = fuse_ranks(rankings, SearchRules(lexical_weight=1, vector_weight=1))
    >>> round(fused[7][0].score, 4), fused[7][0].why
    (0.0325, 'lexical 1/61 + vector 1/62')
    """
    totals: dict[int, float] = {}
    whys: dict[int, list[str]] = {}
    for ranking in rankings:
        weight = rules.weight(ranking)
        for rank, (chunk_id, _) in enumerate(ranking.candidates, start=1):
            totals[chunk_id] = totals.get(chunk_id, 0.0) + weight / (K + rank)
            about = "≈" * (chunk_id in ranking.guessed)
            whys.setdefault(chunk_id, []).append(f"{ranking.retriever} {about}{weight:.3g}/{K + rank}")
    return {chunk_id: (Step("rrf", " + ".join(whys[chunk_id]), total),) for chunk_id, total in totals.items()}


def fuse_scores(rankings: Sequence[Ranking], rules: SearchRules) -> Fused:
    """Return the weighted mean of each ranking's scores, stretched to run from 0 (not found) to 1 (its best).

    A retriever that found nothing still counts: a chunk that only one of them found has only that one's vote. A chunk
    whose note has every word of the query keeps at least its score by words alone.

    >>> rankings = Ranking("lexical", ((7, 9.0), (5, 3.0))), Ranking("vector", ((5, 0.8), (7, 0.4)), floor=0.4)
    >>> fused = fuse_scores(rankings, SearchRules(lexical_weight=1, vector_weight=1))
    >>> fused[7][0].score, fused[7][0].why
    (0.5, 'lexical 0.5 × 1.000 + vector 0.5 × 0.000')
    >>> fused = fuse_scores((rankings[0]._replace(complete=frozenset({7})), rankings[1]), SearchRules())
    >>> fused[7][-1].score, fused[7][-1].why
    (1.0, 'its note has every word of the query')
    """
    columns = _columns(rankings, rules)
    means = _weighted_mean(columns, _wanted(rankings))
    raised = _raised_by_words(columns, means)
    # Of some hundred chunks, those that become candidates: the others need no reason.
    reasons = _reasons(columns, best_of(means | raised, rules.reach))
    fused: Fused = {chunk_id: (Step("scores", why, means[chunk_id]),) for chunk_id, why in reasons.items()}
    for chunk_id in raised.keys() & fused.keys():
        fused[chunk_id] += (Step("words", "its note has every word of the query", raised[chunk_id]),)
    return fused


def _wanted(rankings: Sequence[Ranking]) -> dict[int, None]:
    return {chunk_id: None for ranking in rankings for chunk_id, _ in ranking.candidates}


def _raised_by_words(columns: Sequence[Stretched], means: Mapping[int, float]) -> dict[int, float]:
    """Return the scores by words alone of chunks whose notes have every word of the query, where those are higher.

    Meaning may raise such a note, and never lowers it: vectors do not know names.
    """
    by_words = [column for column in columns if column.ranking.retriever in BY_WORDS]
    complete = frozenset().union(*(column.ranking.complete for column in by_words)) & means.keys()
    if not complete or len(by_words) == len(columns):
        return {}
    scores = _weighted_mean(by_words, complete)
    return {chunk_id: score for chunk_id, score in scores.items() if score > means[chunk_id]}


def _weighted_mean(columns: Sequence[Stretched], wanted: Collection[int]) -> dict[int, float]:
    """Return the weighted mean of what the rankings say about each of these chunks."""
    means = [0.0] * len(wanted)
    for column, share in zip(columns, _shares(columns), strict=True):
        means = [mean + share * scaled for mean, scaled in zip(means, column.column(wanted), strict=True)]
    return dict(zip(wanted, means, strict=True))


def _shares(columns: Sequence[Stretched]) -> list[float]:
    total = sum(column.weight for column in columns)
    return [column.weight / total for column in columns]


def _reasons(columns: Sequence[Stretched], wanted: Sequence[int]) -> dict[int, str]:
    """Return what each ranking adds to the weighted mean of these chunks, in words."""
    rankings = [column.ranking for column in columns]
    names = [f"{ranking.retriever} {share:.2g} ×" for ranking, share in zip(rankings, _shares(columns), strict=True)]
    whys = {}
    for chunk_id, *row in zip(wanted, *(column.column(wanted) for column in columns), strict=True):
        guessed = ["≈" * (chunk_id in ranking.guessed) for ranking in rankings]
        whys[chunk_id] = " + ".join(map("{} {}{:.3f}".format, names, guessed, row))
    return whys


def _reciprocal(ranking: Ranking, ranks: Mapping[int, int], wanted: Iterable[int]) -> list[float]:
    """Return the reciprocal ranks of these chunks; 0 for those that a ranking does not propose."""
    counted = {chunk_id: 1 / (K + rank) for chunk_id, rank in ranks.items() if rank <= ranking.reach}
    return [counted.get(chunk_id, 0.0) for chunk_id in wanted]


FUSIONS: dict[str, Callable[[Sequence[Ranking], SearchRules], Fused]] = {"scores": fuse_scores, "rrf": fuse_ranks}

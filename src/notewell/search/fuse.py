"""Fusion: several rankings into one score for each chunk, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from notewell.search.rules import SearchRules
from notewell.types.candidates import OF_NOTE, CastVote, Ranking
from notewell.types.results import Step

# The paper's constant (Cormack et al., 2009). Larger values flatten first against tenth.
K = 60

# The retrievers that look at words and not at meaning.
BY_WORDS = ("lexical", "exact")

# How the score of each chunk came about: the fused score with the reason, and what changed it.
Fused = dict[int, tuple[Step, ...]]


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
        scaled = _reciprocal(ranking, ranks, ids) if by_rank else _stretched(ranking, ids)
        weight = rules.weight(ranking) / total
        for chunk_id in ids:
            rank, guessed = ranks.get(chunk_id), chunk_id in ranking.guessed
            score = ranking.found[rank - 1][1] if rank else None
            # A guess has a score, but no rank of its own.
            own = None if guessed else rank
            vote = CastVote(ranking.retriever, own, score, scaled[chunk_id], weight, guessed)
            votes[chunk_id] += (vote,) if by_rank else _by_chunk_and_note(vote, ranking.of_notes.get(chunk_id))
    return votes


def _by_chunk_and_note(vote: CastVote, of_note: float | None) -> tuple[CastVote, ...]:
    """Return a vote as two: what the chunk gives, and what its whole note does.

    >>> [(vote.retriever, vote.scaled) for vote in _by_chunk_and_note(CastVote("lexical", 1, 8.0, 0.8, 0.75), 2.0)]
    [('lexical', 0.6000000000000001), ('note', 0.2)]
    """
    if not of_note or not vote.score:
        return (vote,)
    scaled = vote.scaled * of_note / vote.score
    chunk = vote._replace(score=vote.score - of_note, scaled=vote.scaled - scaled)
    return chunk, vote._replace(retriever=OF_NOTE, rank=None, score=of_note, scaled=scaled)


def fuse(rankings: Sequence[Ranking], rules: SearchRules) -> Fused:
    """Return the score of every candidate, by the fusion that the rules name."""
    return FUSIONS[rules.fusion](rankings, _counting(rankings, rules))


def best_of(fused: Fused, number: int) -> list[int]:
    """Return the chunks with the highest scores, the best first."""
    return sorted(fused, key=lambda chunk_id: -fused[chunk_id][-1].score)[:number]


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
    reasons: dict[int, list[str]] = {}
    for ranking in rankings:
        weight = rules.weight(ranking)
        for rank, (chunk_id, _) in enumerate(ranking.candidates, start=1):
            totals[chunk_id] = totals.get(chunk_id, 0.0) + weight / (K + rank)
            about = "≈" * (chunk_id in ranking.guessed)
            reasons.setdefault(chunk_id, []).append(f"{ranking.retriever} {about}{weight:.3g}/{K + rank}")
    return {chunk_id: (Step("rrf", " + ".join(reasons[chunk_id]), total),) for chunk_id, total in totals.items()}


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
    wanted = {chunk_id: None for ranking in rankings for chunk_id, _ in ranking.candidates}
    fused = _weighted_mean(rankings, wanted, rules)
    # Meaning may raise a note that has every word of the query, and never lowers it: vectors do not know names.
    by_words = [ranking for ranking in rankings if ranking.retriever in BY_WORDS]
    complete = frozenset().union(*(ranking.complete for ranking in by_words)) & wanted.keys()
    if complete and len(by_words) < len(rankings):
        for chunk_id, (step,) in _weighted_mean(by_words, complete, rules).items():
            if step.score > fused[chunk_id][-1].score:
                fused[chunk_id] = *fused[chunk_id], Step("words", "its note has every word of the query", step.score)
    return fused


def _weighted_mean(rankings: Sequence[Ranking], wanted: Iterable[int], rules: SearchRules) -> Fused:
    """Return the weighted mean of what the rankings say about each of these chunks."""
    total = sum(rules.weight(ranking) for ranking in rankings)
    parts = [(ranking, rules.weight(ranking) / total, _stretched(ranking, wanted)) for ranking in rankings]
    names = [f"{ranking.retriever} {share:.2g} ×" for ranking, share, _ in parts]
    fused: Fused = {}
    for chunk_id in wanted:
        score = sum([share * scores[chunk_id] for _, share, scores in parts])
        why = " + ".join(
            [
                f"{name} {'≈' * (chunk_id in ranking.guessed)}{scores[chunk_id]:.3f}"
                for name, (ranking, _, scores) in zip(names, parts, strict=True)
            ]
        )
        fused[chunk_id] = (Step("scores", why, score),)
    return fused


def _reciprocal(ranking: Ranking, ranks: Mapping[int, int], wanted: Iterable[int]) -> Mapping[int, float]:
    """Return the reciprocal ranks of these chunks; 0 for those that a ranking does not propose."""
    counted = {chunk_id: 1 / (K + rank) for chunk_id, rank in ranks.items() if rank <= ranking.reach}
    return {chunk_id: counted.get(chunk_id, 0.0) for chunk_id in wanted}


def _stretched(ranking: Ranking, wanted: Iterable[int]) -> Mapping[int, float]:
    """Return a ranking's scores of these chunks: 0 for its floor or not found, 1 for its best, or at its spread."""
    found = dict(ranking.found)
    spread = ranking.spread or max(found.values(), default=0.0) - ranking.floor
    if spread <= 0:
        return {chunk_id: float(chunk_id in found) for chunk_id in wanted}
    return {chunk_id: (found.get(chunk_id, ranking.floor) - ranking.floor) / spread for chunk_id in wanted}


FUSIONS: dict[str, Callable[[Sequence[Ranking], SearchRules], Fused]] = {"scores": fuse_scores, "rrf": fuse_ranks}

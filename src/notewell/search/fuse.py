"""Fusion: several rankings into one score for each chunk, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
        column = _reciprocal(ranking, ranks, ids) if by_rank else _stretched(ranking, ids)
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
    if not of_note or not vote.score:
        return (vote,)
    scaled = vote.scaled * of_note / vote.score
    chunk = vote._replace(score=vote.score - of_note, scaled=vote.scaled - scaled)
    return chunk, vote._replace(retriever=OF_NOTE, rank=None, score=of_note, scaled=scaled)


def fuse(rankings: Sequence[Ranking], rules: SearchRules) -> Fused:
    """Return the score of every candidate, by the fusion that the rules name."""
    return FUSIONS[rules.fusion](rankings, _counting(rankings, rules))


def fused_scores(rankings: Sequence[Ranking], rules: SearchRules) -> dict[int, float]:
    """Return the score of every candidate as `fuse` does, without how it came about."""
    rules = _counting(rankings, rules)
    if rules.fusion == "rrf":
        return {chunk_id: steps[-1].score for chunk_id, steps in fuse_ranks(rankings, rules).items()}
    means = _weighted_mean(rankings, _wanted(rankings), rules)
    return means | _raised_by_words(rankings, means, rules)


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
    whose note has every word of the query keeps at least its score by words alone. Only chunks that become candidates
    have a reason.

    >>> rankings = Ranking("lexical", ((7, 9.0), (5, 3.0))), Ranking("vector", ((5, 0.8), (7, 0.4)), floor=0.4)
    >>> fused = fuse_scores(rankings, SearchRules(lexical_weight=1, vector_weight=1))
    >>> fused[7][0].score, fused[7][0].why
    (0.5, 'lexical 0.5 × 1.000 + vector 0.5 × 0.000')
    >>> fused = fuse_scores((rankings[0]._replace(complete=frozenset({7})), rankings[1]), SearchRules())
    >>> fused[7][-1].score, fused[7][-1].why
    (1.0, 'its note has every word of the query')
    """
    means = _weighted_mean(rankings, _wanted(rankings), rules)
    raised = _raised_by_words(rankings, means, rules)
    reasons = _reasons(rankings, best_of(means | raised, rules.reach), rules)
    fused: Fused = {chunk_id: (Step("scores", reasons.get(chunk_id, ""), mean),) for chunk_id, mean in means.items()}
    for chunk_id, score in raised.items():
        fused[chunk_id] += (Step("words", "its note has every word of the query", score),)
    return fused


def _wanted(rankings: Sequence[Ranking]) -> dict[int, None]:
    return {chunk_id: None for ranking in rankings for chunk_id, _ in ranking.candidates}


def _raised_by_words(rankings: Sequence[Ranking], means: Mapping[int, float], rules: SearchRules) -> dict[int, float]:
    """Return the scores by words alone of chunks whose notes have every word of the query, where those are higher.

    Meaning may raise such a note, and never lowers it: vectors do not know names.
    """
    by_words = [ranking for ranking in rankings if ranking.retriever in BY_WORDS]
    complete = frozenset().union(*(ranking.complete for ranking in by_words)) & means.keys()
    if not complete or len(by_words) == len(rankings):
        return {}
    scores = _weighted_mean(by_words, complete, rules)
    return {chunk_id: score for chunk_id, score in scores.items() if score > means[chunk_id]}


def _weighted_mean(rankings: Sequence[Ranking], wanted: Collection[int], rules: SearchRules) -> dict[int, float]:
    """Return the weighted mean of what the rankings say about each of these chunks."""
    means = [0.0] * len(wanted)
    for ranking, share in zip(rankings, _shares(rankings, rules), strict=True):
        means = [mean + share * scaled for mean, scaled in zip(means, _stretched(ranking, wanted), strict=True)]
    return dict(zip(wanted, means, strict=True))


def _shares(rankings: Sequence[Ranking], rules: SearchRules) -> list[float]:
    total = sum(rules.weight(ranking) for ranking in rankings)
    return [rules.weight(ranking) / total for ranking in rankings]


def _reasons(rankings: Sequence[Ranking], wanted: Sequence[int], rules: SearchRules) -> dict[int, str]:
    """Return what each ranking adds to the weighted mean of these chunks, in words."""
    shares = _shares(rankings, rules)
    names = [f"{ranking.retriever} {share:.2g} ×" for ranking, share in zip(rankings, shares, strict=True)]
    columns = [_stretched(ranking, wanted) for ranking in rankings]
    whys = {}
    for chunk_id, *row in zip(wanted, *columns, strict=True):
        guessed = ["≈" * (chunk_id in ranking.guessed) for ranking in rankings]
        whys[chunk_id] = " + ".join(map("{} {}{:.3f}".format, names, guessed, row))
    return whys


def _reciprocal(ranking: Ranking, ranks: Mapping[int, int], wanted: Iterable[int]) -> list[float]:
    """Return the reciprocal ranks of these chunks; 0 for those that a ranking does not propose."""
    counted = {chunk_id: 1 / (K + rank) for chunk_id, rank in ranks.items() if rank <= ranking.reach}
    return [counted.get(chunk_id, 0.0) for chunk_id in wanted]


def _stretched(ranking: Ranking, wanted: Iterable[int]) -> list[float]:
    """Return a ranking's scores of these chunks: 0 for its floor or not found, 1 for its best, or at its spread."""
    found, floor = dict(ranking.found), ranking.floor
    spread = ranking.spread or max(found.values(), default=0.0) - floor
    if spread <= 0:
        return [float(chunk_id in found) for chunk_id in wanted]
    return [(found.get(chunk_id, floor) - floor) / spread for chunk_id in wanted]


FUSIONS: dict[str, Callable[[Sequence[Ranking], SearchRules], Fused]] = {"scores": fuse_scores, "rrf": fuse_ranks}

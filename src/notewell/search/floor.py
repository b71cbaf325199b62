"""The floor: which hits of a page answer the query; the others are hidden, unless the query asks for `all`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from notewell.embed import Embedder
from notewell.search.spelling import breaks_words
from notewell.store import Matching
from notewell.store.bm25 import NOTE_SHARE, STAND_IN
from notewell.terms import count_terms
from notewell.types.candidates import OF_NOTE, Candidate
from notewell.types.query import Plan

# How much meaning counts beside words. Chosen, as all of these, on nine collections and the titles of three vaults
# (docs/concepts/ranking.md): .5 rejects as many unrelated queries, and loses more answers in German.
MEANING = 0.4
# The same without vectors, where only words count.
WORDS_ALONE = 0.75
# A chunk this close in meaning answers without a word in common, if the model knows the words of the query; and one
# this close is never hidden.
CLOSE, VERY_CLOSE = 0.27, 0.35
# A chunk with this share of the words' weight is never hidden.
SHARE = 0.6
# A guess at a word this long counts as the word: few letters are a typo away from something by chance.
LONG = 8
# Below this share of the best fused score, a hit is noise. .4 hides twice as many, and costs .005 nDCG@10.
NOISE = 0.3


def keep_answering(
    plan: Plan, candidates: Sequence[Candidate], store: Matching, floor: float, embedder: Embedder | None
) -> list[Candidate]:
    """Return the candidates that answer the plan: none if the best are below the floor, else those that are not noise.

    Queries with a filter, by a meaning or like a note say themselves what answers them.
    """
    by_words = any(vote.retriever == "lexical" for one in candidates[:1] for vote in one.votes)
    if not _is_judged(plan) or not by_words:
        return list(candidates)
    written = plan.written
    rarities, known = _rarities(plan, written, store)
    share, close = _share(plan, rarities), _closeness(plan, embedder)
    total = sum(rarities[term] for term in written)

    def is_sure(one: Candidate) -> bool:
        return _is_exact(one) or _is_dated(one) or close(one) >= VERY_CLOSE or share(one) >= SHARE

    # The cheapest sign first. Of words that are short and guessed, a chunk has to have most.
    answered = known and any(_relevance(one, total) >= floor for one in candidates)
    if not answered and not any(close(one) >= CLOSE or is_sure(one) for one in candidates):
        return []
    least = NOISE * max(one.trace[0].score for one in candidates)
    return [one for one in candidates if one.trace[0].score >= least or is_sure(one)]


def _is_judged(plan: Plan) -> bool:
    filtered = any(not one.negated for one in plan.scope.filters)
    return plan.by_words and bool(plan.text) and not (filtered or plan.passage or plan.like)


def _relevance(one: Candidate, total: float) -> float:
    """Return how relevant a candidate is by itself, from 0 to 1; `total` is the weight of all terms."""
    words, meaning = _scores(one)
    share = min(1.0, words / total) ** 0.5 if total else float(bool(words))
    return WORDS_ALONE * share if meaning is None else MEANING * meaning + (1 - MEANING) * share


def _rarities(plan: Plan, written: Sequence[str], store: Matching) -> tuple[dict[str, float], bool]:
    """Return the weight of each written term as BM25 counts it, and whether notes surely have one of them.

    A beginning, which many words have, has no weight of its own.
    """
    groups = {term: (term, *plan.stand_ins.get(term, ())) for term in written}
    counts = store.counts({term for group in groups.values() for term in group})
    begin = {term for term in groups if term.endswith("*")}
    rarities = {term: 0.0 if term in begin else min(map(counts.rarity, group)) for term, group in groups.items()}
    sure = (term in begin or term in counts.by_term or (len(term) >= LONG and len(groups[term]) > 1) for term in groups)
    return rarities, any(sure)


def _share(plan: Plan, rarities: dict[str, float]) -> Callable[[Candidate], float]:
    """Return a function that tells which share of the terms' weight a candidate has; guesses count for less."""
    total = sum(rarities.values()) or 1.0

    def share(one: Candidate) -> float:
        # Most of what is far down the page has no word of the query, which costs nothing to see.
        if not _scores(one)[0]:
            return 0.0
        held = count_terms("\n".join((one.chunk.heading, one.chunk.text, one.chunk.context)))
        guessed = {term for term, others in plan.stand_ins.items() if not held.keys().isdisjoint(others)}
        parts = (weight * (1.0 if term in held else STAND_IN * (term in guessed)) for term, weight in rarities.items())
        return sum(parts) / total

    return share


def _closeness(plan: Plan, embedder: Embedder | None) -> Callable[[Candidate], float]:
    """Return a function that tells how close a candidate is in meaning; 0 if the embedder breaks a word up.

    The vector of such a word is close to anything.
    """
    knows = cache(lambda: breaks_words(embedder) and all(embedder.pieces(word) == 1 for word in plan.words))
    return lambda one: (_scores(one)[1] or 0.0) if knows() else 0.0


def _scores(one: Candidate) -> tuple[float, float | None]:
    """Return the chunk's own scores by words, without its note's, and by meaning; None if no vectors were compared."""
    votes = {vote.retriever: max(0.0, vote.score or 0.0) for vote in one.votes}
    own = 1 - NOTE_SHARE if OF_NOTE in votes else 1.0
    return votes.get("lexical", 0.0) / own, votes.get("vector")


def _is_dated(one: Candidate) -> bool:
    """Tell whether the query is the day of a candidate's note."""
    return any(step.by == "dated" for step in one.trace)


def _is_exact(one: Candidate) -> bool:
    return one.ranks.get("exact") is not None

"""Fused chunks as candidates, the best of them chosen for a page, and those as the hits that a caller gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from notewell.names.addresses import Addresses
from notewell.search.fuse import Fused, best_of
from notewell.search.rank.sections import name_terms
from notewell.search.weighing import Weighing
from notewell.store import Matching, NoteFacts
from notewell.types.candidates import Candidate, CastVote, Ranking
from notewell.types.query import Plan
from notewell.types.results import Excerpt, Hit, Step, Vote

# The most chunks of one note on a page, as long as other notes have something to say; half of a shorter page. 3 and 4
# lose answers further down in the right note (recall@10 of the sample vault's questions .908 and .917 instead of .936).
CHUNKS_OF_A_NOTE = 5
# Two chunks that share this part of all their lines say the same.
ALIKE = 0.8

# The lines of a chunk, how many there are, and how many another needs to be like it.
Lines = tuple[frozenset[str], int, float]


def make_candidates(fused: Fused, rankings: Sequence[Ranking], store: Matching, weighing: Weighing) -> list[Candidate]:
    """Return the best of the fused chunks as candidates, the best first."""
    ids = best_of({chunk_id: steps[-1].score for chunk_id, steps in fused.items()}, weighing.rules.reach)
    votes = weighing.cast_votes(rankings, ids)
    candidates = [
        Candidate(chunk, fused[chunk_id][-1].score, trace=fused[chunk_id], votes=votes[chunk_id])
        for chunk_id, chunk in store.chunks(ids).items()
    ]
    return sorted(candidates, key=best_first)


def best_first(candidate: Candidate) -> tuple[float, str, int, int]:
    """Return the sort key of candidates: the highest score first, equal ones in the order of path and line."""
    return -candidate.score, candidate.chunk.path, candidate.chunk.line, candidate.chunk.start


def choose(plan: Plan, candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the candidates for a page: a few of each note, with duplicates folded into the best of them.

    A page that other notes do not fill takes more of one note; so does a note that the query names, or is limited to.
    """
    distinct = _without_duplicates(candidates, limit)
    most = min(CHUNKS_OF_A_NOTE, (limit + 1) // 2)
    seen: Counter[str] = Counter()
    chosen: list[Candidate] = []
    spare: list[Candidate] = []
    for candidate in distinct:
        seen[candidate.chunk.path] += not _is_asked_for(candidate, plan)
        (chosen if seen[candidate.chunk.path] <= most else spare).append(candidate)
    page = {id(candidate) for candidate in [*chosen, *spare][:limit]}
    return [candidate for candidate in distinct if id(candidate) in page]


def _is_asked_for(candidate: Candidate, plan: Plan) -> bool:
    named = name_terms(candidate.chunk.title)
    return candidate.chunk.path == plan.scope.under or (bool(named) and named <= set(plan.terms))


def _without_duplicates(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the candidates without those that repeat a better one, which names their places."""
    kept: list[Candidate] = []
    lines: list[Lines] = []
    for candidate in candidates:
        own = frozenset(candidate.chunk.text.split("\n"))
        size = len(own)
        if (like := _first_alike(own, size, lines)) is None:
            kept.append(candidate)
            # Nothing is folded into what is below the page: nobody would see it.
            if len(kept) <= limit:
                lines.append((own, size, ALIKE * size))
        else:
            place = f"{candidate.chunk.path}:{candidate.chunk.line}"
            kept[like] = kept[like]._replace(also=(*kept[like].also, place))
    return kept


def _first_alike(own: frozenset[str], size: int, others: Sequence[Lines]) -> int | None:
    """Return the place of the first of these that has nearly the same lines."""
    least = ALIKE * size
    for place, (other, other_size, other_least) in enumerate(others):
        # Of very different lengths, they cannot.
        if size >= other_least and other_size >= least:
            shared = len(own & other)
            if shared >= ALIKE * (size + other_size - shared):
                return place
    return None


def make_hits(
    page: Sequence[Candidate],
    excerpts: Sequence[Excerpt],
    facts: Mapping[str, NoteFacts],
    addresses: Addresses,
    *,
    explain: bool,
) -> tuple[Hit, ...]:
    """Return the hits of a page; none without excerpts, as for measuring, which wants the candidates alone.

    `explain` adds the votes for each hit, and the factor of each step.
    """
    return tuple(
        _hit(candidate, excerpt, facts[candidate.chunk.path], addresses, explain=explain)
        for candidate, excerpt in zip(page if excerpts else (), excerpts, strict=True)
    )


def _hit(candidate: Candidate, excerpt: Excerpt, note: NoteFacts, addresses: Addresses, *, explain: bool) -> Hit:
    chunk = candidate.chunk
    return Hit(
        path=chunk.path,
        line=chunk.line,
        end_line=chunk.end_line,
        place=chunk.place,
        heading=chunk.heading,
        title=chunk.title,
        tags=chunk.tags,
        date=chunk.day or note.day,
        dated_by="heading" if chunk.day else note.dated_by,
        score=round(candidate.score, 6),
        text=chunk.text,
        also=candidate.also,
        retrievers=candidate.ranks,
        trace=_trace(candidate.trace, explain=explain),
        excerpt=excerpt,
        uri=addresses.of_chunk(chunk),
        votes=tuple(map(_vote, candidate.votes)) if explain else None,
    )


def _vote(cast: CastVote) -> Vote:
    return Vote(*cast, part=round(cast.scaled * cast.weight, 6))


def _trace(steps: Sequence[Step], *, explain: bool) -> tuple[Step, ...]:
    factors: Sequence[float | None] = [None] * len(steps)
    if explain:
        ratios = (after.score / before.score if before.score else None for before, after in pairwise(steps))
        factors = [None, *ratios][: len(steps)]
    return tuple(
        Step(step.by, step.why, round(step.score, 6), factor) for step, factor in zip(steps, factors, strict=True)
    )

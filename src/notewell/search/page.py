"""Which of the candidates make a page: a few of a note, and one of those that say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from notewell.search.rank.names import name_terms
from notewell.types.candidates import Candidate
from notewell.types.query import Plan

# So many chunks of one note stand on a page, as long as other notes have something to say. 3 and 4 lose answers that
# stand further down in the right note (recall@10 of the sample vault's questions .908 and .917 instead of .936).
OF_A_NOTE = 5
# Two chunks that share so many of their lines, of all lines that either has, say the same.
ALIKE = 0.8


def choose(plan: Plan, candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the best candidates, a few of each note, those that say the same folded into the best of them.

    A page that other notes do not fill has more of the same; so has a note that is asked for by its name or as scope.
    """
    told = _folded(candidates, limit)
    seen: Counter[str] = Counter()
    chosen: list[Candidate] = []
    spare: list[Candidate] = []
    for candidate in told:
        seen[candidate.chunk.path] += not _is_asked_for(candidate, plan)
        (chosen if seen[candidate.chunk.path] <= OF_A_NOTE else spare).append(candidate)
    page = {id(candidate) for candidate in [*chosen, *spare][:limit]}
    return [candidate for candidate in told if id(candidate) in page]


def _is_asked_for(candidate: Candidate, plan: Plan) -> bool:
    named = name_terms(candidate.chunk.title)
    return candidate.chunk.path == plan.scope.under or (bool(named) and named <= set(plan.terms))


def _folded(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the candidates without those that say what a better one says, which names their places."""
    kept: list[Candidate] = []
    lines: list[frozenset[str]] = []
    for candidate in candidates:
        own = frozenset(candidate.chunk.text.split("\n"))
        # What stands below the page is not folded into: nobody sees it.
        like = next((place for place, other in enumerate(lines[:limit]) if _alike(own, other)), None)
        if like is None:
            kept.append(candidate)
            lines.append(own)
        else:
            place = f"{candidate.chunk.path}:{candidate.chunk.line}"
            kept[like] = replace(kept[like], also=(*kept[like].also, place))
    return kept


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    lines, others = len(one), len(other)
    if lines < ALIKE * others or others < ALIKE * lines:
        return False
    shared = len(one & other)
    return shared >= ALIKE * (lines + others - shared)

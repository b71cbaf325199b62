"""Sections that a query names: a note and a heading of it together, or a question that stands as a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from notewell.search.exact import is_written
from notewell.terms import TOKEN, fold, plain_heading, split_terms
from notewell.types.candidates import Candidate
from notewell.types.note import Chunk
from notewell.types.query import Plan

NAMED = "the query names its note and section"
ASKED = "the query is its heading"
# A heading inside a chunk: short sections are one chunk with their neighbours. A comment in a fence is not one.
INNER = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)|^\#{1,6}[ \t]+(?P<heading>[^\n]+?)[ \t#]*$",
    re.DOTALL | re.MULTILINE,
)
# A part of a section, which no heading names: Absatz 4, Abs. 2, Satz 1, subsection 3, alinéa 2, (4).
PART = re.compile(
    r"(?:\b(?:abs(?:atz)?|satz|nr|nummer|ziffer|lit|buchst(?:abe)?|al(?:in[eé]a)?|subsection|para(?:graph)?|item|no)\b"
    r"\.?\s*|\()\d+[a-z]?\b\)?",
    re.IGNORECASE,
)
# More sections than these with one heading tell nothing: "What's next?" ends every page of some vaults.
FEW = 3


def named_section(plan: Plan, candidates: Sequence[Candidate]) -> Mapping[int, str]:
    """Return the candidate, by its `id`, whose section the query names, and why; none if a note's name has every word.

    Of several, one whose name is written in the query comes first, then that with the fewest other words in its
    heading, then the best.
    """
    wanted, called = frozenset(plan.terms), plain_heading(plan.text)
    names = {path: chunk.names for path, chunk in {one.chunk.path: one.chunk for one in candidates}.items()}
    every = {*chain.from_iterable(names.values())}
    if any(name_terms(name) == wanted or _plain_name(name) == called for name in every):
        return {}
    asked = [one for one in candidates if _is_heading(called, one.chunk)] if _asks(plan) else []
    if 0 < len(asked) <= FEW:
        return {id(asked[0]): ASKED}
    folded = fold(plan.text)
    # A part counts if a heading has it: then it is no part, but the section.
    for sought in dict.fromkeys((wanted, wanted & frozenset(split_terms(PART.sub(" ", plan.text))))):
        told = {name for name in every if not sought.isdisjoint(name_terms(name))}
        sharing = {path: own for path, each in names.items() if (own := [name for name in each if name in told])}
        near = (one for one in candidates if one.chunk.path in sharing)
        fits = ((fit, one) for one in near if (fit := _fit(one.chunk, sharing[one.chunk.path], sought, folded)))
        if best := sorted(fits, key=lambda pair: pair[0])[:1]:
            return {id(best[0][1]): NAMED}
    return {}


def section_headings(chunk: Chunk) -> tuple[str, ...]:
    """Return the headings of the sections that a chunk has lines of.

    >>> section_headings(Chunk("a.md", "## Rye\\nText\\n## Spelt\\nText", 1, 4, headings=("Bread", "Rye")))
    ('Rye', 'Spelt')
    """
    inner = (found["heading"] for found in INNER.finditer(chunk.text) if found["heading"]) if "#" in chunk.text else ()
    return tuple(dict.fromkeys((*chunk.headings[-1:], *inner)))


def _asks(plan: Plan) -> bool:
    return plan.intent in ("question", "one word") and len(TOKEN.findall(plan.text)) > 1


def _is_heading(called: str, chunk: Chunk) -> bool:
    """Tell whether a plain query is a heading of the chunk."""
    return any(plain_heading(heading) == called for heading in section_headings(chunk))


def _fit(chunk: Chunk, names: Sequence[str], wanted: frozenset[str], folded: str) -> tuple[bool, int] | None:
    """Return how well a section fits, the lowest best; None unless its heading and a name make up the folded query."""
    fits = [
        (not is_written(name, folded), len(heading - wanted))
        for heading in map(name_terms, section_headings(chunk))
        for name in names
        if wanted <= name_terms(name) | heading and not wanted <= name_terms(name) and not wanted <= heading
    ]
    return min(fits, default=None)


_plain_name = lru_cache(maxsize=4_000)(plain_heading)


@lru_cache(maxsize=4_000)
def name_terms(name: str) -> frozenset[str]:
    """Return the terms of a name; the same names come up in query after query."""
    return frozenset(split_terms(name))

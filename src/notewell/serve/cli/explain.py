"""How a score came about, as a table for a person."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.serve.answers import factors
from notewell.serve.say import printable
from notewell.types.results import Hit, Vote

# Retriever, rank, score, that score as it is fused, weight, and what comes of both.
ROW = "{:<10}{:>5}{:>9}{:>9}{:>10}{:>9}"
# Who changed the score, by which factor, and what it was then; the reason comes behind.
STEP = "{:<10}{:>33}{:>9}"
INDENT = 4
# As wide as the pages of the docs, where nobody says how wide the window is.
WIDE = 100
# Reciprocal ranks need a digit more.
SMALL = 0.02


def told_hit(hit: Hit) -> Iterator[str]:
    """Yield the lines of a hit's table: what each retriever says, what fusion makes of it, who changed that and why."""
    if hit.votes:
        yield _line(ROW.format("retriever", "rank", "score", "scaled", "× weight", "= part"))
    for vote in hit.votes:
        yield _line(_row(vote))
    for number, (step, factor) in enumerate(zip(hit.trace, factors(hit), strict=True)):
        # What fusion did is in the rows above it.
        sums = number == 0 and bool(hit.votes)
        told = "sum" if sums else "" if factor in (None, 1.0) else f"× {factor:.3f}"
        row = STEP.format(step.by, told, f"{step.score:.4f}")
        yield from map(_line, _with_reason(row, "" if sums else printable(step.why)))


def _row(vote: Vote) -> str:
    # A score that is not the ranking's own is about what it would be.
    about = "≈" * vote.guessed
    score = "–" if vote.score is None else f"{about}{vote.score:.3f}"
    scaled = f"{about}{vote.scaled:.{4 if 0 < vote.scaled < SMALL else 3}f}"
    return ROW.format(vote.retriever, vote.rank or "–", score, scaled, f"{vote.weight:.3f}", f"{vote.part:.4f}")


def _with_reason(row: str, why: str) -> list[str]:
    """Return a row and the reason behind it, or below it where the window is too narrow."""
    # Only those who ask for explanations need it, and it takes 4 ms to load.
    from shutil import get_terminal_size  # noqa: PLC0415

    both = f"{row}  {why}"
    if INDENT + len(both) <= get_terminal_size((WIDE, 0)).columns or not why:
        return [both]
    return [row, f"{'':10}{why}"]


def _line(text: str) -> str:
    return f"{'':{INDENT}}{text}".rstrip()

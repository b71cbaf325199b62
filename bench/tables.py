"""Tables of plain text, and how figures are written in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bench.child import Measured


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield lines with the first column left-aligned and the others right-aligned."""
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    for line in (head, ["─" * width for width in widths], *rows):
        others = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join((line[0].ljust(widths[0]), *others)).rstrip()


def three(one: Measured | None) -> str:
    """Return p50, p95 and p99, or a dash."""
    return f"{one['p50']:.2f} / {one['p95']:.2f} / {one['p99']:.2f}" if one else "–"


def number(value: float | None) -> str:
    """Return a number with a sensible number of digits, or a dash."""
    return "–" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(ours: Any, its: Any) -> str:
    """Return the ratio of ours to the other, or a dash."""
    return f"{ours / its:.2f}" if ours and its else "–"


def interval(one: Measured) -> str:
    """Return both ends of a confidence interval."""
    return "–".join(f"{bound:.3f}" for bound in one["interval"])

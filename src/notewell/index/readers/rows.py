"""Rows of tables in runs of twenty, named by their numbers: for sheets of workbooks and for CSV alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

# Enough that a run has something to say, few enough that a hit is read at one glance.
ROWS = 20
# A header stands near the top, below a name and a date at most.
NEAR = 20
# Up to so many rows above a header are the table's name, and head its rows as well; more are a text of their own.
NAMES = 3

YEAR = re.compile(r"(?:19|20)\d\d")

Row = TypeVar("Row")


def runs(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in runs of twenty.

    >>> [len(run) for run in runs(range(45))]
    [20, 20, 5]
    """
    rest = iter(rows)
    while run := list(islice(rest, ROWS)):
        yield run


def rows_name(first: int, last: int) -> str:
    """Return how a run of rows is called.

    >>> rows_name(2, 21), rows_name(5, 5)
    ('rows 2-21', 'row 5')
    """
    return f"rows {first}-{last}" if last > first else f"row {first}"


def headed(
    top: Sequence[Row], cells: Callable[[Row], Sequence[str]]
) -> tuple[Sequence[Row], Sequence[Row], Sequence[Row]]:
    """Return of the top rows those that are a text of their own, those that head the others, and the others.

    >>> headed(["Sales", "Region,Sum", "North,12"], lambda row: row.split(","))
    ([], ['Sales', 'Region,Sum'], ['North,12'])
    """
    at = header_of([cells(row) for row in top])
    if at is None or at + 1 == len(top):
        return [], [], top
    own = at if at > NAMES else 0
    return top[:own], top[own : at + 1], top[at + 1 :]


def header_of(rows: Sequence[Sequence[str]]) -> int | None:
    """Return which of the rows is the header, the first of two or more cells, mostly words, if there is one.

    One right below it that has more cells, all of them words, names the columns better.

    >>> header_of([["Sales of 2023"], ["", ""], ["Region", "Sum"], ["North", "12"]])
    2
    >>> header_of([["In millions", "", "2023"], ["Region", "Sum", "Profit"], ["North", "12", "1"]])
    1
    >>> header_of([["Region", "2022", "2023"], ["North", "12", "1"]])
    0
    >>> header_of([["1", "2"], ["3", "4"]])
    """
    filled = [[cell for cell in row if cell] for row in rows[:NEAR]]
    at = next((number for number, row in enumerate(filled) if len(row) > 1), None)
    if at is None or _names(filled[at]) * 2 <= len(filled[at]):
        return None
    while at + 1 < len(filled) and len(filled[at]) < len(filled[at + 1]) == _names(filled[at + 1]):
        at += 1
    return at


def _names(cells: Sequence[str]) -> int:
    """Return how many cells may name a column: words, and years beside words."""
    words = sum(any(letter.isalpha() for letter in cell) for cell in cells)
    return words + sum(YEAR.fullmatch(cell) is not None for cell in cells) if words else 0

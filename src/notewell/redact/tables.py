"""The cells beneath the head of a column, in tables of Markdown, of CSV, and of ` | ` or tabs between words."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A table of more columns, or of longer lines, is data, and none that a person wrote.
_LONGEST = 4000
_MOST_COLUMNS = 40
_MOST_ROWS = 20_000
_RULE = re.compile(r"[\s|:+=-]+")
_NAME = re.compile(r"[\w()/#.-]{1,24}(?: [\w()/#-]{1,20}){0,3}")
_EDGE = re.compile(r"[\s\"'`*_]*")
_CELLS = {
    "|": re.compile(r"((?:[^|\\]|\\.?){0,4000})(?:\||$)"),
    **{sign: re.compile(rf"(\"(?:[^\"]|\"\"){{0,4000}}\"|[^{sign}]{{0,4000}})(?:{sign}|$)") for sign in ",;\t"},
}


def beneath(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the cells are that stand beneath the head of a column, which is at `start` to `end`."""
    line_start = text.rfind("\n", max(0, start - _LONGEST), start) + 1
    line_end = _line_end(text, end)
    head = text[line_start:line_end] if start - line_start <= _LONGEST else ""
    sign = _separator(head)
    columns = _cells(head, sign) if sign and len(head) <= _LONGEST else []
    if not columns or len(columns) > _MOST_COLUMNS:
        return
    ruled = line_end < len(text) and bool(_RULE.fullmatch(text[line_end + 1 : _line_end(text, line_end + 1)]))
    if _goes_on(text, line_start, sign, len(columns)) and not ruled:
        return
    column = next((number for number, (_, last) in enumerate(columns) if start - line_start <= last), 0)
    if not _is_head(head, columns, sign, column):
        return
    for row_start, row in _rows(text, line_end):
        cells = _cells(row, sign)
        # Bars at the end of a row may be left out; in the other tables every row has all cells.
        if sign not in row or column >= len(cells) or (sign != "|" and len(cells) != len(columns)):
            return
        first, last = _trimmed(row, *cells[column])
        if last - first >= 4:
            yield row_start + first, row_start + last


def _goes_on(text: str, line_start: int, sign: str, columns: int) -> bool:
    """Tell whether the line above is of the same table; a row in its middle heads nothing."""
    start = text.rfind("\n", max(0, line_start - 1 - _LONGEST), max(0, line_start - 1)) + 1
    above = text[start : line_start - 1] if line_start > 1 else ""
    return sign in above if sign == "|" else bool(above) and len(_cells(above, sign)) == columns


def _separator(head: str) -> str:
    return next((sign for sign in "|\t;," if sign in head), "")


def _is_head(head: str, columns: list[tuple[int, int]], sign: str, column: int) -> bool:
    """Tell whether a line heads a table: the column has a short name, and, without bars, all have."""
    names = [head[first:last] for first, last in (_trimmed(head, *cell) for cell in columns)]
    if sign == "|":
        return bool(_NAME.fullmatch(names[column]))
    return len(names) > 1 and all(map(_NAME.fullmatch, names))


def _rows(text: str, at: int) -> Iterator[tuple[int, str]]:
    for _ in range(_MOST_ROWS):
        start = at + 1
        if start >= len(text):
            return
        at = _line_end(text, start)
        row = text[start:at] if at - start <= _LONGEST else ""
        if not row.strip():
            return
        if not _RULE.fullmatch(row):
            yield start, row


def _line_end(text: str, at: int) -> int:
    """Return where a line ends, or, if it is too long for a row, some place where it does not."""
    limit = min(len(text), at + _LONGEST + 1)
    end = text.find("\n", at, limit)
    return limit if end < 0 else end


def _cells(line: str, sign: str) -> list[tuple[int, int]]:
    cells: list[tuple[int, int]] = []
    at = 0
    while match := _CELLS[sign].match(line, at):
        cells.append(match.span(1))
        if match.end() == match.end(1):
            break
        at = match.end()
    return cells


def _trimmed(line: str, start: int, end: int) -> tuple[int, int]:
    """Return the cell without spaces, quotes and emphasis around it."""
    inside = line[start:end]
    first = _EDGE.match(inside)
    bare = inside.rstrip(" \t\r\"'`*_")
    return start + (first.end() if first else 0), start + len(bare)

"""The cells below a column's header, in tables of Markdown, of CSV, and of words separated by ` | ` or tabs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from notewell.patterns import lazy_pattern

# A table may contain this many lines without a separator: a remark of several lines, a row of one cell.
_MOST_LINES_BETWEEN = 3
# How far back the line above a header is looked for.
_LONGEST_LINE = 5000
_RULE = lazy_pattern(r"(?=[\s|:+=]*-|[\s|:+-]*=)[\s|:+=-]+")
# A footnote may follow the name, or a line break in its middle.
_NAME = lazy_pattern(
    r"(?:[\w()/#.&?:-]{1,24}(?:(?:[ *_`]|<br ?/?>){1,3}[\w()/#&?:-]{1,20}){0,3}"
    r"(?:\[\^?\w{1,8}\]|[*†‡¹²³]|<[^<>]{1,20}>){0,3})?"
)
_EDGE = lazy_pattern(r"(?:[\s\"'`*_]|<\w{1,6}>)*")
# A header that continues after the label may be about the secret instead: `Password expires`, `passwordPolicy`.
_CONTINUES = lazy_pattern(r"[ _-][^\W\d]|[a-z][A-Z]")
# Lines of a program: a list or call that continues on the next line; and also an indented line, a call, or words in
# single quotes.
_UNFINISHED = lazy_pattern(r".*[,;(\[{][ \t\r]*\Z")
_CODE = lazy_pattern(rf"{_UNFINISHED.pattern}|[ \t]+\S|.*[(\[{{]['\"\w].*\Z|'\w+',")
_BLANK = lazy_pattern(r"[ \t\r]*+")
_BARRED = lazy_pattern(r"([^|\\\n]*+(?>(?:\\[^\n]?[^|\\\n]*+)*))(\|?)")
_SEPARATED = {sign: re.compile(rf"([^{sign}\n]*+)({sign}?)") for sign in ",;\t"}
_QUOTED = lazy_pattern(r" *(\"[^\"]*+(?>(?:\"\"[^\"]*+)*)(\"?))")


class Header(NamedTuple):
    """Where a column's header begins, and the rule for the cells below it."""

    start: int
    rule: str


class SecretCell(NamedTuple):
    """A cell below a header; `sure` if the column alone says what it contains."""

    start: int
    end: int
    rule: str
    sure: bool


@dataclass(slots=True)
class _Table:
    """A line that names columns, and which of them contain secrets."""

    sign: str
    start: int
    end: int
    count: int
    ruled: bool
    # Whether a bar stands before the first cell, and whether a space follows each comma, as in a sentence.
    barred: bool
    spaced: bool
    columns: dict[int, tuple[str, bool]] = field(default_factory=dict)


def cells_below(text: str, headers: Sequence[Header]) -> Iterator[SecretCell]:
    """Yield the cells below the headers, which come in order. Each table is read once, for all its columns."""
    tables: dict[str, list[_Table]] = {}
    for (start, end), on_line in groupby(_with_lines(text, headers), key=lambda pair: pair[0]):
        if table := _table(text, start, end, [header for _, header in on_line]):
            tables.setdefault(table.sign, []).append(table)
    for found in tables.values():
        for table, following in zip(found, [*found[1:], None], strict=True):
            stop = following.start if following else len(text)
            continues = yield from _secret_column_cells(table, text, stop)
            if continues and following and not following.ruled:
                # The rows below may belong to either table.
                table.columns.update(following.columns)
                following.columns = table.columns


def _with_lines(text: str, headers: Sequence[Header]) -> Iterator[tuple[tuple[int, int], Header]]:
    """Yield each header with the span of its line."""
    start, end = 0, -1
    for header in headers:
        if header.start > end:
            start = text.rfind("\n", max(0, end), header.start) + 1
            end = _line_end(text, header.start)
        yield (start, end), header


def _table(text: str, start: int, end: int, headers: Sequence[Header]) -> _Table | None:
    """Return the table whose header is this line; None if it is a row in the middle of one, or a sentence."""
    sign = next((sign for sign in "|\t;," if text.find(sign, start, end) >= 0), "")
    if not sign or (sign != "\t" and (_CODE if sign != "|" else _UNFINISHED).match(text, start, end)):
        return None
    cells: list[tuple[int, int]] = []
    for cell in _header_cells(text, start, end, sign):
        cells.append(_trimmed(text, *cell))
        # A sentence shows at its first clause.
        if sign != "|" and not _NAME.fullmatch(text, *cells[-1]):
            return None
    ruled = bool(_RULE.fullmatch(text, end + 1, _line_end(text, end + 1)))
    # A single column is a table if a line of dashes says so.
    if _filled(cells) < (1 if ruled and sign == "|" else 2) or (not ruled and _is_row(text, start, sign, cells)):
        return None
    spaced = sign == "," and text.find(", ", start, end) >= 0
    table = _Table(sign, start, end, len(cells), ruled, _is_barred(text, start), spaced)
    # A table inside another's cell: the line below its header lacks the outer table's cells.
    more = len(cells) - sum(1 for _ in _cells(text, end + 1, sign)) if ruled else 0
    for header in headers:
        column = bisect_right(cells, header.start, key=lambda cell: cell[1])
        if column < len(cells) and _NAME.fullmatch(text, *cells[column]):
            table.columns[column] = header.rule, not _CONTINUES.search(text, header.start, cells[column][1])
            if 0 < more < column:
                table.columns.setdefault(column - more, (header.rule, False))
    return table


def _header_cells(text: str, start: int, end: int, sign: str) -> Iterator[tuple[int, int]]:
    if sign != "|" and text.startswith('"', start):
        cells, record_end = _record(text, start, sign)
        if record_end == end:
            return iter(cells)
    return _cells(text, start, sign)


def _is_row(text: str, start: int, sign: str, cells: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a line is a row: the line above belongs to the same table, and is more than the table's name."""
    above = text.rfind("\n", max(0, start - _LONGEST_LINE), max(0, start - 1)) + 1
    if start == 0 or text.startswith("sep=", above) or text.find(sign, above, start) < 0:
        return False
    before = [_trimmed(text, *cell) for cell in _cells(text, above, sign)]
    if _filled(before) < _filled(cells) and all(_NAME.fullmatch(text, *cell) for cell in cells):
        return False
    return sign == "|" or len(before) == len(cells)


def _filled(cells: Sequence[tuple[int, int]]) -> int:
    return sum(last > first for first, last in cells)


def _is_barred(text: str, at: int) -> bool:
    blank = _BLANK.match(text, at)
    return text.startswith("|", blank.end() if blank else at)


def _secret_column_cells(table: _Table, text: str, stop: int) -> Generator[SecretCell, None, bool]:
    """Yield the cells of the secret columns; return whether the table still continues at `stop`."""
    at, missing, quoted_up_to, quotes = table.end + 1, 0, 0, table.sign != "|"
    while at < stop:
        end = _line_end(text, at)
        if quotes and at >= quoted_up_to and text.find('"', at, end) >= 0:
            cells, quoted_up_to = _record(text, at, table.sign)
            quotes = quoted_up_to >= 0
            yield from _secret_cells(table, text, cells, sure=True)
            if quoted_up_to == end:
                at, missing = end + 1, 0
                continue
        if text.find(table.sign, at, end) >= 0:
            # Lines inside a record of several are read as rows as well: its quotation mark may be a stray one.
            yield from _secret_cells(table, text, list(_cells(text, at, table.sign)), sure=at >= quoted_up_to)
            missing = 0
        elif at >= quoted_up_to:
            missing += 1
            if missing > _MOST_LINES_BETWEEN or (table.sign == "|" and _BLANK.fullmatch(text, at, end)):
                return False
        at = end + 1
    return True


def _secret_cells(table: _Table, text: str, cells: Sequence[tuple[int, int]], *, sure: bool) -> Iterator[SecretCell]:
    sure = sure and not table.spaced and (len(cells) <= table.count if table.sign == "|" else len(cells) == table.count)
    # The bar before the first cell may be left out, in the header or in a row.
    shift = 0
    if table.sign == "|" and len(cells) != table.count:
        shift = table.barred - _is_barred(text, cells[0][0])
    for number, (start, end) in enumerate(cells):
        if column := table.columns.get(number + shift) or table.columns.get(number):
            first, last = _trimmed(text, start, end)
            if last - first >= 4:
                yield SecretCell(first, last, column[0], sure and column[1])


def _record(text: str, at: int, sign: str) -> tuple[list[tuple[int, int]], int]:
    """Return the cells of a CSV record and where it ends, or -1 if a quotation mark is never closed."""
    cells: list[tuple[int, int]] = []
    while True:
        quoted = _QUOTED.match(text, at)
        if quoted and not quoted[2]:
            return [], -1
        if quoted and (text.startswith((sign, "\n", "\r\n"), quoted.end()) or quoted.end() == len(text)):
            cells.append(quoted.span(1))
            at = quoted.end()
        else:
            plain = _SEPARATED[sign].match(text, at)
            assert plain is not None
            cells.append(plain.span(1))
            at = plain.end(1)
        if not text.startswith(sign, at):
            return cells, _line_end(text, at)
        at += 1


def _cells(text: str, at: int, sign: str) -> Iterator[tuple[int, int]]:
    """Yield the cells of one line, quoted or not."""
    cell = _BARRED if sign == "|" else _SEPARATED[sign]
    while match := cell.match(text, at):
        yield match.span(1)
        if not match[2]:
            return
        at = match.end()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the cell without spaces, quotes and emphasis around it."""
    edge = _EDGE.match(text, start, end)
    bare = text[start:end].rstrip(" \t\r\"'`*_")
    return (edge.end() if edge else start), start + len(bare)

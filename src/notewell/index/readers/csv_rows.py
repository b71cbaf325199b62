"""CSV and TSV: the file's own text, its rows in runs of twenty under their header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

from notewell.frozen import frozen
from notewell.index.readers.content import MOST_TEXT, Content
from notewell.index.readers.text import decode
from notewell.types.note import Part

# Rows in one run: enough to be worth finding, few enough to read at a glance.
ROWS = 20
# The header is among this many rows from the top.
NEAR = 20
# Up to this many rows above a header are the table's name, and belong to the header; more are a text of their own.
NAMES = 3

YEAR = re.compile(r"(?:19|20)\d\d")

Row = TypeVar("Row")


def row_runs(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in runs of twenty.

    >>> [len(run) for run in row_runs(range(45))]
    [20, 20, 5]
    """
    rest = iter(rows)
    while run := list(islice(rest, ROWS)):
        yield run


def rows_name(first: int, last: int) -> str:
    """Return the name of a run of rows.

    >>> rows_name(2, 21), rows_name(5, 5)
    ('rows 2-21', 'row 5')
    """
    return f"rows {first}-{last}" if last > first else f"row {first}"


def split_header(
    top: Sequence[Row], cells: Callable[[Row], Sequence[str]]
) -> tuple[Sequence[Row], Sequence[Row], Sequence[Row]]:
    """Return the top rows in three groups: a text of its own, the header, and the rows below it.

    >>> split_header(["Sales", "Region,Sum", "North,12"], lambda row: row.split(","))
    ([], ['Sales', 'Region,Sum'], ['North,12'])
    """
    at = header_of([cells(row) for row in top])
    if at is None or at + 1 == len(top):
        return [], [], top
    own = at if at > NAMES else 0
    return top[:own], top[own : at + 1], top[at + 1 :]


def header_of(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the number of the header: the first row of two or more cells, if they are mostly words; or None.

    A row right below it with more cells, all of them words, is the better header.

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
    """Return how many cells may be the name of a column: words, and years beside words."""
    words = sum(any(letter.isalpha() for letter in cell) for cell in cells)
    return words + sum(YEAR.fullmatch(cell) is not None for cell in cells) if words else 0


# If two fit a file equally well, the first wins: commas also occur in numbers and sentences.
DELIMITERS = ("\t", ";", "|", ",")
# Records and characters that decide on the delimiter.
FEW = 50
SAMPLE = 64_000
# A first line that declares the delimiter to a spreadsheet.
DECLARED = re.compile(r"sep=([^\r\n])\r?\n", re.IGNORECASE)


# Every run of rows carries its header, which has at most this many lines.
MOST_UNDER = 10


@frozen
class Record:
    """One record: its number in the file, its first and its last line, its fields."""

    number: int
    line: int
    end_line: int
    fields: Sequence[str]


def extract(data: bytes, most: int = MOST_TEXT) -> Content:
    """Return the first `most` characters of the file, and its records in parts."""
    whole, warnings = decode(data)
    text = whole if len(whole) <= most else whole[: whole.rfind("\n", 0, most) + 1 or most]
    declared = DECLARED.match(text)
    found = records(text, declared[1] if declared else delimiter(text), skip_first=bool(declared))
    parts = tuple(_parts(found))
    if len(text) < len(whole):
        last = f", up to {parts[-1].name}" if parts else ""
        warnings = (*warnings, f"only the first {most:,} characters are read{last}")
    return Content(text, parts, warnings=warnings)


def _parts(found: Iterator[Record]) -> Iterator[Part]:
    top = list(islice(found, NEAR))
    own, head, rest = split_header(top, lambda record: [field.strip() for field in record.fields])
    yield from _part(own, ())
    under = tuple(line for record in head for line in range(record.line, record.end_line + 1))[:MOST_UNDER]
    for run in row_runs(chain(rest, found)):
        yield from _part(run, under)


def _part(run: Sequence[Record], under: tuple[int, ...]) -> Iterator[Part]:
    filled = [record for record in run if any(field.strip() for field in record.fields)]
    if filled:
        yield Part(filled[0].line, rows_name(filled[0].number, filled[-1].number), under)


def delimiter(text: str) -> str:
    """Return the delimiter: the sign that gives the first record, and most others, the same number of fields.

    >>> delimiter("Name;Preis\\nRoggen;1,50\\nHafer;2,20"), delimiter("a,b\\n1,2"), delimiter("one column")
    (';', ',', ',')
    """
    sample = text if len(text) <= SAMPLE else text[: text.rfind("\n", 0, SAMPLE) + 1 or SAMPLE]
    fits = {sign: _fit(sample, sign) for sign in DELIMITERS}
    best = max(DELIMITERS, key=lambda sign: fits[sign])
    return best if fits[best][1] else ","


def _fit(sample: str, sign: str) -> tuple[bool, float]:
    """Return whether a sign gives the first record the usual number of fields, and the share of records with it."""
    counts = [len(record.fields) for record in islice(records(sample, sign), FEW) if record.fields]
    usual, times = next(iter(Counter(counts).most_common(1)), (1, 0))
    return (counts[0] == usual, round(times / len(counts), 1)) if usual > 1 else (False, 0.0)


def records(text: str, sign: str, *, skip_first: bool = False) -> Iterator[Record]:
    """Yield the records of a text, without its first line if `skip_first`; an unclosed quotation mark is plain text."""
    # A field may be as long as the file.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    lines = text.split("\n")
    first = 1 if skip_first else 0
    reader = csv.reader((_without_returns(line) for line in islice(lines, first, None)), delimiter=sign)
    number, end = 0, first
    for fields in reader:
        start, end = end, first + reader.line_num
        if end == len(lines) and end - start > 1 and sum(line.count('"') for line in lines[start:end]) % 2:
            yield from _unquoted(lines, sign, start, number)
            return
        if fields or end < len(lines):
            number += 1
            yield Record(number, start + 1, end, fields)


def _unquoted(lines: list[str], sign: str, start: int, number: int) -> Iterator[Record]:
    for at in range(start, len(lines)):
        number += 1
        yield Record(number, at + 1, at + 1, lines[at].split(sign))


def _without_returns(line: str) -> str:
    # A lone \r, the line end of old Macs, is an error inside a field.
    return line.rstrip("\r").replace("\r", " ") + "\n"

"""Workbooks of any office program: each sheet below its name, its rows in runs of twenty under their header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import chain, islice
from typing import Any

import python_calamine as calamine

from notewell.errors import NoteError
from notewell.frozen import frozen
from notewell.index.readers.content import MOST_COLUMNS, MOST_TEXT, Content, no_text_error, password_error
from notewell.index.readers.csv_rows import NEAR, row_runs, rows_name, split_header
from notewell.index.readers.writing import in_cell, marked_line, one_line
from notewell.index.readers.zip_guard import OLE, check_office, check_unlocked
from notewell.types.note import Part

# Rows of wider tables are not padded to the width of the header: they would be mostly bars.
WIDEST = 40
# At this share of the most text there may be, further rows are left out with a warning, instead of refusing the file.
FULL = 0.9
# Whole numbers below this are exact; spreadsheets show fifteen digits.
EXACT = 10**15


@frozen
class SheetRow:
    """A row that is not empty, with its number in the sheet."""

    number: int
    cells: tuple[str, ...]

    def line(self, width: int = 0) -> str:
        """Return the row as a line, padded to `width` cells, so that each is below its column's name."""
        cells = (*self.cells, *[""] * (width - len(self.cells)))
        return " | ".join(map(in_cell, cells)).rstrip(" ")


@dataclass(slots=True)
class Text:
    """The text so far, of at most `most` characters, and its parts."""

    most: int
    lines: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    length: int = 0

    def add(self, line: str) -> int:
        """Append a line and return its number."""
        self.lines.append(line)
        self.length += len(line) + 1
        return len(self.lines)


def extract(data: bytes, *, most_text: int = MOST_TEXT, most_columns: int = MOST_COLUMNS) -> Content:
    """Return the text of all sheets, hidden ones included, or raise `NoteError`."""
    if data.startswith(OLE):
        check_unlocked(data)
    else:
        check_office(data)
    try:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(data))
    except calamine.PasswordError as error:
        raise password_error() from error
    except calamine.CalamineError as error:
        raise NoteError("damaged, or not a workbook", "Repair it, or save it again") from error
    text = Text(most_text)
    warnings: list[str] = []
    for number, name in enumerate(book.sheet_names, 1):
        warnings += _add_sheet(text, number, name, book.get_sheet_by_index(number - 1), most_columns)
    if not text.parts:
        raise no_text_error(f"in its {len(book.sheet_names):,} sheets")
    return Content("\n".join([*text.lines, ""]), tuple(text.parts), warnings=tuple(warnings))


def _add_sheet(text: Text, number: int, name: str, sheet: calamine.CalamineSheet, columns: int) -> Iterator[str]:
    """Append a sheet, and yield warnings about what is left out of it."""
    rows = _rows(sheet, columns)
    top = list(islice(rows, NEAR))
    if not top:
        return
    if text.lines:
        text.add("")
    under: tuple[int, ...] = (text.add(f"[Sheet: {one_line(name)}]"),)
    own, head, rest = split_header(top, lambda row: row.cells)
    _add_rows(text, f"sheet {number}", own, under)
    under = (*under, *(text.add(row.line()) for row in head))
    width = len(head[-1].cells) if head and len(head[-1].cells) <= WIDEST else 0
    for run in row_runs(chain(rest, rows)):
        if text.length > text.most * FULL:
            yield f"sheet {number} is read up to row {run[0].number - 1:,} only"
            break
        _add_rows(text, f"sheet {number}", run, under, width)
    if sheet.width > columns:
        yield f"only the first {columns:,} of the {sheet.width:,} columns of sheet {number} are read"


def _add_rows(text: Text, sheet: str, rows: Sequence[SheetRow], under: tuple[int, ...], width: int = 0) -> None:
    if rows:
        name = f"{sheet}, {rows_name(rows[0].number, rows[-1].number)}"
        text.parts.append(Part(len(text.lines) + 1, name, under))
        for row in rows:
            text.add(row.line(width))


def _rows(sheet: calamine.CalamineSheet, columns: int) -> Iterator[SheetRow]:
    """Yield the rows that are not empty, without the empty cells at their end."""
    for number, values in enumerate(sheet.iter_rows(), 1):
        cells = [_as_text(value) for value in values[:columns]]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield SheetRow(number, tuple(cells))


def _as_text(value: Any) -> str:
    """Return a cell's value about as a spreadsheet shows it, dates in ISO 8601."""
    match value:
        case str():
            return marked_line(value)
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < EXACT else f"{value:.15g}"
        case datetime():
            return value.isoformat(" ", "seconds")
        case time():
            return value.isoformat("seconds")
        case date():
            return value.isoformat()
        case timedelta():
            seconds = round(value.total_seconds())
            return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case _:
            return str(value)

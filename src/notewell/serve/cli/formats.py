"""Pages of hits in the formats of other programs: tables, and lists of files."""

from __future__ import annotations

import csv
import io
import os

from notewell.types.results import Excerpt, Results

FORMATS = ("text", "json", "md", "csv", "paths")
COLUMNS = ("path", "line", "end_line", "place", "heading", "score", "excerpt")
# A spreadsheet takes a cell that begins so for a formula, and runs it; some take the wide signs of East Asia, too.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")


def as_csv(results: Results) -> str:
    """Return a table of the hits, with a header; no cell of it can be a formula."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, results))
    return table.getvalue()


def _row(excerpt: Excerpt) -> tuple[str | int | float, ...]:
    heading, text = as_cell(excerpt.hit.chunk.heading), as_cell(excerpt.text)
    lines = excerpt.line, excerpt.end_line
    return as_cell(excerpt.path), *lines, as_cell(excerpt.place), heading, round(excerpt.score, 6), text


def as_cell(text: str) -> str:
    """Return a text that a spreadsheet shows as it is, with an apostrophe before what it would run.

    >>> as_cell("=cmd|' /C calc'!A0"), as_cell("a - b")
    ("'=cmd|' /C calc'!A0", 'a - b')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def as_paths(results: Results, *, null: bool) -> bytes:
    """Return each path once, as the file system has it, on a line of its own or before a NUL."""
    end = b"\0" if null else b"\n"
    return b"".join(os.fsencode(path) + end for path in dict.fromkeys(excerpt.path for excerpt in results))

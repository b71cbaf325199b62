"""Jupyter notebooks: one part for each cell, code with its output; small cells join their neighbours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from notewell.errors import NoteError
from notewell.frozen import frozen
from notewell.index.readers.content import Content, not_json_error
from notewell.index.readers.nested import as_dict
from notewell.index.readers.text import decode
from notewell.index.readers.writing import clean, fence, one_line, shortened
from notewell.types.note import Part

# Characters of a cell's output; the rest is a log or a table, and comes back by running the cell.
LONGEST_OUTPUT = 1000
# Shorter cells say too little on their own.
SHORTEST = 40
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
BELOW_ALL = 7
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
# A picture embedded in the text as base64.
PICTURE = re.compile(r"(data:[\w.+/-]{1,80};base64,)[A-Za-z0-9+/=]{100,}+")
# Colours in terminal output.
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@frozen
class Cell:
    """A cell as text, and its number from 1."""

    number: int
    text: str
    is_prose: bool = False

    @property
    def begins_section(self) -> bool:
        """Tell whether it begins with a heading."""
        return self.is_prose and HEADING.fullmatch(self.text.split("\n", 1)[0]) is not None

    @property
    def is_heading_only(self) -> bool:
        """Tell whether it is only a heading, which belongs to the next cell."""
        return self.begins_section and "\n" not in self.text


def extract(data: bytes) -> Content:
    """Return the notebook's cells."""
    text, warnings = decode(data)
    book = _book(text)
    lines: list[str] = []
    parts: list[Part] = []
    above: dict[int, int] = {}
    title = ""
    for group in _groups(list(_cells(book))):
        first = len(lines) + 1
        level = _level(group[0])
        parts.append(Part(first, _name(group), tuple(line for deep, line in sorted(above.items()) if deep < level)))
        for cell in group:
            for deep, name, at in _headings(cell, len(lines) + 1):
                is_title = deep == 1 and not title
                title = title or (name if is_title else "")
                above = {old: line for old, line in above.items() if old < deep} | ({} if is_title else {deep: at})
            lines += [*cell.text.split("\n"), ""]
    return Content("\n".join(lines[:-1]), tuple(parts), title, warnings)


def _book(text: str) -> dict[str, Any]:
    try:
        book = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise not_json_error(error.lineno) from error
    if not isinstance(book, dict) or not isinstance(book.get("cells", book.get("worksheets")), list):
        raise NoteError("not a notebook: it has no cells", "Repair it, or exclude it with index.exclude")
    return book


def _cells(book: dict[str, Any]) -> Iterator[Cell]:
    """Yield the cells that are not empty; older notebooks have them in worksheets."""
    written = book.get("cells")
    if not isinstance(written, list):
        sheets = (sheet.get("cells") for sheet in book["worksheets"] if isinstance(sheet, dict))
        written = [cell for cells in sheets if isinstance(cells, list) for cell in cells]
    for number, cell in enumerate(written, 1):
        if isinstance(cell, dict):
            is_code = cell.get("cell_type") == "code"
            text = _code(cell, book) if is_code else _prose(cell)
            if text.strip():
                yield Cell(number, text.strip("\n"), is_prose=not is_code)


def _prose(cell: dict[str, Any]) -> str:
    text = PICTURE.sub(r"\1…", _joined(cell.get("source")))
    if cell.get("cell_type") != "heading":
        return text
    level = cell.get("level")
    return f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {one_line(text)}"


def _code(cell: dict[str, Any], book: dict[str, Any]) -> str:
    code = fence(_joined(cell.get("source", cell.get("input"))).rstrip(), _language(cell, book)).text
    blocks = [code] if code else []
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict) and (text := _output(output)):
            blocks.append(text)
    return "\n\n".join(blocks)


def _language(cell: dict[str, Any], book: dict[str, Any]) -> str:
    metadata = as_dict(book.get("metadata"))
    named = (
        cell.get("language"),
        as_dict(metadata.get("language_info")).get("name"),
        as_dict(metadata.get("kernelspec")).get("language"),
    )
    return next((name for name in named if isinstance(name, str) and LANGUAGE.fullmatch(name)), "python")


def _output(output: dict[str, Any]) -> str:
    """Return a cell's output if it is text; pictures and HTML are left out."""
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        return f"Error: {one_line(_joined(output.get('ename')))}: {_short(_joined(output.get('evalue')))}"
    text = output.get("text") or as_dict(output.get("data")).get("text/plain")
    shown = _short(_joined(text).rstrip())
    return f"Output:\n{shown}" if shown.strip() else ""


def _short(text: str) -> str:
    return shortened(text, LONGEST_OUTPUT)


def _joined(source: object) -> str:
    """Return a text that the notebook may store as a list of lines."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return clean(COLOUR.sub("", source)) if isinstance(source, str) else ""


def _groups(cells: list[Cell]) -> list[list[Cell]]:
    """Return the cells that form one part: a heading with the next cell, a small cell with its neighbour."""
    groups: list[list[Cell]] = []
    for cell in cells:
        if groups and _is_open(groups[-1]) and (not cell.begins_section or groups[-1][-1].is_heading_only):
            groups[-1].append(cell)
        else:
            _join_small(groups)
            groups.append([cell])
    _join_small(groups)
    return groups


def _is_open(group: list[Cell]) -> bool:
    return group[-1].is_heading_only or sum(len(cell.text) for cell in group) < SHORTEST


def _join_small(groups: list[list[Cell]]) -> None:
    """Join a small group at the end of a section to the group above it."""
    if len(groups) > 1 and _is_open(groups[-1]) and not groups[-1][0].begins_section:
        last = groups.pop()
        groups[-1] += last


def _name(group: list[Cell]) -> str:
    first, last = group[0].number, group[-1].number
    return f"cell {first}" if first == last else f"cells {first}-{last}"


def _level(cell: Cell) -> int:
    """Return the level of the heading a cell begins with; a level below all if it has none."""
    found = HEADING.match(cell.text) if cell.begins_section else None
    return len(found[1]) if found else BELOW_ALL


def _headings(cell: Cell, line: int) -> Iterator[tuple[int, str, int]]:
    """Yield the level, name and line of each heading in a Markdown cell."""
    opened = ""
    for at, text in enumerate(cell.text.split("\n") if cell.is_prose else (), line):
        if found := FENCE.match(text):
            opened = "" if opened and found[1].startswith(opened) else opened or found[1]
        elif not opened and (found := HEADING.fullmatch(text)):
            yield len(found[1]), found[2].rstrip(" \t#"), at

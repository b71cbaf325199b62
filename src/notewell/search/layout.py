"""The layout of excerpts: each sentence, row or line of code on one line, rows with the names of their columns."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter

from notewell.search.marks import Mark
from notewell.search.sentences import CODE, LINE, ROW, WRAP, Unit
from notewell.terms import is_unspaced

# The most characters shown of a sentence; of a longer one, those around its terms.
LONGEST = 300
BEFORE = LONGEST // 3
# How far a cut may move to avoid splitting a word.
WORD = 20
BETWEEN_CELLS = " · "
BORDER = re.compile(r"[-=|: +]*-[-=|: +]*")
# Edges of cells in a row of a Markdown table; and fields of CSV, by their delimiter.
BAR = re.compile(r"(?<!\\)\|")
DELIMITERS = ("\t", ";", ",")
KEY = re.compile(r"[^\s:][^:\n]{0,80}: ")
# Full stops and commas of scripts without spaces: no space follows them.
ENDS_UNSPACED = "、。！？"

Span = tuple[int, int]
_start = attrgetter("start")


class Layout:
    """An excerpt being written; text copied from the chunk keeps its marks, without the spans that are hidden."""

    def __init__(self, text: str, marks: Sequence[Mark], hidden: Sequence[Span] = ()) -> None:
        self.text = ""
        self.source = text
        self.highlights: list[Span] = []
        self._marks = marks
        self._hidden = hidden

    def matches(self, start: int, end: int) -> bool:
        """Tell whether a run of the chunk's text has any term."""
        return bool(_marks_in(self._marks, start, end))

    def put(self, text: str) -> None:
        """Add text that is not in the chunk."""
        self.text += text

    def copy(self, start: int, end: int) -> None:
        """Add a run of the chunk's text, with its terms highlighted."""
        for first, last in self._hidden:
            if start <= first < end:
                self._copy(start, first)
                start = min(last, end)
        self._copy(start, end)

    def _copy(self, start: int, end: int) -> None:
        shift = len(self.text) - start
        for mark in _marks_in(self._marks, start, end):
            if mark.end <= end:
                self.highlights.append((mark.start + shift, mark.end + shift))
        self.text += self.source[start:end]

    def add(self, unit: Unit, header: str) -> None:
        """Add a unit on a new line."""
        if self.text:
            self.put("\n")
        if unit.kind == ROW and self._row(unit, header):
            return
        start, end = window(self.source, unit, self._marks)
        if unit.kind == LINE and start > unit.start and (key := KEY.match(self.source, unit.start, start)):
            self.copy(*key.span())
        if start > unit.start:
            self.put("…")
        if unit.kind == CODE:
            self.copy(start, end)
        else:
            self._flow(start, end)
        self.text = self.text.rstrip()
        if end < unit.end:
            self.put("…")

    def _flow(self, start: int, end: int) -> None:
        """Copy the lines of a sentence as one line."""
        if "\n" in self.source[start:end]:
            for wrap in WRAP.finditer(self.source, start, end):
                self.copy(start, wrap.start())
                last = self.source[wrap.start() - 1]
                self.put("" if last in ENDS_UNSPACED or is_unspaced(last) else " ")
                start = wrap.end()
        self.copy(start, end)

    def _row(self, unit: Unit, header: str) -> bool:
        """Copy the filled cells of a row, after the names of their columns, as far as there is room."""
        # A row may have more commas than columns; its header hardly ever does.
        delimiter = _delimiter(header) or _delimiter(self.source[unit.start : unit.end])
        names = [header[start:end] for start, end in cells(header, 0, len(header), delimiter)]
        own = cells(self.source, unit.start, unit.end, delimiter)
        if len(own) > len(names):
            names = [""] * len(own)
        filled = [(name, *span) for name, span in zip(names, own, strict=False) if span[0] < span[1]]
        room, between = LONGEST, ""
        for place, (name, start, end) in enumerate(filled):
            length = len(name) + min(end - start, LONGEST) + len(BETWEEN_CELLS)
            # The first cell names the row; of a long row, only matching cells are shown as well.
            if place and length > room and (room < -LONGEST or not _marks_in(self._marks, start, end)):
                between = " … "
                continue
            self.put(between + (f"{name}: " if name else ""))
            self.copy(*window(self.source, Unit(start, end), self._marks))
            room, between = room - length, BETWEEN_CELLS
        self.put(" …" if between == " … " else "")
        return bool(filled)


def cells(text: str, start: int, end: int, delimiter: str) -> list[Span]:
    """Return the spans of the cells of a row, without the spaces around them.

    >>> [("a | b c |"[start:end]) for start, end in cells("a | b c |", 0, 9, "")]
    ['a', 'b c']
    """
    row = text[start:end]
    if BAR.search(row):
        edges = [match.span() for match in BAR.finditer(row)]
        return list(_stripped(text, start, _without_ends(row, edges)))
    if not delimiter or delimiter not in row:
        return []
    # A tab that separates cells is not space around one.
    space = rf"[^\S{delimiter}]*"
    fields = re.compile(rf'{space}(?:"((?:[^"]|"")*)"|([^{delimiter}]*)){space}(?:{delimiter}|$)')
    found = [match.span(match.lastindex or 0) for match in fields.finditer(row) if match.start() < len(row)]
    return [(start + first, start + last) for first, last in found]


def _delimiter(row: str) -> str:
    """Return the most frequent delimiter of a row; nothing if it has none."""
    return max((sign for sign in DELIMITERS if sign in row), key=row.count, default="")


def _without_ends(row: str, edges: list[Span]) -> list[Span]:
    """Return the runs between bars, without those outside of the first and last bar if they enclose the row."""
    starts, ends = [0, *(edge[1] for edge in edges)], [*(edge[0] for edge in edges), len(row)]
    runs = list(zip(starts, ends, strict=True))
    first = not row[: runs[0][1]].strip() and row.lstrip().startswith("|") and row.rstrip().endswith("|")
    last = not row[runs[-1][0] :].strip()
    return runs[1 if first else 0 : -1 if last else None]


def _stripped(text: str, shift: int, runs: Sequence[Span]) -> Iterator[Span]:
    for first, last in runs:
        cell = text[shift + first : shift + last]
        start = shift + first + len(cell) - len(cell.lstrip())
        yield start, max(start, shift + last - (len(cell) - len(cell.rstrip())))


def header_above(text: str, row: Unit) -> str:
    """Return the header of a Markdown table's row: the line above its border, if it is in the chunk."""
    above = text[: row.start].split("\n")[:-1]
    while above and "|" in above[-1]:
        if BORDER.fullmatch(above.pop().strip()):
            return above[-1] if above and "|" in above[-1] else ""
    return ""


def window(text: str, unit: Unit, marks: Sequence[Mark]) -> Span:
    """Return the span of at most `LONGEST` characters of a unit with most of its terms, avoiding cut words."""
    start, end = unit.start, unit.end
    if end - start <= LONGEST:
        return start, end
    own = _marks_in(marks, start, end)
    first = _fullest(own) if own else start
    begin = max(start, min(first - BEFORE, end - LONGEST))
    finish = begin + LONGEST
    if begin > start:
        begin = max(begin, text.find(" ", begin, begin + WORD) + 1)
    if finish < end:
        finish = text.rfind(" ", finish - WORD, finish) if text.find(" ", finish - WORD, finish) >= 0 else finish
    return begin, finish


def _marks_in(marks: Sequence[Mark], start: int, end: int) -> Sequence[Mark]:
    """Return the marks that begin in a run of the text."""
    return marks[bisect_left(marks, start, key=_start) : bisect_left(marks, end, key=_start)]


def _fullest(marks: Sequence[Mark]) -> int:
    """Return the start of the first mark around which a window shows most terms."""
    shown: Counter[str] = Counter()
    fullest, most, after = marks[0].start, 0, 0
    for number, mark in enumerate(marks):
        while after < len(marks) and marks[after].end <= mark.start + LONGEST - BEFORE:
            for term in marks[after].terms:
                shown[term] += 1
            after += 1
        if len(shown) > most:
            fullest, most = mark.start, len(shown)
        if after > number:
            # The window moves on to the next mark.
            for term in mark.terms:
                shown[term] -= 1
                if not shown[term]:
                    del shown[term]
        else:
            # A word longer than the window never fitted into it.
            after = number + 1
    return fullest

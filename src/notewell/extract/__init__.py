"""A short, stable extract of a tool's long output: the same for every run, with every line that looks like an error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from notewell.extract.command_table import LOG, MATCHES, NAMES, Kind, kind_of
from notewell.extract.data import is_data
from notewell.extract.error_lines import error_places, is_error, signs_in
from notewell.extract.noise import plain_text, stable_error, stable_line
from notewell.extract.outliers import outliers
from notewell.frozen import frozen

__all__ = ["LOG", "MATCHES", "NAMES", "Extract", "Kind", "Untouched", "extract", "kind_of"]

# The first and last lines always stay: they show the command and its outcome.
HEAD, TAIL = 15, 15
# A list keeps this many lines of each file or folder: the largest number that fits into ROOM characters, else the last.
PER_GROUP = (50, 20, 10, 5, 3)
ROOM = 10_000
# Lines with words of the prompt stay, each with the line before and after it, up to this many.
WANTED = 40
# Lines unlike the others stay, up to this many.
OUTLIERS = 100
# A longer line is data; its beginning says which.
LONGEST = 400
# A longer extract, as a share of the output, saves too little for the lines that it hides.
WORTH = 0.7
# `path:12:`, or `path:` without line numbers, as grep prints a match.
MATCH = re.compile(r"(?P<path>[^\s:][^:\n]*):(?:(?P<line>\d+):)?")


class Untouched(StrEnum):
    """Why an output stays as it is."""

    DATA = "the output is data"
    NO_LIST = "the output is not a list of files or matches"
    DENSE = "hardly anything could be left out"


@frozen
class Extract:
    """The lines to show, and the size of the output that they stand for."""

    lines: tuple[str, ...]
    # How many lines of the output are shown, and how many there were.
    kept: int
    total: int
    # The characters of the output, and how many lines unlike the others are not shown.
    chars: int
    outliers_left_out: int
    # The full output as a terminal shows it. Two runs that differ in times alone have equal extracts.
    full: str = field(compare=False)

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)


class Row(NamedTuple):
    """A line, how often it is repeated, and in a list the file or folder it belongs to."""

    line: str
    times: int = 1
    group: str | None = None


def extract(text: str, kind: Kind, is_wanted: Callable[[str], bool] = lambda line: False) -> Extract | Untouched:
    """Return an extract of a tool's output, or why it should stay as it is.

    Every line that may report an error is kept; so are the first and last lines, lines unlike the others and, up to a
    limit, those that `is_wanted` picks.
    """
    if not kind.lists and is_data(text):
        return Untouched.DATA
    full = plain_text(text)
    lines = _stable_lines(full, kind)
    rows = list_rows(lines, kind.lists) if kind.lists else [Row(line, len(list(run))) for line, run in groupby(lines)]
    if not rows:
        return Untouched.NO_LIST
    kept, left_out = _choose(rows, is_wanted)
    shown = tuple(_show(rows, kept))
    if sum(map(len, shown)) + len(shown) > WORTH * (len(text) or 1):
        return Untouched.DENSE
    # Counted without times, so that two runs have the same number; line ends count, too.
    chars = sum(map(len, lines)) + len(lines) - 1 + len(full) - len(full.rstrip("\n"))
    return Extract(shown, sum(rows[place].times for place in kept), len(lines), chars, left_out, full)


def _stable_lines(full: str, kind: Kind) -> list[str]:
    lines = full.rstrip("\n").split("\n")
    if kind.lists:
        # A match is shown as its file has it.
        return lines
    signs = signs_in(full)
    return [stable_error(line) if is_error(line, signs) else stable_line(line, times=kind.times) for line in lines]


def list_rows(lines: Sequence[str], lists: str) -> list[Row]:
    """Return the lines of a list ordered by file, each with its folder or file; nothing if a line names no file.

    >>> [row.line for row in list_rows(["b.py:3:x", "a.py:9:y", "b.py:1:z"], "matches")]
    ['a.py:9:y', 'b.py:1:z', 'b.py:3:x']
    >>> list_rows(["then", "now"], "matches")
    []
    """
    filled = [line for line in lines if line]
    places = [place for line in filled if (place := _place(line, lists))]
    if len(places) < len(filled):
        return []
    # Lines of one file without a number keep their order, which is the file's.
    order = sorted(zip(places, filled, strict=True), key=lambda pair: pair[0])
    return [Row(line, group=place[0]) for place, line in order]


def _place(line: str, lists: str) -> tuple[str, str, int] | None:
    """Return the folder, the file and the line number that a line of a list names; None if it names no file."""
    if lists == "names":
        return *line.rpartition("/")[::2], 0
    if (match := MATCH.match(line)) is None:
        return None
    return match["path"], "", int(match["line"] or 0)


def _choose(rows: Sequence[Row], is_wanted: Callable[[str], bool]) -> tuple[set[int], int]:
    """Return the places of the rows that stay, and how many outliers do not."""
    lines, end = [row.line for row in rows], len(rows)
    is_list = rows[0].group is not None
    kept = _first_of_each_group(rows) if is_list else {*range(min(HEAD, end)), *range(max(0, end - TAIL), end)}
    kept |= error_places(lines)
    wanted = [place for place, line in enumerate(lines) if place not in kept and is_wanted(line)]
    for place in wanted[:WANTED]:
        kept.update(range(max(0, place - 1), min(end, place + 2)))
    # A list has no outliers: each line is a file, or a place in one.
    unlike = [] if is_list else [place for place in outliers(lines) if place not in kept]
    return kept | set(unlike[:OUTLIERS]), len(unlike[OUTLIERS:])


def _first_of_each_group(rows: Sequence[Row]) -> set[int]:
    """Return the places of the first few rows of each group, so that no file or folder is missing from a list."""
    seen: Counter[str | None] = Counter()
    ranks: list[int] = []
    for row in rows:
        seen[row.group] += 1
        ranks.append(seen[row.group])
    kept: set[int] = set()
    for most in PER_GROUP:
        kept = {place for place, rank in enumerate(ranks) if rank <= most}
        if sum(min(len(rows[place].line), LONGEST) + 1 for place in kept) <= ROOM:
            break
    return kept


def _show(rows: Sequence[Row], kept: Collection[int]) -> Iterator[str]:
    """Yield the rows that stay, and one line for each gap between them."""
    for is_kept, run in groupby(range(len(rows)), key=kept.__contains__):
        places = list(run)
        if is_kept:
            yield from (_shown(rows[place]) for place in places)
        else:
            # The first rows of each group stay, so that a gap lies in one group.
            yield _gap([rows[place] for place in places])


def _shown(row: Row) -> str:
    line, times, _ = row
    # A line that reports an error stays whole, however long it is.
    cut = line if len(line) <= LONGEST or is_error(line) else f"{line[:LONGEST]}… ({len(line):,} characters)"
    return cut if times == 1 or not line.strip() else f"{cut}  (×{times:,})"


def _gap(rows: Sequence[Row]) -> str:
    """Say how many lines are left out: of which file or folder, or how most of them begin."""
    number = sum(row.times for row in rows)
    if rows[0].group:
        return f"[… {number:,} more of {rows[0].group}]"
    begins = Counter(row.line.split(maxsplit=1)[0] for row in rows if row.line.strip())
    usual = [word for word, times in begins.most_common(1) if times > len(rows) / 2 and len(rows) > 2]
    alike = f", most of them beginning with '{usual[0][:40]}'" if usual else ""
    return f"[… {number:,} {'line' if number == 1 else 'lines'} left out{alike}]"

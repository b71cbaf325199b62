"""A stable extract of a tool's output: the same for the same run, far shorter, and without a loss of errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from notewell.serve.hooks.faults import is_error, kept_for_faults
from notewell.serve.hooks.noise import steady, steady_error, without_escapes

# How many lines of the beginning and of the end always stay: what was run, and how it ended.
HEAD, TAIL = 15, 15
# Of a list of places, so many of each file, and of a list of files, so many of each folder.
OF_EACH = 3
# Lines that are to the point stay with the line before and after them, up to so many.
TO_THE_POINT = 40
# One that is longer is data; its beginning says which.
LONGEST = 400
# An extract that is more than this share of what there was is not worth what it hides.
WORTH = 0.7
# `path:12:` or `path:12-`, as grep and compilers write it.
PLACED = re.compile(r"(?P<path>[^\s:][^:\n]*):(?P<line>\d+)[:-]")
# A path alone, as find and ls write it.
PATH = re.compile(r"[^\s:'\"<>|]++")


@dataclass(frozen=True, slots=True)
class Extract:
    """What is shown of an output: its lines, and how many there were."""

    lines: tuple[str, ...]
    kept: int
    total: int
    chars: int

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be seen of an output: lines with words of the prompt or the command, durations, lists in order."""

    words: Callable[[str], bool] = lambda line: False
    times: bool = False
    # Lists of files are in no order, or in that of the last change, which differs between machines.
    in_any_order: bool = False


def make_extract(text: str, wanted: Wanted) -> Extract | None:
    """Return an extract; nothing, if hardly anything would be left out."""
    raw = without_escapes(text).rstrip("\n").split("\n")
    lines = [steady_error(line) if is_error(line) else steady(line, times=wanted.times) for line in raw]
    total, chars = len(lines), sum(map(len, lines)) + len(lines)
    if wanted.in_any_order:
        lines = in_order(lines)
    folded = _folded(lines)
    kept = _chosen([line for line, _ in folded], wanted)
    shown = tuple(_shown(folded, kept))
    number = sum(times for place, (_, times) in enumerate(folded) if place in kept)
    if sum(map(len, shown)) + len(shown) > WORTH * (len(text) or 1):
        return None
    return Extract(shown, number, total, chars)


def in_order(lines: Sequence[str]) -> list[str]:
    """Return lines that each name a file in the order of their files; any others as they are.

    >>> in_order(["b.py:3:x", "a.py:9:y", "b.py:1:z"])
    ['a.py:9:y', 'b.py:1:z', 'b.py:3:x']
    >>> in_order(["b then", "a now"])
    ['b then', 'a now']
    """
    told = [line for line in lines if line]
    places = [_place(line) for line in told]
    return [line for _, line in sorted(zip(places, told, strict=True))] if all(places) else list(lines)


def _place(line: str) -> tuple[str, str, int] | None:
    """Return the folder, the file and the number of the line that a line names; nothing where it is no such line."""
    if PATH.fullmatch(line):
        return *line.rpartition("/")[::2], 0
    if (match := PLACED.match(line)) is None:
        return None
    return match["path"], "", int(match["line"])


def _folded(lines: Iterable[str]) -> list[tuple[str, int]]:
    """Return the lines, those that follow their like once, with how often they did."""
    return [(line, len(list(run))) for line, run in groupby(lines)]


def _chosen(lines: Sequence[str], wanted: Wanted) -> set[int]:
    """Return the places of the lines that stay."""
    last = len(lines)
    places = [_place(line) for line in lines] if wanted.in_any_order else [None]
    if all(places):
        kept = set(_first_of_each([place[0] for place in places if place]))
    else:
        kept = {*range(min(HEAD, last)), *range(max(0, last - TAIL), last)}
    kept |= kept_for_faults(lines)
    to_the_point = [place for place, line in enumerate(lines) if place not in kept and wanted.words(line)]
    for place in to_the_point[:TO_THE_POINT]:
        kept.update(range(max(0, place - 1), min(last, place + 2)))
    return kept


def _first_of_each(groups: Sequence[str]) -> Iterator[int]:
    """Yield the places of the first few of each group: no file or folder is missing from a list."""
    seen: Counter[str] = Counter()
    for place, group in enumerate(groups):
        seen[group] += 1
        if seen[group] <= OF_EACH:
            yield place


def _shown(folded: Sequence[tuple[str, int]], kept: Collection[int]) -> Iterable[str]:
    place = 0
    while place < len(folded):
        if place in kept:
            line, times = folded[place]
            # A line that tells of an error is whole, however long it is.
            cut = line if len(line) <= LONGEST or is_error(line) else f"{line[:LONGEST]}… ({len(line):,} characters)"
            yield cut if times == 1 or not line.strip() else f"{cut}  (×{times:,})"
            place += 1
            continue
        end = place
        while end < len(folded) and end not in kept:
            end += 1
        yield _left_out(folded[place:end])
        place = end


def _left_out(folded: Sequence[tuple[str, int]]) -> str:
    """Say how many lines are left out, and how most of them begin, if they begin alike."""
    number = sum(times for _, times in folded)
    begins = Counter(line.split(maxsplit=1)[0] for line, _ in folded if line.strip())
    like = [word for word, times in begins.most_common(1) if times > len(folded) / 2 and len(folded) > 2]
    alike = f", most of them beginning with '{like[0][:40]}'" if like else ""
    return f"[… {number:,} {'line' if number == 1 else 'lines'} left out{alike}]"

"""A stable extract of a tool's output: the same for the same run, far shorter, and without a loss of errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from notewell.extract.error_lines import Signs, is_error, kept_for_faults, signs_in
from notewell.extract.noise import steady, steady_error, without_escapes
from notewell.extract.outliers import unusual_lines

# How many lines of the beginning and of the end always stay: what was run, and how it ended.
HEAD, TAIL = 15, 15
# Of a list of matches, so many of each file, and of a list of files, so many of each folder: the most with which the
# list has no more than so many characters, or the least.
OF_EACH = (50, 20, 10, 5, 3)
ROOM = 10_000
# Lines that are to the point stay with the line before and after them, up to so many.
TO_THE_POINT = 40
# Lines that are unlike the others stay, up to so many; how many more there are is told.
UNUSUAL = 100
# One that is longer is data; its beginning says which.
LONGEST = 400
# An extract that is more than this share of what there was is not worth what it hides.
WORTH = 0.7
# `path:12:`, or `path:` where no number was asked for, as grep writes it.
PLACED = re.compile(r"(?P<path>[^\s:][^:\n]*):(?:(?P<line>\d+):)?")


@dataclass(frozen=True, slots=True)
class Extract:
    """What is shown of an output: its lines, how many there were, and how many that are unlike others are not shown."""

    lines: tuple[str, ...]
    kept: int
    total: int
    chars: int
    unusual: int

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Keep:
    """What is to be seen of an output: lines with words of the prompt or the command, durations, lists in order."""

    words: Callable[[str], bool] = lambda line: False
    times: bool = False
    # What each line of a list is: `names` of files, or `matches` in files. Their order differs between machines.
    lists: str = ""


def make_extract(text: str, keep: Keep) -> Extract | None:
    """Return an extract; nothing, if hardly anything would be left out."""
    plain = without_escapes(text)
    raw = plain.rstrip("\n").split("\n")
    signs = signs_in(plain)
    # What is found in files is as it is written there.
    lines = raw if keep.lists else [_steady(line, keep, signs) for line in raw]
    # Lines that differ between runs in times alone count alike; with the ends of lines, those at the end included.
    total, chars = len(lines), sum(map(len, lines)) + len(lines) - 1 + len(plain) - len(plain.rstrip("\n"))
    groups: list[str] = []
    if keep.lists:
        placed = in_order(lines, keep.lists)
        if not placed:
            # What is no such list is nothing that is known.
            return None
        lines, groups = [line for _, line in placed], [group for group, _ in placed]
    folded = _folded(lines) if not groups else [(line, 1) for line in lines]
    kept, unusual = _chosen([line for line, _ in folded], keep, groups)
    shown = tuple(_shown(folded, kept, groups))
    number = sum(times for place, (_, times) in enumerate(folded) if place in kept)
    if sum(map(len, shown)) + len(shown) > WORTH * (len(text) or 1):
        return None
    return Extract(shown, number, total, chars, unusual)


def _steady(line: str, keep: Keep, signs: Signs) -> str:
    return steady_error(line) if is_error(line, signs) else steady(line, times=keep.times)


def in_order(lines: Sequence[str], lists: str) -> list[tuple[str, str]]:
    """Return the lines of a list in the order of their files, each with its folder or file; nothing if one has none.

    >>> in_order(["b.py:3:x", "a.py:9:y", "b.py:1:z"], "matches")
    [('a.py', 'a.py:9:y'), ('b.py', 'b.py:1:z'), ('b.py', 'b.py:3:x')]
    >>> in_order(["then", "now"], "matches")
    []
    """
    told = [line for line in lines if line]
    places = [_place(line, lists) for line in told]
    if not all(places):
        return []
    # Lines of one file without a number keep their order, which is the file's.
    order = sorted(zip(places, told, strict=True), key=lambda pair: pair[0] or ("", "", 0))
    return [(place[0], line) for place, line in order if place]


def _place(line: str, lists: str) -> tuple[str, str, int] | None:
    """Return the folder, the file and the number of the line that a line names; nothing where it is no such line."""
    if lists == "names":
        return *line.rpartition("/")[::2], 0
    if (match := PLACED.match(line)) is None:
        return None
    return match["path"], "", int(match["line"] or 0)


def _folded(lines: Iterable[str]) -> list[tuple[str, int]]:
    """Return the lines, those that follow their like once, with how often they did."""
    return [(line, len(list(run))) for line, run in groupby(lines)]


def _chosen(lines: Sequence[str], keep: Keep, groups: Sequence[str]) -> tuple[set[int], int]:
    """Return the places of the lines that stay, and how many do not though they are unlike the others."""
    last = len(lines)
    kept = _first_of_each(lines, groups) if groups else {*range(min(HEAD, last)), *range(max(0, last - TAIL), last)}
    kept |= kept_for_faults(lines)
    to_the_point = [place for place, line in enumerate(lines) if place not in kept and keep.words(line)]
    for place in to_the_point[:TO_THE_POINT]:
        kept.update(range(max(0, place - 1), min(last, place + 2)))
    # A list has no lines that are unlike the others: each is a file or a place in one.
    unusual = [] if groups else [place for place in unusual_lines(lines) if place not in kept]
    return kept | set(unusual[:UNUSUAL]), len(unusual[UNUSUAL:])


def _first_of_each(lines: Sequence[str], groups: Sequence[str]) -> set[int]:
    """Return the places of the first few of each group: no file or folder is missing from a list."""
    seen: Counter[str] = Counter()
    ranks: list[int] = []
    for group in groups:
        seen[group] += 1
        ranks.append(seen[group])
    kept: set[int] = set()
    for most in OF_EACH:
        kept = {place for place, rank in enumerate(ranks) if rank <= most}
        if sum(min(len(lines[place]), LONGEST) + 1 for place in kept) <= ROOM:
            break
    return kept


def _shown(folded: Sequence[tuple[str, int]], kept: Collection[int], groups: Sequence[str]) -> Iterable[str]:
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
        # The first of each group stay, so that what is left out is of one.
        yield _left_out(folded[place:end], groups[place] if groups else "")
        place = end


def _left_out(folded: Sequence[tuple[str, int]], group: str) -> str:
    """Say how many lines are left out, of which file or folder, or how most of them begin, if they begin alike."""
    number = sum(times for _, times in folded)
    if group:
        return f"[… {number:,} more of {group}]"
    begins = Counter(line.split(maxsplit=1)[0] for line, _ in folded if line.strip())
    like = [word for word, times in begins.most_common(1) if times > len(folded) / 2 and len(folded) > 2]
    alike = f", most of them beginning with '{like[0][:40]}'" if like else ""
    return f"[… {number:,} {'line' if number == 1 else 'lines'} left out{alike}]"

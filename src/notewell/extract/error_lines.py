"""The lines of an output that report an error, and the lines around them; an extract keeps all of them."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# Searching for each word by itself takes a tenth of the time of one pattern for all.
WORDS = tuple(
    line
    for line in Path(__file__).with_name("error_words.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("# ")
)
# What npm, apt, pytest, HTTP and the system write, where case matters.
MARKS = tuple(
    re.compile(mark, re.MULTILINE)
    for mark in (
        r"\bERR\b",
        r"^[EW]:?\s",
        r"\bHTTP(?:/[\d.]{1,3})? [45]\d\d\b",
        # A row of pytest's dots has a letter for each failure.
        r"^[.sxX]*[FE][.sxXFE]*(?:[ \t]+\[ *\d+%\])?$",
        r"\b(?:return(?:ed)?(?: code)?|rc)[ =:]+-?[1-9]",
        rf"\b(?:{'|'.join(errno.errorcode.values())})\b",
    )
)
# Counts of none: `0 errors`, `no failures`, `exit code 0`.
NONE = re.compile(
    r"\b(?:0|no)\s+(?:errors?|failures?|failed|warnings?|problems?|vulnerabilities|issues)\b"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?:? 0\b",
    re.IGNORECASE,
)
# This many lines before and after an error stay with it.
BEFORE, AFTER = 3, 5
# Lines that continue a trace: indented lines, frames, arrows and carets of compilers, chained causes.
CONTINUES = re.compile(r"\s+\S|at\s|E\s|>\s|\||-->|\^|\.\.\.|Caused by|During handling|The above exception|File \"")
# After a line of this form a test runner reports nothing but failures.
SECTION = re.compile(r"=+\s*(?:FAILURES|ERRORS|warnings summary)\s*=+|(?:Failed|Failing) tests?:?\s*$|failures:\s*$")


class Signs(NamedTuple):
    """The words and marks that make a line an error."""

    words: Sequence[str] = WORDS
    marks: Sequence[re.Pattern[str]] = MARKS

    def are_in(self, line: str) -> bool:
        """Tell whether a line has any of them."""
        lower = _lower(line)
        return any(word in lower for word in self.words) or any(mark.search(line) for mark in self.marks)


ALL = Signs()


def signs_in(text: str) -> Signs:
    """Return the signs that occur anywhere in a text; checking each line for only these is much faster.

    >>> signs_in("one error").words
    ['error']
    """
    lower = _lower(text)
    return Signs([word for word in WORDS if word in lower], [mark for mark in MARKS if mark.search(text)])


def _lower(text: str) -> str:
    return text.lower().replace("’", "'")


def is_error(line: str, signs: Signs = ALL) -> bool:
    """Tell whether a line may report an error.

    >>> is_error("ModuleNotFoundError: rye"), is_error("0 errors, 12 passed"), is_error("12 passed")
    (True, False, False)
    """
    return signs.are_in(line) and signs.are_in(NONE.sub("", line))


def error_places(lines: Sequence[str]) -> set[int]:
    """Return the places of all lines that may report an error, with the lines around them and whole traces."""
    kept: set[int] = set()
    end, reached = len(lines), 0
    signs = signs_in("\n".join(lines))
    begins, ends = _runs([bool(CONTINUES.match(line)) for line in lines])
    for place, line in enumerate(lines):
        if SECTION.match(line):
            kept.update(range(place, end))
            break
        if is_error(line, signs):
            # A trace of Python ends with the error, and begins with a line of its own.
            first = max(0, min(begins[place] - 1, place - BEFORE))
            after = min(end, max(ends[place + 1] + 1, place + AFTER + 1))
            # Places are added once: there may be an error in each of many thousand lines.
            kept.update(range(max(first, reached), after))
            reached = max(reached, after)
    return kept


def _runs(continues: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Return, for each place, the beginning of the run of trace lines before it, and the end of the run after it.

    >>> _runs([False, True, True])
    ([0, 1, 1, 1], [0, 3, 3, 3])
    """
    begins = [0]
    for place, does in enumerate(continues):
        begins.append(begins[-1] if does else place + 1)
    ends = [len(continues)]
    for place in reversed(range(len(continues))):
        ends.append(ends[-1] if continues[place] else place)
    return begins, ends[::-1]
